package oip

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/serve/oip/pb"
	"github.com/oatta/oatta/serve/servetest"
)

// Over TLS one port serves HTTP/1.1, HTTP/2 and gRPC, too.
func TestTLS(t *testing.T) {
	h, err := New(servetest.New(3), Options{})
	if err != nil {
		t.Fatal(err)
	}
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := h.Server()
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(tls.NewListener(plain, &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}))
	}()
	defer func() {
		if err := errors.Join(server.Close(), <-done); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	url := "https://" + plain.Addr().String()
	for _, major := range []int{1, 2} {
		transport := certificate.Client().Transport.(*http.Transport).Clone()
		defer transport.CloseIdleConnections()
		protocols := new(http.Protocols)
		protocols.SetHTTP1(major == 1)
		protocols.SetHTTP2(major == 2)
		transport.Protocols = protocols
		client := &http.Client{Transport: transport}
		r, err := client.Get(url + "/v2/health/live")
		if err != nil || r.ProtoMajor != major || r.StatusCode != http.StatusOK {
			t.Errorf("HTTP/%d: %v, %v", major, r, err)
		}
		if err == nil {
			r.Body.Close()
		}
		if major == 1 {
			continue
		}
		grpc := pb.NewGRPCInferenceServiceClient(client, url, connect.WithGRPC())
		if _, err := grpc.ModelInfer(context.Background(), asked("a", 0.5, 0.3, 0.2)); err != nil {
			t.Errorf("gRPC: %v", err)
		}
	}
}

// A line for each request says who, what and how it ended, and nothing of what is in it.
func TestAccessLog(t *testing.T) {
	var lines bytes.Buffer
	s := newTester(t, Options{Authorize: keys, Access: slog.New(slog.NewTextHandler(&lines, nil))})
	s.want(200, `{…`, "POST", inferPath, streamRequest("secret-stream", `,"oatta_key":"secret-key"`, 0.515625, 0.3, 0.184375), as("alice"))
	s.want(400, `{…`, "POST", inferPath, `{"parameters":{"sequence_id":"secret-stream"}}`, as("bob"))
	s.want(401, `{…`, "GET", "/v2", "", as("secret-token"))
	s.want(404, `{…`, "GET", "/v2/models/filter/streams/secret-stream", "", as("bob"))
	text := lines.String()
	for _, want := range []string{"method=ModelInfer model=filter code=ok", "who=alice", "code=invalid_argument", "who=bob", "code=unauthenticated", "method=StreamShow"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n != 4 || strings.Contains(text, "secret") || strings.Contains(text, "0.515625") || strings.Contains(text, "adapted") {
		t.Errorf("%d lines:\n%s", n, text)
	}
}

// Clients that break off leave nothing behind.
func TestNothingIsLeft(t *testing.T) {
	b := servetest.New(3)
	client, _, _ := dial(t, b, Options{})
	use := func(n int) {
		for i := range n {
			ctx, cancel := context.WithCancel(context.Background())
			call, err := client.ModelStreamInfer(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if err := call.Send(asked("a", 0.5, 0.3, 0.2)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := call.Receive(); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				_ = call.CloseRequest()
			}
			cancel()
			_ = call.CloseResponse() // connect-go breaks off by this
		}
	}
	use(3)
	settled := func() int {
		n := goruntime.NumGoroutine()
		for range 50 {
			time.Sleep(10 * time.Millisecond)
			n = min(n, goruntime.NumGoroutine())
		}
		return n
	}
	before := settled()
	use(50)
	if after := settled(); after > before+5 {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before\n%s", after, before, stacks[:goruntime.Stack(stacks, true)])
	}
}
