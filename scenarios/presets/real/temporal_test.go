package real

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"google.golang.org/grpc"
)

// temporalClient is a client whose calls of this method all fail as down; all
// others succeed with an empty answer. What happens is below the SDK's own
// interceptors, so these retry as they do over a network.
func temporalClient(method string, timeout time.Duration, attempt func() error) client.Client {
	c, err := client.NewLazyClient(client.Options{
		HostPort:   "passthrough:///service",
		Logger:     log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))),
		RPCTimeout: timeout,
		ConnectionOptions: client.ConnectionOptions{
			DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(
				func(_ context.Context, name string, _, _ any, _ *grpc.ClientConn, _ grpc.UnaryInvoker, _ ...grpc.CallOption) error {
					if strings.HasSuffix(name, method) {
						_ = attempt()
						return errUnavailable
					}
					return nil
				})},
		},
	})
	if err != nil {
		panic(err)
	}
	return c
}

// temporalCall is a call of the service, such as to signal a workflow.
func temporalCall(t *testing.T, n, k int) waits {
	w := make(waits, n)
	synctest.Test(t, func(t *testing.T) {
		var attempt func() error
		c := temporalClient("/SignalWorkflowExecution", time.Hour, func() error { return attempt() })
		for i := range w {
			w[i] = gaps(func(f func() error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				left := k + 1
				attempt = func() error {
					if left--; left == 0 {
						cancel()
					}
					return f()
				}
				_ = c.SignalWorkflow(ctx, "id", "", "signal", nil)
			})
		}
		c.Close()
	})
	return w
}

// temporalPoll is the loop in which a worker asks for tasks: one poller, for
// activities.
func temporalPoll(t *testing.T, n, k int) waits {
	w := make(waits, n)
	synctest.Test(t, func(t *testing.T) {
		for i := range w {
			w[i] = gaps(func(f func() error) {
				done := make(chan struct{})
				left := k + 1
				c := temporalClient("/PollActivityTaskQueue", time.Hour, func() error {
					if left--; left < 0 {
						return nil
					}
					if left == 0 {
						defer close(done)
					}
					return f()
				})
				pool := worker.New(c, "queue", worker.Options{
					DisableWorkflowWorker:            true,
					MaxConcurrentActivityTaskPollers: 1,
				})
				if err := pool.Start(); err != nil {
					t.Error(err)
					return
				}
				<-done
				pool.Stop()
				c.Close()
			})
		}
	})
	return w
}
