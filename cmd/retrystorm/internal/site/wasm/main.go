//go:build js && wasm

package main

import (
	"os"
	"retrystorm/experiment"
	"retrystorm/report"
	"retrystorm/scenarios"
)

func main() {
	f, _ := scenarios.Load("x", []byte("x"), nil, nil)
	e, _ := experiment.New(f)
	r, _ := e.Run(experiment.Options{})
	for _, f := range report.Files(r) {
		f.Write(os.Stdout)
	}
}
