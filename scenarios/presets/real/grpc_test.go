package real

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/emptypb"
)

// grpcService is a real server and a client of it, in memory. The retry loop of
// grpc-go is not exported, so calls are the only way to it.
type grpcService struct {
	conn   *grpc.ClientConn
	server *grpc.Server
}

// newGRPCService has the retry policy that the service config says; handle is
// told what every call carries.
func newGRPCService(t *testing.T, config string, handle func(metadata.MD, grpc.ServerStream) error, options ...grpc.DialOption) *grpcService {
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(s.Context())
		return handle(md, s)
	}))
	go func() { _ = server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///service", append(options,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(config),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
	)...)
	if err != nil {
		t.Fatal(err)
	}
	return &grpcService{conn, server}
}

func (s *grpcService) close() {
	_ = s.conn.Close()
	s.server.Stop()
}

func (s *grpcService) call(ctx context.Context) error {
	return s.conn.Invoke(ctx, "/test.Service/Call", &emptypb.Empty{}, &emptypb.Empty{})
}

// retryConfig is a service config with a retry policy; waits are in seconds.
func retryConfig(attempts int, base, cap time.Duration, factor float64, more string) string {
	return fmt.Sprintf(`{"methodConfig": [{"name": [{}], "retryPolicy": {
		"maxAttempts": %d, "initialBackoff": "%.9fs", "maxBackoff": "%.9fs",
		"backoffMultiplier": %g, "retryableStatusCodes": ["UNAVAILABLE"]}}]%s}`,
		attempts, base.Seconds(), cap.Seconds(), factor, more)
}

// answerEmpty reads the request and answers it.
func answerEmpty(s grpc.ServerStream) error {
	if err := s.RecvMsg(&emptypb.Empty{}); err != nil {
		return err
	}
	return s.SendMsg(&emptypb.Empty{})
}

var errUnavailable = status.Error(codes.Unavailable, "down")

// grpcRetry makes n calls one after the other, each of which fails k+1 times.
func grpcRetry(base, cap time.Duration, factor float64) library {
	return func(t *testing.T, n, k int) waits {
		w := make(waits, n)
		synctest.Test(t, func(t *testing.T) {
			var attempt func() error
			s := newGRPCService(t, retryConfig(k+1, base, cap, factor, ""),
				func(metadata.MD, grpc.ServerStream) error {
					_ = attempt()
					return errUnavailable
				},
				grpc.WithMaxCallAttempts(k+1)) // without it, 5
			defer s.close()
			for i := range w {
				w[i] = gaps(func(f func() error) {
					attempt = f
					_ = s.call(t.Context())
				})
			}
		})
		return w
	}
}

// grpcConnection makes n connections one after the other; none is ever made.
func grpcConnection(options ...grpc.DialOption) library {
	return func(t *testing.T, n, k int) waits {
		w := make(waits, n)
		synctest.Test(t, func(t *testing.T) {
			for i := range w {
				w[i] = gaps(func(attempt func() error) { dial(t, k+1, attempt, options...) })[:k]
			}
		})
		return w
	}
}

// dial tries to connect until attempt has been called that often.
func dial(t *testing.T, times int, attempt func() error, options ...grpc.DialOption) {
	done := make(chan struct{})
	conn, err := grpc.NewClient("passthrough:///service", append(options,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			if times--; times == 0 {
				defer close(done)
			}
			return nil, attempt()
		}))...)
	if err != nil {
		t.Error(err)
		return
	}
	conn.Connect()
	<-done
	for state := conn.GetState(); state != connectivity.TransientFailure; state = conn.GetState() {
		conn.WaitForStateChange(t.Context(), state)
	}
	_ = conn.Close()
}
