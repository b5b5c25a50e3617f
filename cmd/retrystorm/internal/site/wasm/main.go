//go:build js && wasm

// The simulator in a browser. A worker of the static page runs it, and talks to it
// by messages: see worker.js beside it.
package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"

	"retrystorm/cmd/retrystorm/internal/play"
)

// A worker has one core, and its memory is at most 4 GiB, of which the browser may
// give less.
var limits = play.Limits{
	Jobs:   1,
	Memory: 2 << 30,
	Points: 2000,
	Calls:  2e9,
	Kept:   256 << 20,
	Ask:    30,
}

// desk answers what a page asks.
type desk struct {
	player *play.Player
	result *play.Result // of the last run
}

func main() {
	d := desk{player: play.New(limits)}
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		m := args[0].Get("data")
		id, op, text := m.Get("id").Int(), m.Get("op").String(), m.Get("args").String()
		go d.serve(id, op, text) // a handler must not wait
		return nil
	}))
	post(map[string]any{"ready": true})
	select {}
}

func post(message map[string]any) { js.Global().Call("postMessage", message) }

// serve answers a message: {id, result} with JSON or the bytes of a file, or {id,
// error}.
func (d *desk) serve(id int, op, args string) {
	result, err := d.answer(id, op, []byte(args))
	if err != nil {
		post(map[string]any{"id": id, "error": err.Error()})
		return
	}
	if file, ok := result.([]byte); ok {
		bytes := js.Global().Get("Uint8Array").New(len(file))
		js.CopyBytesToJS(bytes, file)
		post(map[string]any{"id": id, "result": bytes})
		return
	}
	post(map[string]any{"id": id, "result": text(result)})
}

// text is a value as JSON. Types of play can always be written.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (d *desk) answer(id int, op string, args []byte) (any, error) {
	switch op {
	case "builtins":
		return d.player.Builtins(), nil
	case "check":
		var edit play.Edit
		err := json.Unmarshal(args, &edit)
		return d.player.Check(edit), err
	case "complete":
		var cursor play.Cursor
		err := json.Unmarshal(args, &cursor)
		return d.player.Complete(cursor), err
	case "run":
		var request play.RunRequest
		err := json.Unmarshal(args, &request)
		if err == nil {
			// Who ends it ends the worker.
			d.result = d.player.Run(nil, request.Edit, func(e play.Event) {
				post(map[string]any{"id": id, "event": text(e)})
			})
		}
		return nil, err
	case "file":
		var name string
		if err := json.Unmarshal(args, &name); err != nil {
			return nil, err
		}
		if d.result == nil {
			return nil, fmt.Errorf("%s: there is no result yet", name)
		}
		return d.result.File(name)
	}
	return nil, fmt.Errorf("nobody knows how to do %q", op)
}
