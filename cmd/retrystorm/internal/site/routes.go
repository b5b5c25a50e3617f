package site

import (
	"errors"
	"io/fs"
	"net/http"
	"strings"

	"retrystorm/cmd/retrystorm/internal/play"
)

func (s *Server) routes() {
	for pattern, serve := range map[string]http.HandlerFunc{
		"GET /api/builtins":               s.builtins,
		"POST /api/check":                 s.check,
		"POST /api/complete":              s.complete,
		"POST /api/runs":                  s.start,
		"GET /api/runs/{id}/events":       s.events,
		"DELETE /api/runs/{id}":           s.cancel,
		"GET /api/runs/{id}/files/{name}": s.resultFile,
	} {
		s.mux.HandleFunc(pattern, serve)
		path := pattern[strings.IndexByte(pattern, ' ')+1:]
		s.mux.HandleFunc(path, notSo(pattern))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notSo("GET /")(w, r)
			return
		}
		s.static(w, r)
	})
}

// notSo refuses other methods than that of a pattern.
func notSo(pattern string) http.HandlerFunc {
	method, _, _ := strings.Cut(pattern, " ")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", method)
		refuse(w, http.StatusMethodNotAllowed, "%s is not done to %s; %s is", r.Method, r.URL.Path, method)
	}
}

func (s *Server) builtins(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, s.player.Builtins())
}

// takingTurns runs something that may load a core for a moment.
func (s *Server) takingTurns(w http.ResponseWriter, r *http.Request, do func()) {
	if !s.checks.queue() {
		busy(w, "too many are asking at the same time; ask again in a moment")
		return
	}
	if s.checks.enter(s.stop, r.Context().Done()) {
		defer s.checks.leave()
		do()
	}
}

func busy(w http.ResponseWriter, message string) {
	w.Header().Set("Retry-After", "2")
	refuse(w, http.StatusServiceUnavailable, "%s", message)
}

// edited refuses an edit that is too long.
func edited(w http.ResponseWriter, e *play.Edit) bool {
	switch {
	case len(e.Text) > mostText:
		refuse(w, http.StatusRequestEntityTooLarge, "the scenario has more than %d bytes", mostText)
	case len(e.Sets) > mostSets:
		refuse(w, http.StatusRequestEntityTooLarge, "more than %d settings", mostSets)
	default:
		return true
	}
	return false
}

func (s *Server) check(w http.ResponseWriter, r *http.Request) {
	e, ok := read[play.Edit](w, r)
	if ok && edited(w, &e) {
		s.takingTurns(w, r, func() { answer(w, http.StatusOK, s.player.Check(e)) })
	}
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	c, ok := read[play.Cursor](w, r)
	if ok && edited(w, &play.Edit{Text: c.Text}) {
		s.takingTurns(w, r, func() { answer(w, http.StatusOK, s.player.Complete(c)) })
	}
}

// start starts a run that may be run: right, not too large, and long only if
// somebody was asked.
func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	want, ok := read[play.RunRequest](w, r)
	if !ok || !edited(w, &want.Edit) {
		return
	}
	s.takingTurns(w, r, func() {
		c := s.player.Check(want.Edit)
		switch {
		case c.Estimate == nil:
			refuse(w, http.StatusUnprocessableEntity, "%s", play.First(c.Problems))
		case c.Estimate.Refused != "":
			refuse(w, http.StatusUnprocessableEntity, "%s", c.Estimate.Refused)
		case c.Estimate.Ask && !want.Confirmed:
			answer(w, http.StatusConflict, c)
		default:
			id, ok := s.runs.start(want.Edit)
			if !ok {
				busy(w, "too many runs are going on or waiting; cancel one, or wait until one is over")
				return
			}
			answer(w, http.StatusAccepted, play.Started{ID: id})
		}
	})
}

// run finds the run of a request.
func (s *Server) run(w http.ResponseWriter, r *http.Request) (*run, bool) {
	x, ok := s.runs.find(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "there is no run %.40q; the last %d are kept", r.PathValue("id"), s.opt.Kept)
	}
	return x, ok
}

func (s *Server) cancel(w http.ResponseWriter, r *http.Request) {
	if x, ok := s.run(w, r); ok {
		x.end("")
		w.WriteHeader(http.StatusNoContent)
	}
}

// resultFile serves a file of a result: one that the result has, by exactly its
// name, whatever that looks like.
func (s *Server) resultFile(w http.ResponseWriter, r *http.Request) {
	x, ok := s.run(w, r)
	if !ok {
		return
	}
	name := r.PathValue("name")
	result := x.finished()
	if result == nil {
		refuse(w, http.StatusNotFound, "the run has no result")
		return
	}
	s.takingTurns(w, r, func() {
		content, err := result.File(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			refuse(w, http.StatusNotFound, "the result has no file %.80q", name)
			return
		case err != nil:
			refuse(w, http.StatusInternalServerError, "%v", err)
			return
		}
		limitWriting(w, writeTime)
		h := w.Header()
		h.Set("Content-Type", kindOf(name))
		h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
		h.Set("Content-Security-Policy", filePolicy)
		_, _ = w.Write(content)
	})
}
