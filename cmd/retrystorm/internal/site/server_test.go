package site

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"retrystorm/cmd/retrystorm/internal/play"
)

const (
	small = `name: small
title: <script>alert(1)</script>
replications: 8
until: 2s
clients: {count: 20, calls: db, policy: {max_attempts: 3, backoff: fixed 100ms}, network: 5ms}
services: {db: {workers: 2, service_time: 10ms, queue: 5}}
`
	// endless goes on for longer than any test, and stops when it is told to.
	endless = `name: endless
replications: 1_000_000
until: 10s
clients: {count: 50, arrival: poisson 20/s, calls: db}
services: {db: {workers: 5, service_time: 10ms}}
`
)

func options() Options {
	opt := Usual(play.Limits{Jobs: 1, Points: 100, Kept: 64 << 20, Ask: 1e9})
	opt.Grace = time.Hour
	return opt
}

// open starts a server.
func open(t *testing.T, opt Options) (*Server, string) {
	t.Helper()
	s := NewServer(opt)
	h := httptest.NewServer(s)
	s.listensAt(h.Listener.Addr())
	t.Cleanup(func() {
		s.Stop()
		h.Close()
	})
	return s, h.URL
}

// ask sends a request and reads the answer.
func ask(t *testing.T, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func request(text string) string { return asJSON(play.RunRequest{Edit: play.Edit{Text: text}}) }

// start starts a run and gives where it is.
func start(t *testing.T, url, text string) string {
	t.Helper()
	answer, body := ask(t, "POST", url+"/api/runs", request(text))
	var s play.Started
	if err := json.Unmarshal([]byte(body), &s); err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatalf("%s: %s", answer.Status, body)
	}
	return url + "/api/runs/" + s.ID
}

// stream reads the events of a run until it is told to stop, or they end.
func stream(t *testing.T, run string, each func(play.Event) bool, header ...string) {
	t.Helper()
	r, err := http.NewRequest("GET", run+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("%s: %s", answer.Status, kind)
	}
	lines := bufio.NewReader(answer.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var e play.Event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("%v in %.200s", err, data)
			}
			if !each(e) {
				return
			}
		}
	}
}

// last is the last event of a run.
func last(t *testing.T, run string) (e play.Event) {
	t.Helper()
	stream(t, run, func(event play.Event) bool {
		e = event
		return true
	})
	return e
}

func TestThePage(t *testing.T) {
	_, url := open(t, options())
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8",
		"/view.css": "text/css; charset=utf-8", "/icon.svg": "image/svg+xml", "/vendor/go/LICENSE": "text/plain; charset=utf-8",
	} {
		answer, body := ask(t, "GET", url+path, "")
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != kind || body == "" {
			t.Errorf("%s: %s %s", path, answer.Status, answer.Header.Get("Content-Type"))
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self';", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"X-Frame-Options": "DENY",
		} {
			if got := answer.Header.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s: %q", path, name, got)
			}
		}
		again, _ := ask(t, "GET", url+path, "", "If-None-Match", answer.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s", path, again.Status)
		}
	}
	for _, path := range []string{"/nothing", "/server.go", "/web/app.js", "/..%2fserver.go", "/%2e%2e/%2e%2e/etc/passwd", "/api", "/api/", "/api/nothing"} {
		if answer, body := ask(t, "GET", url+path, ""); answer.StatusCode != http.StatusNotFound || !strings.Contains(body, `"error"`) {
			t.Errorf("%s: %s %s", path, answer.Status, body)
		}
	}
}

func TestQuestions(t *testing.T) {
	_, url := open(t, options())
	answer, body := ask(t, "GET", url+"/api/builtins", "")
	var builtins []play.Builtin
	if err := json.Unmarshal([]byte(body), &builtins); err != nil || len(builtins) < 50 || builtins[0].Source == "" {
		t.Errorf("%v: %.200s", err, body)
	}
	if answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%v", answer.Header)
	}
	var checked play.Checked
	_, body = ask(t, "POST", url+"/api/check", asJSON(play.Edit{Text: small, Sets: []string{"seed=2"}}))
	if err := json.Unmarshal([]byte(body), &checked); err != nil || checked.Title != "<script>alert(1)</script>" || checked.Estimate == nil || len(checked.Knobs) == 0 {
		t.Errorf("%v: %s", err, body)
	}
	if strings.Contains(body, "<script>") {
		t.Error("JSON that is HTML")
	}
	var completions play.Completions
	_, body = ask(t, "POST", url+"/api/complete", asJSON(play.Cursor{Text: "na", Line: 1, Col: 3}))
	if err := json.Unmarshal([]byte(body), &completions); err != nil || completions.From != 1 || completions.Items[0].Label != "name" {
		t.Errorf("%v: %s", err, body)
	}
}

func TestWhatIsRefused(t *testing.T) {
	_, url := open(t, options())
	edit, run := asJSON(play.Edit{Text: small}), request(small)
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		want                     int
		says                     string
	}{
		{"another host", "GET", "/", "", []string{"Host", "evil.example"}, 421, "not called"},
		{"another port", "GET", "/", "", []string{"Host", "127.0.0.1:1"}, 421, "not called"},
		{"another host, to run", "POST", "/api/runs", run, []string{"Host", "evil.example:80"}, 421, "not called"},
		{"another address", "GET", "/api/builtins", "", []string{"Host", "192.0.2.7"}, 421, "not called"},
		{"another page posts", "POST", "/api/runs", run, []string{"Origin", "https://evil.example"}, 403, "another page"},
		{"a page without a name posts", "POST", "/api/check", edit, []string{"Origin", "null"}, 403, "another page"},
		{"a browser says so", "POST", "/api/runs", run, []string{"Sec-Fetch-Site", "cross-site"}, 403, "another page"},
		{"a neighbour", "POST", "/api/runs", run, []string{"Sec-Fetch-Site", "same-site"}, 403, "another page"},
		{"another page reads", "GET", "/api/builtins", "", []string{"Sec-Fetch-Site", "cross-site"}, 403, "another page"},
		{"another page cancels", "DELETE", "/api/runs/x", "", []string{"Sec-Fetch-Site", "cross-site"}, 403, "another page"},
		{"a form", "POST", "/api/check", edit, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"a form with an encoding", "POST", "/api/runs", run, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "application/json"},
		{"no type", "POST", "/api/check", edit, []string{"Content-Type", ""}, 415, "application/json"},
		{"no JSON", "POST", "/api/check", "name: x", nil, 400, "JSON"},
		{"half of it", "POST", "/api/check", edit[:20], nil, 400, "JSON"},
		{"twice", "POST", "/api/check", edit + edit, nil, 400, "follows"},
		{"a field too many", "POST", "/api/check", `{"text": "", "file": "/etc/passwd"}`, nil, 400, "file"},
		{"the wrong type", "POST", "/api/complete", `{"text": "", "line": "1"}`, nil, 400, "line"},
		{"too long a body", "POST", "/api/check", asJSON(play.Edit{Text: strings.Repeat("x", mostBody)}), nil, 413, "bytes"},
		{"too long a text", "POST", "/api/check", asJSON(play.Edit{Text: strings.Repeat("x", mostText+1)}), nil, 413, "bytes"},
		{"too long a text to complete", "POST", "/api/complete", asJSON(play.Cursor{Text: strings.Repeat("x", mostText+1)}), nil, 413, "bytes"},
		{"too many settings", "POST", "/api/runs", asJSON(play.RunRequest{Edit: play.Edit{Text: small, Sets: make([]string, mostSets+1)}}), nil, 413, "settings"},
		{"a method", "PUT", "/api/check", edit, nil, 405, "POST is"},
		{"a method of the page", "POST", "/", edit, nil, 405, "GET is"},
		{"a method of runs", "GET", "/api/runs", "", nil, 405, "POST is"},
		{"no run", "GET", "/api/runs/nothing/events", "", nil, 404, "no run"},
		{"no run to cancel", "DELETE", "/api/runs/nothing", "", nil, 404, "no run"},
		{"no run with files", "GET", "/api/runs/nothing/files/summary.csv", "", nil, 404, "no run"},
		{"a wrong scenario", "POST", "/api/runs", request("name: x"), nil, 422, "missing"},
		{"a data file", "POST", "/api/runs", request(strings.Replace(small, "service_time: 10ms", "service_time: file times.csv", 1)), nil, 422, "times.csv"},
		{"too many points", "POST", "/api/runs", request(small + "sweep: {clients.count: 1..500 step 1}"), nil, 422, "500 points; 100 at most"},
	} {
		answer, body := ask(t, c.method, url+c.path, c.body, c.header...)
		var said struct{ Error string }
		if err := json.Unmarshal([]byte(body), &said); err != nil || answer.StatusCode != c.want || !strings.Contains(said.Error, c.says) {
			t.Errorf("%s: %s %.300s", c.name, answer.Status, body)
		}
	}
	for _, header := range [][]string{
		{"Origin", url, "Sec-Fetch-Site", "same-origin"},
		{"Sec-Fetch-Site", "none"},
		{"Content-Type", "application/json; charset=utf-8"},
		{"Host", strings.Replace(strings.TrimPrefix(url, "http://"), "127.0.0.1", "localhost", 1)},
	} {
		if answer, body := ask(t, "POST", url+"/api/check", edit, header...); answer.StatusCode != http.StatusOK {
			t.Errorf("%q: %s %s", header, answer.Status, body)
		}
	}
}

// A body that does not come holds nobody up for long, whether it is wanted or not.
func TestBodiesThatDoNotCome(t *testing.T) {
	opt := options()
	opt.ReadTime = 100 * time.Millisecond
	_, url := open(t, opt)
	host := strings.TrimPrefix(url, "http://")
	for first, want := range map[string]string{
		"POST /api/check HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json": "400",
		"POST /api/check HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: text/plain":       "415",
		"POST / HTTP/1.1\r\nHost: " + host:                                                 "405",
		"POST / HTTP/1.1\r\nHost: other":                                                   "421",
	} {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.WriteString(c, first+"\r\nContent-Length: 100\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) {
			t.Errorf("%s: got %.40q, %v", first, answer, err)
		}
	}
}

func TestOthersMayAskWhereThatIsWanted(t *testing.T) {
	opt := options()
	opt.Remote, opt.Hosts = true, []string{"Build-Machine"}
	_, at := open(t, opt)
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"192.0.2.7:" + u.Port(): 200, "[2001:db8::1]:" + u.Port(): 200, "192.0.2.7": 200, "build-machine:" + u.Port(): 200, u.Host: 200,
		"evil.example": 421, "evil.example:" + u.Port(): 421,
	} {
		if answer, _ := ask(t, "GET", at, "", "Host", host); answer.StatusCode != want {
			t.Errorf("%s: %s", host, answer.Status)
		}
	}
}

func TestARunAndItsFiles(t *testing.T) {
	_, url := open(t, options())
	run := start(t, url, small)
	var kinds []string
	var done play.Event
	stream(t, run, func(e play.Event) bool {
		kinds = append(kinds, e.Kind)
		done = e
		return true
	})
	if done.Kind != "done" || done.View == nil || done.Done != done.Total {
		t.Fatalf("%q, then %+v", kinds, done)
	}
	for _, kind := range kinds[:len(kinds)-1] {
		if kind != "progress" && kind != "view" {
			t.Errorf("%q", kinds)
		}
	}
	want := play.New(play.Limits{Jobs: 2}).Run(nil, play.Edit{Text: small}, func(play.Event) {})
	if !slices.Equal(done.Files, want.Names()) {
		t.Errorf("%q", done.Files)
	}
	for _, name := range []string{"summary.csv", "scenario.yaml", "manifest.json", "calls.png", "summary.parquet", "report.md"} {
		answer, body := ask(t, "GET", run+"/files/"+name, "")
		content, err := want.File(name)
		if err != nil || body != string(content) || answer.Header.Get("Content-Type") != kindOf(name) {
			t.Errorf("%s: %v, %d bytes, %v", name, err, len(body), answer.Header)
		}
		if answer.Header.Get("Content-Disposition") != `attachment; filename="`+name+`"` || !strings.HasPrefix(answer.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %v", name, answer.Header)
		}
	}
	for _, name := range []string{"nothing.csv", "..%2fsummary.csv", "..%2f..%2fserver.go", "%2fetc%2fpasswd", "summary.csv%00", "Summary.csv"} {
		if answer, body := ask(t, "GET", run+"/files/"+name, ""); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s %.100s", name, answer.Status, body)
		}
	}
	// Who comes late gets the end, and who has had it is told that there is no more.
	if e := last(t, run); e.Kind != "done" || e.View == nil {
		t.Errorf("late: %+v", e)
	}
	if answer, _ := ask(t, "GET", run+"/events", "", "Last-Event-ID", "1000"); answer.StatusCode != http.StatusNoContent {
		t.Errorf("again: %s", answer.Status)
	}
	// The end cannot be undone.
	if answer, _ := ask(t, "DELETE", run, ""); answer.StatusCode != http.StatusNoContent {
		t.Errorf("%s", answer.Status)
	}
	if e := last(t, run); e.Kind != "done" {
		t.Errorf("cancelled when it was over: %+v", e)
	}
}

func TestLongRunsAreAskedFirst(t *testing.T) {
	opt := options()
	opt.Limits.Ask = 0
	_, url := open(t, opt)
	answer, body := ask(t, "POST", url+"/api/runs", request(small))
	var c play.Checked
	if err := json.Unmarshal([]byte(body), &c); err != nil || answer.StatusCode != http.StatusConflict || c.Estimate == nil || !c.Estimate.Ask {
		t.Fatalf("%s: %s", answer.Status, body)
	}
	answer, body = ask(t, "POST", url+"/api/runs", asJSON(play.RunRequest{Edit: play.Edit{Text: small}, Confirmed: true}))
	if answer.StatusCode != http.StatusAccepted {
		t.Errorf("%s: %s", answer.Status, body)
	}
}

func TestCancel(t *testing.T) {
	_, url := open(t, options())
	run := start(t, url, endless)
	cancelled := false
	var end play.Event
	stream(t, run, func(e play.Event) bool {
		if !cancelled {
			cancelled = true
			if answer, _ := ask(t, "DELETE", run, ""); answer.StatusCode != http.StatusNoContent {
				t.Errorf("%s", answer.Status)
			}
		}
		end = e
		return true
	})
	if end.Kind != "cancelled" {
		t.Errorf("got %+v", end)
	}
	if answer, body := ask(t, "GET", run+"/files/summary.csv", ""); answer.StatusCode != http.StatusNotFound || !strings.Contains(body, "no result") {
		t.Errorf("%s %s", answer.Status, body)
	}
}

func TestRunsWaitForTheirTurn(t *testing.T) {
	opt := options()
	opt.Runs, opt.Waiting = 1, 1
	_, url := open(t, opt)
	first := start(t, url, endless)
	stream(t, first, func(e play.Event) bool { return e.Total == 0 }) // it has begun
	second := start(t, url, small)
	stream(t, second, func(e play.Event) bool {
		if e.Kind != "progress" || !strings.Contains(e.Message, "waiting") {
			t.Errorf("got %+v", e)
		}
		return false
	})
	answer, body := ask(t, "POST", url+"/api/runs", request(small))
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" || !strings.Contains(body, "too many runs") {
		t.Errorf("%s %s", answer.Status, body)
	}
	ask(t, "DELETE", first, "")
	if e := last(t, second); e.Kind != "done" {
		t.Errorf("got %+v", e)
	}
	// One that waits can be cancelled, too.
	first = start(t, url, endless)
	stream(t, first, func(e play.Event) bool { return e.Total == 0 })
	second = start(t, url, small)
	ask(t, "DELETE", second, "")
	if e := last(t, second); e.Kind != "cancelled" {
		t.Errorf("got %+v", e)
	}
}

func TestRunsThatGoOnForTooLongEnd(t *testing.T) {
	opt := options()
	opt.RunTime = time.Millisecond
	_, url := open(t, opt)
	if e := last(t, start(t, url, endless)); e.Kind != "failed" || !strings.Contains(e.Message, "the longest that a run may take") {
		t.Errorf("got %+v", e)
	}
}

func TestRunsThatNobodyLooksAtEnd(t *testing.T) {
	opt := options()
	opt.Grace = time.Millisecond
	s, url := open(t, opt)
	run := start(t, url, endless)
	x, _ := s.runs.find(run[strings.LastIndexByte(run, '/')+1:])
	<-x.stop
	if e := last(t, run); e.Kind != "failed" || !strings.Contains(e.Message, "nobody looked") {
		t.Errorf("got %+v", e)
	}
	// One that somebody looks at goes on, and ends after the stream is gone.
	run = start(t, url, endless)
	x, _ = s.runs.find(run[strings.LastIndexByte(run, '/')+1:])
	x.look()
	stream(t, run, func(e play.Event) bool { return e.Done < 10 })
	x.turnAway()
	<-x.stop
}

func TestRunsThatTakeTooMuchMemoryEnd(t *testing.T) {
	opt := options()
	opt.Memory = 1
	_, url := open(t, opt)
	if e := last(t, start(t, url, endless)); e.Kind != "failed" || !strings.Contains(e.Message, "of memory do not do") {
		t.Errorf("got %+v", e)
	}
}

func TestFewResultsAreKept(t *testing.T) {
	opt := options()
	opt.Kept = 2
	_, url := open(t, opt)
	var runs []string
	for range 3 {
		runs = append(runs, start(t, url, small))
		last(t, runs[len(runs)-1])
		if len(runs) == 2 {
			last(t, runs[0]) // the second is the one that nobody has looked at
		}
	}
	for i, want := range []int{http.StatusOK, http.StatusNotFound, http.StatusOK} {
		for range 4000 { // it is forgotten a moment after the end was told
			answer, _ := ask(t, "GET", runs[i]+"/files/scenario.yaml", "")
			if answer.StatusCode == want {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if answer, body := ask(t, "GET", runs[i]+"/files/scenario.yaml", ""); answer.StatusCode != want {
			t.Errorf("run %d: %s %.100s", i, answer.Status, body)
		}
	}
}

func TestResultsAreKeptBySize(t *testing.T) {
	rs := newRuns(&Options{Runs: 1}, nil, nil)
	for _, size := range []int64{10, 20, 30, 40} {
		rs.all = append(rs.all, &run{over: size != 20, size: size})
	}
	rs.forget(10, 35)
	if len(rs.all) != 2 || rs.all[0].size != 20 || rs.all[1].size != 40 {
		t.Errorf("the newest stays, and one that goes on: %v", rs.all)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	opt := options()
	var complaint bytes.Buffer
	opt.Complain = func(text string) { complaint.WriteString(text) }
	s, url := open(t, opt)
	s.mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("oh no\nsecret") })
	answer, body := ask(t, "GET", url+"/panic", "")
	if answer.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "oh no") || strings.Contains(body, "secret") {
		t.Errorf("%s %s", answer.Status, body)
	}
	if !strings.Contains(complaint.String(), "GET /panic") {
		t.Errorf("%s", &complaint)
	}
	if answer, _ := ask(t, "GET", url+"/", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %s", answer.Status)
	}
}

// TestStopWhileRunning: streams get their last event, and Serve returns.
func TestStopWhileRunning(t *testing.T) {
	s := NewServer(options())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	run := start(t, "http://"+l.Addr().String(), endless)
	var end play.Event
	stream(t, run, func(e play.Event) bool {
		if e.Done > 0 {
			s.Stop()
		}
		end = e
		return true
	})
	if err := <-served; err != nil {
		t.Error(err)
	}
	if end.Kind != "failed" || !strings.Contains(end.Message, "server has stopped") {
		t.Logf("the stream ended before the run did: %+v", end)
	}
	if _, err := http.Get("http://" + l.Addr().String()); err == nil {
		t.Error("it still answers")
	}
}
