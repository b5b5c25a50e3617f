package real

import (
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/stripe/stripe-go/v82"
)

// transport answers HTTP requests without leaving the process.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// httpAnswer is a response without a body.
func httpAnswer(status int, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return r
}

// failing answers every request like this, and tells attempt.
func failing(attempt func() error, status int, header ...string) *http.Client {
	return &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		_ = attempt()
		return httpAnswer(status, header...), nil
	})}
}

// refusing lets no request connect, and tells attempt.
func refusing(attempt func() error) *http.Client {
	return &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		_ = attempt()
		return nil, syscall.ECONNREFUSED
	})}
}

// stripeGo sleeps by itself; its formula is not exported.
func stripeGo() library {
	return slept(func(k int, attempt func() error) { stripeCall(refusing(attempt), int64(k)) })
}

func stripeCall(c *http.Client, retries int64) {
	b := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		HTTPClient:        c,
		MaxNetworkRetries: &retries,
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull},
		EnableTelemetry:   new(false),
	})
	_ = b.Call(http.MethodGet, "/v1/charges", "key", nil, &stripe.Charge{})
}

// retryableCall makes a request with go-retryablehttp; set may be nil.
func retryableCall(c *http.Client, set func(*retryablehttp.Client)) error {
	r := retryablehttp.NewClient()
	r.Logger, r.HTTPClient = nil, c
	if set != nil {
		set(r)
	}
	req, err := retryablehttp.NewRequestWithContext(context.Background(), http.MethodGet, "http://service/", nil)
	if err != nil {
		return err
	}
	resp, err := r.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// TestLinearJitterInStep: callers whose clocks show the same nanosecond of the
// second wait equally long, because the generator is seeded with it. The
// simulator draws for each of them.
func TestLinearJitterInStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := retryablehttp.LinearJitterBackoff(time.Second, 30*time.Second, 0, nil)
		for range 100 {
			if d := retryablehttp.LinearJitterBackoff(time.Second, 30*time.Second, 0, nil); d != first {
				t.Fatalf("%v and %v at the same instant", first, d)
			}
		}
	})
}

// TestStripeBodies: whether stripe-go retries a status depends on the body. An
// error object of Stripe ends the request, whatever status and header say,
// unless it is a lock timeout with 429; an answer that is none, such as a
// proxy's, is retried, 429 too.
func TestStripeBodies(t *testing.T) {
	const (
		none   = ""
		object = `{"error": {"type": "api_error", "message": "sorry"}}`
		lock   = `{"error": {"type": "invalid_request_error", "code": "lock_timeout", "message": "sorry"}}`
	)
	for _, c := range []struct {
		status       int
		body, header string
		want         int
	}{
		{500, none, "", 3},
		{503, none, "false", 3},
		{409, none, "", 3},
		{429, none, "", 3},
		{500, object, "", 1},
		{503, object, "true", 1},
		{409, object, "", 1},
		{429, object, "", 1},
		{429, lock, "", 3},
		{500, lock, "", 1},
	} {
		at := timetable(t, func(attempt func() error) {
			stripeCall(&http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				_ = attempt()
				r := httpAnswer(c.status, "Stripe-Should-Retry: "+c.header)
				r.Body = io.NopCloser(strings.NewReader(c.body))
				return r, nil
			})}, 2)
		})
		if len(at) != c.want {
			t.Errorf("%d %s with Stripe-Should-Retry %q: %d calls, want %d", c.status, c.body, c.header, len(at), c.want)
		}
	}
}
