package backend

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve/oip"
	"github.com/oatta/oatta/serve/oip/pb"
)

// benchClasses and benchRows: ten classes, and as many different vectors as no branch can learn.
const (
	benchClasses = 10
	benchRows    = 256
)

func benchTrack() (rows [][]float64) {
	for i := range benchRows {
		rows = append(rows, predictionOf(i, benchClasses))
	}
	return rows
}

// The same item a stream and operation, nearer and nearer to a client: the filter called in process, the backend in memory, the backend on a file that
// is synced, with commits that are shared and with commits of a row each, and gRPC over the loopback on that.
func BenchmarkItems(b *testing.B) {
	rows := benchTrack()
	b.Run("filter", func(b *testing.B) {
		f, err := adapt.New(benchClasses, adapt.Settings{})
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]float64, benchClasses)
		for i := 0; b.Loop(); i++ {
			f.Step(dst, rows[i%benchRows])
		}
	})
	for _, c := range []struct {
		name string
		o    Options
		file bool
	}{
		{"memory", Options{}, false},
		{"file", Options{}, true},
		{"file,early", Options{Early: true}, true},
		{"file,commit=1", Options{Commit: 1}, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			benchBackend(b, mustBench(b, c.o, c.file), rows)
		})
	}
	b.Run("jetstream", func(b *testing.B) {
		o := inJetStream(b)
		o.Models = []Source{filterOf(benchClasses)}
		benchBackend(b, mustNew(b, o), rows)
	})
	for _, size := range []int{1, 32} {
		b.Run(fmt.Sprintf("grpc,rows=%d", size), func(b *testing.B) {
			benchGRPC(b, mustBench(b, Options{}, true), rows, size)
		})
	}
}

func mustBench(b *testing.B, o Options, file bool) *Backend {
	o.Models = []Source{filterOf(benchClasses)}
	if file {
		o.File = inFolder(b.TempDir())
	}
	return mustNew(b, o)
}

// clients is how many requests are under way at a time, each of a stream of its own.
const clients = 512

func benchBackend(b *testing.B, backend *Backend, rows [][]float64) {
	var next atomic.Int64
	b.SetParallelism(clients / 2)
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		stream := streamID(int(next.Add(1)))
		for i := 0; p.Next(); i++ {
			if _, err := backend.Infer(b.Context(), ask(stream, rows[i%benchRows])); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func benchGRPC(b *testing.B, backend *Backend, rows [][]float64, size int) {
	c := grpcClient(b, backend)
	var next atomic.Int64
	b.SetParallelism(clients / 8)
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		q := grpcQuestion(streamID(int(next.Add(1))), rows[:size]...)
		for p.Next() {
			if _, err := c.ModelInfer(b.Context(), q); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "items/s")
}

// grpcClient serves a backend on a free port of the loopback, and returns a client of it. Both end with the test.
func grpcClient(t testing.TB, backend *Backend) pb.GRPCInferenceServiceClient {
	t.Helper()
	h, err := oip.New(backend, oip.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := h.Server()
	go func() { _ = web.Serve(l) }()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		web.Close()
	})
	return pb.NewGRPCInferenceServiceClient(&http.Client{Transport: transport}, "http://"+l.Addr().String(), connect.WithGRPC())
}

// grpcQuestion asks for the adapted probabilities of rows of a stream.
func grpcQuestion(stream string, rows ...[]float64) *pb.ModelInferRequest {
	var raw []byte
	for _, row := range rows {
		raw = appendFloats(raw, row)
	}
	return &pb.ModelInferRequest{
		ModelName: "filter", Parameters: map[string]*pb.InferParameter{"sequence_id": {ParameterChoice: &pb.InferParameter_StringParam{StringParam: stream}}},
		Inputs:           []*pb.ModelInferRequest_InferInputTensor{{Name: inProbs, Datatype: "FP64", Shape: []int64{int64(len(rows)), int64(len(rows[0]))}}},
		Outputs:          []*pb.ModelInferRequest_InferRequestedOutputTensor{{Name: outAdapted}},
		RawInputContents: [][]byte{raw},
	}
}
