package oip

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
	"github.com/oatta/oatta/serve/servetest"
)

func TestBodyLimits(t *testing.T) {
	s := newTester(t, Options{MaxBody: 1000, MaxElements: 100})
	good := `{"inputs":[` + row + `]}`
	s.want(200, `{…`, "POST", inferPath, good+strings.Repeat(" ", 1000-len(good)), nil)
	s.refused(413, "more than 1000 bytes", good+strings.Repeat(" ", 1001-len(good)), nil)
	s.refused(413, "more than 100 elements", `{"inputs":[{"name":"probs","datatype":"FP64","shape":[101],"data":[1]}]}`, nil)

	// A body whose length nobody tells.
	r := httptest.NewRequest("POST", inferPath, io.MultiReader(strings.NewReader(good), strings.NewReader(strings.Repeat(" ", 1000))))
	r.ContentLength = -1
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Little of JSON that would become much in memory is refused at the count, not at the end.
func TestTensorBombs(t *testing.T) {
	s := newTester(t, Options{})
	const many = 1 << 20
	for what, body := range map[string]string{
		"tensors":    `{"inputs":[` + strings.Repeat("{},", many) + `{}]}`,
		"outputs":    `{"outputs":[` + strings.Repeat("{},", many) + `{}]}`,
		"parameters": `{"parameters":{` + manyParameters(1000) + `}}`,
		"sides":      `{"inputs":[{"name":"probs","datatype":"FP64","data":[1],"shape":[` + strings.Repeat("1,", 100) + `1]}]}`,
		"depth":      `{"inputs":` + strings.Repeat("[", many) + strings.Repeat("]", many) + `}`,
		"deep data":  `{"inputs":[{"name":"probs","datatype":"FP64","shape":[1],"data":` + strings.Repeat("[", many) + strings.Repeat("]", many) + `}]}`,
		"claimed":    `{"inputs":[{"name":"probs","datatype":"FP64","shape":[4096,4096],"data":[1]}]}`,
		"times":      `{"parameters":{"oatta_time":[` + strings.Repeat("1,", 2*many) + `1]},"inputs":[` + row + `]}`,
	} {
		allocated := testing.AllocsPerRun(1, func() {
			if got, text := s.ask("POST", inferPath, body, nil); got.StatusCode != 400 && got.StatusCode != 413 {
				t.Errorf("%s: %d %.200s", what, got.StatusCode, text)
			}
		})
		if allocated > 250_000 {
			t.Errorf("%s: %v allocations", what, allocated)
		}
	}
	s.unlogged()
}

func manyParameters(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"p%d":1,`, i)
	}
	return b.String() + `"last":1`
}

// block makes a backend whose requests wait until they are let go.
func block(b *servetest.Backend) (begun chan struct{}, let func()) {
	begun, stop := make(chan struct{}, 100), make(chan struct{})
	b.Before = func(ctx context.Context, _ *serve.Request) error {
		begun <- struct{}{}
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return begun, sync.OnceFunc(func() { close(stop) })
}

func TestRequestsAtOnce(t *testing.T) {
	s := newTester(t, Options{MaxRequests: 2, MaxStreams: 1})
	begun, let := block(s.backend)
	defer let()
	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() { s.want(200, `{…`, "POST", inferPath, `{"inputs":[`+row+`]}`, nil) })
	}
	<-begun
	<-begun
	got, body := s.ask("POST", inferPath, `{"inputs":[`+row+`]}`, nil)
	if got.StatusCode != 429 || got.Header.Get("Retry-After") != "1" || body != `{"error":"too many requests at once"}` {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	s.want(200, `{"live":true}`, "GET", "/v2/health/live", "", nil) // health has no limit
	let()
	asking.Wait()
	s.want(200, `{…`, "POST", inferPath, `{"inputs":[`+row+`]}`, nil)
}

func TestHeldBytes(t *testing.T) {
	s := newTester(t, Options{MaxHeld: 10_000})
	begun, let := block(s.backend)
	defer let()
	good := `{"inputs":[` + row + `]}`
	var asking sync.WaitGroup
	asking.Go(func() { s.want(200, `{…`, "POST", inferPath, good+strings.Repeat(" ", 8000), nil) })
	<-begun
	s.refused(429, "too many bytes", good+strings.Repeat(" ", 8000), nil)
	let()
	asking.Wait()
	s.want(200, `{…`, "POST", inferPath, good+strings.Repeat(" ", 8000), nil)
	if held := s.h.held.Load(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

// What waits in streaming calls, and what was compressed, is held, too.
func TestHeldBytesOverGRPC(t *testing.T) {
	b := servetest.New(3)
	begun, let := block(b)
	defer let()
	h, err := New(b, Options{MaxHeld: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + serveOn(t, h)
	client := pb.NewGRPCInferenceServiceClient(h2c(t), at, connect.WithGRPC())
	packing := pb.NewGRPCInferenceServiceClient(h2c(t), at, connect.WithGRPC(), connect.WithSendGzip())
	large := asked("", 0.5, 0.3, 0.2)
	large.Id = strings.Repeat("x", 8000)
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Send(large); err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := packing.ModelInfer(context.Background(), large); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("compressed: %v", err)
	}
	packed, err := packing.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := packed.Send(large); err != nil {
		t.Fatal(err)
	}
	if answer, err := packed.Receive(); err != nil || !strings.Contains(answer.ErrorMessage, "too many bytes") {
		t.Errorf("compressed, in a streaming call: %v, %v", answer, err)
	}
	if err := call.Send(large); err != nil {
		t.Fatal(err)
	}
	let()
	if answer, err := call.Receive(); err != nil || answer.ErrorMessage != "" {
		t.Errorf("what was held: %v, %v", answer, err)
	}
	for range 2 { // the second may have been turned away, or have come when the first was answered
		if _, err = call.Receive(); err != nil {
			break
		}
		if err := call.CloseRequest(); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.CloseRequest(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); h.held.Load() != 0; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("%d bytes are held", h.held.Load())
		}
	}
}

// Nobody makes up names of models for the metrics, by requests that are refused before the model is looked for.
func TestMetricsOfNamesMadeUp(t *testing.T) {
	registry := prometheus.NewRegistry()
	client, _, _ := dial(t, servetest.New(3), Options{Metrics: registry})
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"made up", "filter"} {
		r := asked("", 0.5, 0.3, 0.2)
		r.ModelName, r.RawInputContents = name, nil
		if err := call.Send(r); err != nil {
			t.Fatal(err)
		}
		if answer, err := call.Receive(); err != nil || answer.ErrorMessage == "" {
			t.Errorf("%v, %v", answer, err)
		}
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(families); strings.Contains(text, "made up") || !strings.Contains(text, `value:"filter"`) {
		t.Error(text)
	}
}

func TestStreamingCallsAtOnce(t *testing.T) {
	client, _, _ := dial(t, servetest.New(3), Options{MaxStreams: 1})
	first, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	send := func(call *connect.BidiStreamForClientSimple[pb.ModelInferRequest, pb.ModelStreamInferResponse]) error {
		if err := call.Send(asked("", 0.5, 0.3, 0.2)); err != nil {
			return err
		}
		_, err := call.Receive()
		return err
	}
	if err := send(first); err != nil {
		t.Fatal(err)
	}
	second, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := send(second); connect.CodeOf(err) != connect.CodeResourceExhausted && !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	if _, err := second.Receive(); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("%v", err)
	}
	if _, err := client.ModelInfer(context.Background(), asked("", 0.5, 0.3, 0.2)); err != nil {
		t.Errorf("plain requests have places of their own: %v", err)
	}
}

func TestGRPCLimits(t *testing.T) {
	client, _, _ := dial(t, servetest.New(3), Options{MaxBody: 10_000})
	r := asked("", 0.5, 0.3, 0.2)
	r.Id = strings.Repeat("x", 20_000)
	if _, err := client.ModelInfer(context.Background(), r); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("a message beyond the limit: %v", err)
	}
	// The same by compression.
	packing := pb.NewGRPCInferenceServiceClient(h2c(t), "http://"+listen(t, servetest.New(3), Options{MaxBody: 10_000}), connect.WithGRPC(), connect.WithSendGzip())
	if _, err := packing.ModelInfer(context.Background(), r); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("a bomb: %v", err)
	}
	r.Id = ""
	if _, err := packing.ModelInfer(context.Background(), r); err != nil {
		t.Errorf("compressed: %v", err)
	}
}

// Who sends a header or a body byte by byte is cut off; others are not.
func TestSlowClients(t *testing.T) {
	at := listen(t, servetest.New(3), Options{HeaderTimeout: 200 * time.Millisecond, ReadTimeout: 300 * time.Millisecond})
	for what, begin := range map[string]string{
		"header": "GET /v2/health/live HTTP/1.1\r\n",
		"body":   "POST " + inferPath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
	} {
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, begin); err != nil {
			t.Fatal(err)
		}
		go func() {
			for range 100 {
				if _, err := io.WriteString(conn, " "); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		start := time.Now()
		if err := conn.SetReadDeadline(start.Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: open after %v: %q, %v", what, took, answer, err)
		}
		if what == "body" && !strings.HasPrefix(string(answer), "HTTP/1.1 408") {
			t.Errorf("%s: %q", what, answer)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	client := pb.NewGRPCInferenceServiceClient(h2c(t), "http://"+at, connect.WithGRPC())
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // a streaming call may be silent
		if err := call.Send(asked("a", 0.5, 0.3, 0.2)); err != nil {
			t.Fatal(err)
		}
		if answer, err := call.Receive(); err != nil || answer.ErrorMessage != "" {
			t.Fatal(answer, err)
		}
		time.Sleep(400 * time.Millisecond)
	}
}

// A slow answer of the model is not the client's fault.
func TestSlowModel(t *testing.T) {
	b := servetest.New(3)
	b.Before = func(ctx context.Context, _ *serve.Request) error {
		select {
		case <-time.After(800 * time.Millisecond):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	at := listen(t, b, Options{ReadTimeout: 600 * time.Millisecond, WriteTimeout: 600 * time.Millisecond})
	for range 2 {
		response, err := http.Post("http://"+at+inferPath, "application/json", strings.NewReader(`{"inputs":[`+row+`]}`))
		if err != nil || response.StatusCode != 200 {
			t.Fatal(response, err)
		}
		if _, err := io.ReadAll(response.Body); err != nil {
			t.Error(err)
		}
		response.Body.Close()
	}
	client := pb.NewGRPCInferenceServiceClient(h2c(t), "http://"+at, connect.WithGRPC())
	if _, err := client.ModelInfer(context.Background(), asked("", 0.5, 0.3, 0.2)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := client.ModelInfer(ctx, asked("", 0.5, 0.3, 0.2)); connect.CodeOf(err) != connect.CodeDeadlineExceeded {
		t.Errorf("a deadline: %v", err)
	}
}

// keys lets in alice and bob, each with streams of their own, and an administrator.
func keys(_ context.Context, token string, _ *tls.ConnectionState) (*serve.Principal, error) {
	switch token {
	case "alice", "bob":
		return &serve.Principal{Name: token, Namespace: token, Models: []string{"filter"}}, nil
	case "other":
		return &serve.Principal{Name: token, Namespace: "alice", Models: []string{"another"}}, nil
	case "root":
		return &serve.Principal{Name: token, Models: []string{serve.AnyModel}, Admin: true}, nil
	}
	return nil, serve.Errorf(serve.Unauthenticated, "no key")
}

func as(token string, more ...string) http.Header {
	return headers(append(more, "Authorization", "Bearer "+token)...)
}

func TestAuthorization(t *testing.T) {
	s := newTester(t, Options{Authorize: keys, Metrics: prometheus.NewRegistry()})
	for pattern, r := range s.h.routes {
		verb, path, _ := strings.Cut(pattern, " ")
		path = strings.NewReplacer("{model}", "filter", "{version}", "1", "{id}", "a").Replace(path)
		status := func(header http.Header) int {
			if r.transport == "grpc" {
				header.Set("Content-Type", "application/grpc")
			}
			got, _ := s.ask(verb, path, "", header)
			if code := got.Header.Get("Grpc-Status") + got.Trailer.Get("Grpc-Status"); code != "" {
				return map[string]int{"16": 401, "7": 403}[code]
			}
			return got.StatusCode
		}
		none, plain := status(http.Header{}), status(as("alice"))
		if (none == 401) != (r.needs != nobody) || (plain == 403) != (r.needs == admin) {
			t.Errorf("%s: without a key %d, with one %d", pattern, none, plain)
		}
	}
	for _, header := range []http.Header{as("x"), headers("Authorization", "Basic alice"), headers("Authorization", "alice"), headers("Authorization", "Bearer alice", "Authorization", "Bearer bob")} {
		got, _ := s.ask("GET", "/v2", "", header)
		if got.StatusCode != 401 || got.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%v: %d", header, got.StatusCode)
		}
	}
	s.unlogged()
}

// No key reads, probes, changes or forgets what is another's, by any way in; what is not there and what is another's look alike.
func TestNamespaces(t *testing.T) {
	s := newTester(t, Options{Authorize: keys})
	const list = "/v2/models/filter/streams"
	for range 3 {
		s.want(200, `{…`, "POST", inferPath, streamRequest("a", "", 0.5, 0.3, 0.2), as("alice"))
	}
	_, before := s.ask("GET", list+"/a/state", "", as("alice"))
	s.want(200, `{"streams":[]}`, "GET", list, "", as("bob"))
	for _, other := range []string{"a", "no-such", "alice%2Fa", "..%2Falice%2Fa"} {
		s.want(404, `{"error":"no such stream"}`, "GET", list+"/"+other, "", as("bob"))
		s.want(404, `{"error":"no such stream"}`, "GET", list+"/"+other+"/state", "", as("bob"))
		s.want(404, `{"error":"no such stream"}`, "DELETE", list+"/"+other, "", as("bob"))
	}
	// The same name is another stream, by parameter and by header.
	_, fresh := s.ask("POST", inferPath, streamRequest("b", "", 0.5, 0.3, 0.2), as("bob"))
	_, parameter := s.ask("POST", inferPath, streamRequest("a", "", 0.5, 0.3, 0.2), as("bob"))
	_, header := s.ask("POST", inferPath, streamRequest("", "", 0.5, 0.3, 0.2), as("bob", "X-Oatta-Stream", "c"))
	if parameter != fresh || header != fresh {
		t.Errorf("%s\n%s\n%s", fresh, parameter, header)
	}
	s.refused(400, "differ", streamRequest("mine", "", 0.5, 0.3, 0.2), as("bob", "X-Oatta-Stream", "a"))
	s.want(204, "", "DELETE", list+"/a", "", as("bob"))
	if _, after := s.ask("GET", list+"/a/state", "", as("alice")); after != before {
		t.Error("the stream has changed")
	}
	// A model that a key may not use is not there, for none of the ways in.
	for _, path := range []string{"", "/ready", "/config", "/versions/1", "/streams", "/streams/a", "/streams/a/state"} {
		got, body := s.ask("GET", "/v2/models/filter"+path, "", as("other"))
		if got.StatusCode != 404 || !strings.Contains(body, "of a model") && body != `{"error":"no model \"filter\""}` {
			t.Errorf("%s: %d %s", path, got.StatusCode, body)
		}
	}
	s.want(404, `{"error":"no model \"filter\""}`, "POST", inferPath, streamRequest("a", "", 0.5, 0.3, 0.2), as("other"))
	s.want(200, `[]`, "POST", "/v2/repository/index", "", as("other"))
	s.unlogged()
}

func TestNamespacesOverGRPC(t *testing.T) {
	b := servetest.New(3)
	client, _, _ := dial(t, b, Options{Authorize: keys})
	ask := func(token string, r *pb.ModelInferRequest) (*pb.ModelInferResponse, error) {
		ctx, info := connect.NewClientContext(context.Background())
		info.RequestHeader().Set("Authorization", "Bearer "+token)
		return client.ModelInfer(ctx, r)
	}
	first, err := ask("alice", asked("a", 0.5, 0.3, 0.2))
	if err != nil {
		t.Fatal(err)
	}
	if other, err := ask("bob", asked("a", 0.5, 0.3, 0.2)); err != nil || string(other.RawOutputContents[0]) != string(first.RawOutputContents[0]) {
		t.Errorf("%v, %v", other, err)
	}
	if _, err := ask("other", asked("a", 0.5, 0.3, 0.2)); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("a model of others: %v", err)
	}
	if _, err := ask("", asked("a", 0.5, 0.3, 0.2)); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("no key: %v", err)
	}
	ctx, info := connect.NewClientContext(context.Background())
	info.RequestHeader().Set("Authorization", "Bearer alice")
	if _, err := client.RepositoryModelUnload(ctx, &pb.RepositoryModelUnloadRequest{ModelName: "filter"}); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("unload: %v", err)
	}
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	_ = call.Send(asked("a", 0.5, 0.3, 0.2)) // the server may be faster
	if _, err := call.Receive(); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("streaming without a key: %v", err)
	}
}

// A page in a browser, of another origin, asks nothing, with or without a preflight.
func TestCrossOrigin(t *testing.T) {
	s := newTester(t, Options{})
	for _, header := range []http.Header{headers("Sec-Fetch-Site", "cross-site"), headers("Origin", "https://evil.example")} {
		header.Set("Content-Type", "text/plain")
		s.want(403, `{"error":"a page of another origin may not ask this server"}`, "POST", "/v2/repository/models/filter/unload", "", header)
	}
	if !s.backend.Ready() {
		t.Error("unloaded")
	}
}

func TestMetrics(t *testing.T) {
	s := newTester(t, Options{Authorize: keys, Metrics: prometheus.NewRegistry()})
	s.want(200, `{…`, "POST", inferPath, `{"inputs":[`+row+`]}`, as("alice"))
	s.want(400, `{…`, "POST", inferPath, `{`, as("alice"))
	s.want(404, `{…`, "POST", "/v2/models/made-up/infer", `{"inputs":[`+row+`]}`, as("root"))
	s.want(404, `{…`, "GET", "/made-up", "", as("alice"))
	got, text := s.ask("GET", "/metrics", "", as("root"))
	if got.StatusCode != 200 {
		t.Fatal(got.StatusCode)
	}
	for _, line := range []string{
		`oatta_requests_total{code="ok",method="ModelInfer",model="filter",transport="rest"} 1`,
		`oatta_requests_total{code="invalid_argument",method="ModelInfer",model="",transport="rest"} 1`,
		`oatta_requests_total{code="not_found",method="ModelInfer",model="",transport="rest"} 1`,
		`oatta_requests_total{code="unimplemented",method="other",model="",transport="rest"} 1`,
		`oatta_request_seconds_count{method="ModelInfer",model="filter",transport="rest"} 1`,
		`oatta_requests_in_flight 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	if strings.Contains(text, "made-up") {
		t.Error("a client names a series")
	}
	if _, err := New(s.backend, Options{Metrics: s.h.o.Metrics}); err == nil {
		t.Error("two handlers in one registry")
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{MaxBody: -1}, {MaxBody: 1 << 31}, {MaxRequests: -1}, {ReadTimeout: -1}} {
		if _, err := New(servetest.New(3), o); err == nil {
			t.Errorf("%+v", o)
		}
	}
}
