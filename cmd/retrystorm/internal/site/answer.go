package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// Limits on what is sent, and for how long.
const (
	mostBody  = 4 << 20 // the longest scenario, each of its characters escaped
	mostText  = 1 << 20
	mostSets  = 200
	writeTime = time.Minute
)

// answer writes JSON.
func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // types of play can be written
	}
	limitWriting(w, writeTime)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // who has gone does not read it
}

// refuse answers with what is wrong.
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	answer(w, status, map[string]string{"error": fmt.Sprintf(format, args...)})
}

// limitWriting ends a connection whose reader takes too long.
func limitWriting(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d)) // a test has no connection
}

// limitReading ends a connection that takes too long to send a body: also one that
// nobody wants, which the answer waits for.
func (s *Server) limitReading(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opt.ReadTime))
	}
}

// read reads a body of JSON, and refuses what is none.
func read[T any](w http.ResponseWriter, r *http.Request) (v T, ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "the body must be JSON, with Content-Type: application/json")
		return v, false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBody))
	d.DisallowUnknownFields()
	err := d.Decode(&v)
	if err == nil && d.Decode(new(json.RawMessage)) != io.EOF {
		err = errors.New("something follows after the value")
	}
	var long *http.MaxBytesError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &long):
		refuse(w, http.StatusRequestEntityTooLarge, "the body has more than %d bytes", mostBody)
	case errors.As(err, &kind):
		refuse(w, http.StatusBadRequest, "the body: %q cannot be a %s", kind.Field, kind.Value)
	case err != nil:
		refuse(w, http.StatusBadRequest, "the body is not the JSON that is expected here: %v", err)
	default:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	return v, err == nil
}
