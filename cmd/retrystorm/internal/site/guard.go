package site

import (
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
)

// A page on this machine can be asked by every other page that is open in a
// browser here. So it answers only who calls it by its own name (another name that
// leads here is somebody's DNS), and what does something must come from itself.

// policy is what the page may do: only what it is made of.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// filePolicy is for files of results: whoever opens one here gets it without any
// rights.
const filePolicy = "sandbox; default-src 'none'"

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	limitWriting(w, writeTime) // the request before on this connection had its own
	s.limitReading(w, r)
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy":      policy,
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Embedder-Policy": "require-corp",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	} {
		h.Set(name, value)
	}
	api := strings.HasPrefix(r.URL.Path, "/api/")
	if api {
		h.Set("Cache-Control", "no-store")
	}
	defer s.recovered(w, r)
	switch {
	case !s.allowed(r.Host):
		refuse(w, http.StatusMisdirectedRequest, "this page is not called %q; open the address that retrystorm serve has printed", r.Host)
	case s.cross.Check(r) != nil, api && !sameSite(r):
		refuse(w, http.StatusForbidden, "another page has asked for this; only the page itself may")
	default:
		s.mux.ServeHTTP(w, r)
	}
}

// sameSite says whether a request comes from the page itself, or from no page.
func sameSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return false
}

// listensAt notes the names that the page has at an address.
func (s *Server) listensAt(addr net.Addr) {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range append([]string{host, "localhost", "127.0.0.1", "::1"}, s.opt.Hosts...) {
		s.hosts[net.JoinHostPort(strings.ToLower(name), port)] = true
		if port == "80" {
			s.hosts[bracketed(strings.ToLower(name))] = true
		}
	}
}

// bracketed is a host without a port, as browsers write it.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// allowed says whether the page may be called so: by the address that it listens
// at, as localhost, or by a name that it was given. Where others may ask, any
// address will do, because only names can be made to lead elsewhere.
func (s *Server) allowed(host string) bool {
	s.mu.Lock()
	known := s.hosts[strings.ToLower(host)]
	s.mu.Unlock()
	if known || !s.opt.Remote {
		return known
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return net.ParseIP(strings.Trim(host, "[]")) != nil
}

// recovered turns a panic into an answer, and the server goes on.
func (s *Server) recovered(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil || p == http.ErrAbortHandler {
		return
	}
	text, _, _ := strings.Cut(fmt.Sprint(p), "\n")
	s.complain("internal error: %s %s: %s; please report it\n%s", r.Method, r.URL.Path, text, debug.Stack())
	refuse(w, http.StatusInternalServerError, "internal error: %s; please report it with the scenario", text)
}
