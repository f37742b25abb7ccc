package oip

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/servetest"
)

// What the front end costs: the same step of a filter in process, and over each transport on the loopback, one request at a time.
func BenchmarkInfer(b *testing.B) {
	backend := servetest.New(3)
	client, _, at := dial(b, backend, Options{})
	ctx := context.Background()
	b.Run("process", func(b *testing.B) {
		r := &serve.Request{
			Model: "filter", Sequence: serve.Sequence{ID: "a"},
			Inputs: []serve.Tensor{{Name: "probs", Type: "FP64", Shape: []int64{1, 3}, Data: le(0.5, 0.3, 0.2)}},
		}
		for b.Loop() {
			if _, err := backend.Infer(ctx, r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("grpc", func(b *testing.B) {
		for b.Loop() {
			if _, err := client.ModelInfer(ctx, asked("a", 0.5, 0.3, 0.2)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("rest", func(b *testing.B) {
		for b.Loop() {
			r, err := http.Post("http://"+at+inferPath, "application/json", strings.NewReader(streamRequest("a", "", 0.5, 0.3, 0.2)))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				b.Fatal(err)
			}
			r.Body.Close()
		}
	})
	b.Run("stream", func(b *testing.B) {
		call, err := client.ModelStreamInfer(ctx)
		if err != nil {
			b.Fatal(err)
		}
		const ahead = 32
		waiting := 0
		for b.Loop() {
			if err := call.Send(asked("a", 0.5, 0.3, 0.2)); err != nil {
				b.Fatal(err)
			}
			if waiting++; waiting < ahead {
				continue
			}
			if _, err := call.Receive(); err != nil {
				b.Fatal(err)
			}
			waiting--
		}
		_ = call.CloseRequest()
		_ = call.CloseResponse()
	})
}
