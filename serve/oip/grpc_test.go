package oip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
	"github.com/oatta/oatta/serve/servetest"
)

// h2c is a client of HTTP/2 without TLS.
func h2c(t testing.TB) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// dial serves a backend on a port, and returns a client of gRPC for it, with what the server logs.
func dial(t testing.TB, b serve.Backend, o Options) (client pb.GRPCInferenceServiceClient, log *logged, at string) {
	t.Helper()
	log = &logged{}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	at = listen(t, b, o)
	return pb.NewGRPCInferenceServiceClient(h2c(t), "http://"+at, connect.WithGRPC()), log, at
}

// asked is a request for a step of a stream, which may be empty.
func asked(stream string, probs ...float64) *pb.ModelInferRequest {
	r := &pb.ModelInferRequest{
		ModelName: "filter", Inputs: []*pb.ModelInferRequest_InferInputTensor{{Name: "probs", Datatype: "FP64", Shape: []int64{int64(len(probs)) / 3, 3}}},
		RawInputContents: [][]byte{le(probs...)}, Outputs: []*pb.ModelInferRequest_InferRequestedOutputTensor{{Name: "adapted"}},
	}
	if stream != "" {
		r.Parameters = map[string]*pb.InferParameter{"sequence_id": {ParameterChoice: &pb.InferParameter_StringParam{StringParam: stream}}}
	}
	return r
}

func TestGRPC(t *testing.T) {
	client, log, _ := dial(t, servetest.New(3), Options{Version: "1.2"})
	ctx := context.Background()
	same := func(what string, got proto.Message, err error, want proto.Message) {
		t.Helper()
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, want)
		}
	}
	live, err := client.ServerLive(ctx, &pb.ServerLiveRequest{})
	same("live", live, err, &pb.ServerLiveResponse{Live: true})
	ready, err := client.ServerReady(ctx, &pb.ServerReadyRequest{})
	same("ready", ready, err, &pb.ServerReadyResponse{Ready: true})
	server, err := client.ServerMetadata(ctx, &pb.ServerMetadataRequest{})
	same("server", server, err, &pb.ServerMetadataResponse{Name: "oatta", Version: "1.2", Extensions: extensions})
	for name, want := range map[string]bool{"filter": true, "no": false} {
		ready, err := client.ModelReady(ctx, &pb.ModelReadyRequest{Name: name})
		same("model ready", ready, err, &pb.ModelReadyResponse{Ready: want})
	}
	model, err := client.ModelMetadata(ctx, &pb.ModelMetadataRequest{Name: "filter", Version: "1"})
	same("model", model, err, &pb.ModelMetadataResponse{
		Name: "filter", Versions: []string{"1"}, Platform: "oatta_filter",
		Inputs: []*pb.ModelMetadataResponse_TensorMetadata{{Name: "probs", Datatype: "FP64", Shape: []int64{-1, 3}}},
		Outputs: []*pb.ModelMetadataResponse_TensorMetadata{
			{Name: "adapted", Datatype: "FP64", Shape: []int64{-1, 3}}, {Name: "label", Datatype: "BYTES", Shape: []int64{-1}},
		},
	})
	config, err := client.ModelConfig(ctx, &pb.ModelConfigRequest{Name: "filter"})
	same("config", config, err, &pb.ModelConfigResponse{Config: &pb.ModelConfig{
		Name: "filter", Platform: "oatta_filter", Backend: "oatta", SchedulingChoice: &pb.ModelConfig_SequenceBatching{SequenceBatching: &pb.ModelSequenceBatching{}},
		Input: []*pb.ModelInput{{Name: "probs", DataType: pb.DataType_TYPE_FP64, Dims: []int64{-1, 3}}},
		Output: []*pb.ModelOutput{
			{Name: "adapted", DataType: pb.DataType_TYPE_FP64, Dims: []int64{-1, 3}}, {Name: "label", DataType: pb.DataType_TYPE_STRING, Dims: []int64{-1}},
		}, ModelTransactionPolicy: &pb.ModelTransactionPolicy{},
	}})
	index, err := client.RepositoryIndex(ctx, &pb.RepositoryIndexRequest{})
	same("index", index, err, &pb.RepositoryIndexResponse{Models: []*pb.RepositoryIndexResponse_ModelIndex{{Name: "filter", Version: "1", State: "READY"}}})

	request := asked("", 0.5, 0.25, 0.25)
	request.Id = "i"
	answer, err := client.ModelInfer(ctx, request)
	same("infer", answer, err, &pb.ModelInferResponse{
		ModelName: "filter", ModelVersion: "1", Id: "i",
		Outputs:           []*pb.ModelInferResponse_InferOutputTensor{{Name: "adapted", Datatype: "FP64", Shape: []int64{1, 3}}},
		RawOutputContents: [][]byte{le(servetest.Fresh(0.5, 0.25, 0.25)...)},
	})
	stats, err := client.ModelStatistics(ctx, &pb.ModelStatisticsRequest{Name: "filter"})
	if err != nil || len(stats.ModelStats) != 1 || stats.ModelStats[0].InferenceCount != 1 || stats.ModelStats[0].LastInference == 0 {
		t.Errorf("statistics %v, %v", stats, err)
	}
	if _, err := client.RepositoryModelUnload(ctx, &pb.RepositoryModelUnloadRequest{ModelName: "filter"}); err != nil {
		t.Error(err)
	}
	ready, err = client.ServerReady(ctx, &pb.ServerReadyRequest{})
	same("unloaded", ready, err, &pb.ServerReadyResponse{})
	if _, err := client.RepositoryModelLoad(ctx, &pb.RepositoryModelLoadRequest{ModelName: "filter"}); err != nil {
		t.Error(err)
	}
	if text := log.String(); text != "" {
		t.Errorf("logged: %s", text)
	}
}

func TestGRPCHealthAndReflection(t *testing.T) {
	b := servetest.New(3)
	_, _, at := dial(t, b, Options{})
	ctx := context.Background()
	check := connect.NewClient[checkRequest, checkResponse](h2c(t), "http://"+at+"/grpc.health.v1.Health/Check", connect.WithGRPC(), connect.WithCodec(rawCodec{}))
	status := func(service string) (string, error) {
		request := checkRequest{}
		if service != "" {
			request.data = append([]byte{10, byte(len(service))}, service...)
		}
		answer, err := check.CallUnary(ctx, connect.NewRequest(&request))
		if err != nil {
			return "", err
		}
		return fmt.Sprint(answer.Msg.data), nil
	}
	for _, service := range []string{"", pb.GRPCInferenceServiceName} {
		if got, err := status(service); err != nil || got != fmt.Sprint([]byte{8, byte(grpchealth.StatusServing)}) {
			t.Errorf("%q: %s, %v", service, got, err)
		}
	}
	if _, err := status("no"); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("unknown service: %v", err)
	}
	if err := b.Unload(ctx, "filter"); err != nil {
		t.Fatal(err)
	}
	if got, err := status(""); err != nil || got != fmt.Sprint([]byte{8, byte(grpchealth.StatusNotServing)}) {
		t.Errorf("unloaded: %s, %v", got, err)
	}

	stream := grpcreflect.NewClient(h2c(t), "http://"+at, connect.WithGRPC()).NewStream(ctx)
	names, err := stream.ListServices()
	if err != nil || !slices.Contains(names, pb.GRPCInferenceServiceName) {
		t.Errorf("reflection: %v, %v", names, err)
	}
	if _, err := stream.Close(); err != nil {
		t.Error(err)
	}
}

// rawCodec sends bytes for messages whose code is not at hand.
type rawCodec struct{}

type (
	checkRequest  struct{ data []byte }
	checkResponse struct{ data []byte }
)

func (rawCodec) Name() string                  { return "proto" }
func (rawCodec) Marshal(m any) ([]byte, error) { return m.(*checkRequest).data, nil }
func (rawCodec) Unmarshal(data []byte, m any) error {
	m.(*checkResponse).data = bytes.Clone(data)
	return nil
}

func TestTypedContents(t *testing.T) {
	for _, test := range []struct {
		kind serve.DataType
		n    int
		c    *pb.InferTensorContents
		want []byte
		err  string
	}{
		{kind: "FP64", n: 2, c: &pb.InferTensorContents{Fp64Contents: []float64{1, 2}}, want: le(1.0, 2.0)},
		{kind: "FP32", n: 1, c: &pb.InferTensorContents{Fp32Contents: []float32{0.1}}, want: le(float32(0.1))},
		{kind: "BOOL", n: 2, c: &pb.InferTensorContents{BoolContents: []bool{true, false}}, want: []byte{1, 0}},
		{kind: "INT8", n: 2, c: &pb.InferTensorContents{IntContents: []int32{-128, 127}}, want: []byte{0x80, 0x7f}},
		{kind: "INT16", n: 1, c: &pb.InferTensorContents{IntContents: []int32{-32768}}, want: le(int16(-32768))},
		{kind: "INT32", n: 1, c: &pb.InferTensorContents{IntContents: []int32{-1}}, want: le(int32(-1))},
		{kind: "INT64", n: 1, c: &pb.InferTensorContents{Int64Contents: []int64{1<<62 + 1}}, want: le(int64(1<<62 + 1))},
		{kind: "UINT8", n: 1, c: &pb.InferTensorContents{UintContents: []uint32{255}}, want: []byte{255}},
		{kind: "UINT32", n: 1, c: &pb.InferTensorContents{UintContents: []uint32{1<<32 - 1}}, want: le(uint32(1<<32 - 1))},
		{kind: "UINT64", n: 1, c: &pb.InferTensorContents{Uint64Contents: []uint64{1<<64 - 1}}, want: le(uint64(1<<64 - 1))},
		{kind: "BYTES", n: 2, c: &pb.InferTensorContents{BytesContents: [][]byte{[]byte("a"), {}}}, want: appendBytes(appendBytes(nil, "a"), "")},
		{kind: "FP64", n: 0, c: nil, want: []byte{}},
		{kind: "FP64", n: 1, c: nil, err: "disagree"},
		{kind: "FP64", n: 1, c: &pb.InferTensorContents{Fp64Contents: []float64{1, 2}}, err: "disagree"},
		{kind: "FP64", n: 1, c: &pb.InferTensorContents{Fp32Contents: []float32{1}}, err: "want fp64_contents"},
		{kind: "INT8", n: 1, c: &pb.InferTensorContents{IntContents: []int32{128}}, err: "no INT8"},
		{kind: "UINT16", n: 1, c: &pb.InferTensorContents{UintContents: []uint32{65536}}, err: "no UINT16"},
		{kind: "FP16", n: 1, c: &pb.InferTensorContents{Fp32Contents: []float32{1}}, err: "raw"},
	} {
		got, err := typed(test.kind, test.n, test.c)
		if test.err == "" && (err != nil || !bytes.Equal(got, test.want)) || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s %v: %x, %v, want %x %s", test.kind, test.c, got, err, test.want, test.err)
		}
	}
}

func TestGRPCErrors(t *testing.T) {
	b := servetest.New(3)
	client, log, _ := dial(t, b, Options{})
	ctx := context.Background()
	code := func(what string, want connect.Code, text string, change func(*pb.ModelInferRequest)) *connect.Error {
		t.Helper()
		r := asked("", 0.5, 0.25, 0.25)
		change(r)
		_, err := client.ModelInfer(ctx, r)
		var told *connect.Error
		if !errors.As(err, &told) || told.Code() != want || !strings.Contains(told.Message(), text) {
			t.Errorf("%s: %v, want %v and %q", what, err, want, text)
		}
		return told
	}
	parameter := func(r *pb.ModelInferRequest, name string, p *pb.InferParameter) {
		r.Parameters = map[string]*pb.InferParameter{name: p}
	}
	code("unknown model", connect.CodeNotFound, "no model", func(r *pb.ModelInferRequest) { r.ModelName = "no" })
	code("unknown version", connect.CodeNotFound, "no version", func(r *pb.ModelInferRequest) { r.ModelVersion = "7" })
	code("no inputs", connect.CodeInvalidArgument, "no inputs", func(r *pb.ModelInferRequest) { r.Inputs = nil })
	code("raw contents of more", connect.CodeInvalidArgument, "2 raw contents for 1", func(r *pb.ModelInferRequest) { r.RawInputContents = append(r.RawInputContents, nil) })
	code("both contents", connect.CodeInvalidArgument, "one of them", func(r *pb.ModelInferRequest) { r.Inputs[0].Contents = &pb.InferTensorContents{} })
	code("no contents", connect.CodeInvalidArgument, "disagree", func(r *pb.ModelInferRequest) { r.RawInputContents = nil })
	code("cut", connect.CodeInvalidArgument, "disagree", func(r *pb.ModelInferRequest) { r.RawInputContents[0] = r.RawInputContents[0][:23] })
	code("negative", connect.CodeInvalidArgument, "negative", func(r *pb.ModelInferRequest) { r.Inputs[0].Shape = []int64{-1, -3} })
	code("overflow", connect.CodeOutOfRange, "elements", func(r *pb.ModelInferRequest) { r.Inputs[0].Shape = []int64{1 << 62, 4} })
	code("datatype", connect.CodeInvalidArgument, "unknown datatype", func(r *pb.ModelInferRequest) { r.Inputs[0].Datatype = "FP7" })
	code("no value", connect.CodeInvalidArgument, "no value", func(r *pb.ModelInferRequest) { parameter(r, "x", &pb.InferParameter{}) })
	code("boolean id", connect.CodeInvalidArgument, "integer or a string", func(r *pb.ModelInferRequest) {
		parameter(r, "sequence_id", &pb.InferParameter{ParameterChoice: &pb.InferParameter_BoolParam{BoolParam: true}})
	})
	code("shared memory", connect.CodeInvalidArgument, "not served", func(r *pb.ModelInferRequest) {
		r.Outputs[0].Parameters = map[string]*pb.InferParameter{"shared_memory_region": {ParameterChoice: &pb.InferParameter_StringParam{StringParam: "x"}}}
	})
	code("a hundred thousand inputs", connect.CodeInvalidArgument, "more than 256", func(r *pb.ModelInferRequest) {
		for range 100_000 {
			r.Inputs = append(r.Inputs, &pb.ModelInferRequest_InferInputTensor{})
		}
	})
	if text := log.String(); text != "" {
		t.Errorf("logged: %s", text)
	}
	for _, test := range []struct {
		fault error
		code  connect.Code
		retry string
	}{
		{&serve.Error{Code: serve.Exhausted, Text: "a", Retry: 2500 * time.Millisecond}, connect.CodeResourceExhausted, "2500"},
		{serve.Errorf(serve.Unavailable, "a"), connect.CodeUnavailable, "1000"},
		{serve.Errorf(serve.Conflict, "a"), connect.CodeFailedPrecondition, ""},
		{&serve.Error{Code: serve.Aborted, Text: "a", Number: 81}, connect.CodeAborted, ""},
		{context.DeadlineExceeded, connect.CodeDeadlineExceeded, ""},
	} {
		b.Before = func(context.Context, *serve.Request) error { return test.fault }
		told := code(test.fault.Error(), test.code, "", func(*pb.ModelInferRequest) {})
		if got := told.Meta().Get("Grpc-Retry-Pushback-Ms"); got != test.retry {
			t.Errorf("%v: pushback %q", test.fault, got)
		}
		if got := told.Meta().Get(numHeader); (got == "81") != (test.code == connect.CodeAborted) {
			t.Errorf("%v: number %q", test.fault, got)
		}
	}
	b.Before = func(context.Context, *serve.Request) error { return errors.New("secret path") }
	code("fault", connect.CodeInternal, "its log says why", func(*pb.ModelInferRequest) {})
	b.Before = func(context.Context, *serve.Request) error { panic("secret bug") }
	code("panic", connect.CodeInternal, "its log says why", func(*pb.ModelInferRequest) {})
	if text := log.String(); !strings.Contains(text, "secret path") || !strings.Contains(text, "secret bug") {
		t.Errorf("log: %s", text)
	}
}

// Names of streams and keys come as metadata, too.
func TestGRPCMetadata(t *testing.T) {
	b := servetest.New(3)
	var seen serve.Sequence
	b.Before = func(_ context.Context, r *serve.Request) error {
		seen = r.Sequence
		return nil
	}
	client, _, _ := dial(t, b, Options{})
	ctx, info := connect.NewClientContext(context.Background())
	info.RequestHeader().Set("x-oatta-stream", "a")
	info.RequestHeader().Set("idempotency-key", "k")
	info.RequestHeader().Set("x-oatta-number", "81")
	if _, err := client.ModelInfer(ctx, asked("", 0.5, 0.25, 0.25)); err != nil || seen.ID != "a" || seen.Key != "k" || seen.Number != 81 {
		t.Errorf("%v, %v", seen, err)
	}
	if _, err := client.ModelInfer(ctx, asked("b", 0.5, 0.25, 0.25)); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("two streams: %v", err)
	}
}

// gRPC alone is spoken at its paths, and over HTTP/1.1 gRPC-Web.
func TestOtherProtocols(t *testing.T) {
	s := newTester(t, Options{})
	got, body := s.ask("POST", "/inference.GRPCInferenceService/ServerLive", "{}", nil)
	if got.StatusCode != http.StatusBadRequest || !strings.Contains(body, "application/grpc") {
		t.Errorf("JSON: %d %s", got.StatusCode, body)
	}
	got, _ = s.ask("POST", "/inference.GRPCInferenceService/ServerLive", "", headers("Content-Type", "application/grpc+json"))
	if got.StatusCode != http.StatusBadRequest {
		t.Errorf("gRPC with JSON: %d", got.StatusCode)
	}
	got, _ = s.ask("GET", "/inference.GRPCInferenceService/ServerLive", "", nil)
	if got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", got.StatusCode)
	}
	web := pb.NewGRPCInferenceServiceClient(http.DefaultClient, "http://"+listen(t, s.backend, Options{}), connect.WithGRPCWeb())
	if live, err := web.ServerLive(context.Background(), &pb.ServerLiveRequest{}); err != nil || !live.Live {
		t.Errorf("gRPC-Web: %v, %v", live, err)
	}
}
