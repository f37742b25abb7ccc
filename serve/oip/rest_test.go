package oip

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/servetest"
)

const inferPath = "/v2/models/filter/infer"

// row is the JSON of an input of one row.
const row = `{"name":"probs","shape":[1,3],"datatype":"FP64","data":[0.5,0.25,0.25]}`

func TestMetadata(t *testing.T) {
	s := newTester(t, Options{Version: "1.2"})
	const model = `{"name":"filter","versions":["1"],"platform":"oatta_filter","inputs":[{"name":"probs","datatype":"FP64","shape":[-1,3]}],"outputs":[{"name":"adapted","datatype":"FP64","shape":[-1,3]},{"name":"label","datatype":"BYTES","shape":[-1]}]}`
	const config = `{"name":"filter","platform":"oatta_filter","backend":"oatta","max_batch_size":0,"input":[{"name":"probs","data_type":"TYPE_FP64","dims":[-1,3]}],"output":[{"name":"adapted","data_type":"TYPE_FP64","dims":[-1,3]},{"name":"label","data_type":"TYPE_STRING","dims":[-1]}],"sequence_batching":{},"model_transaction_policy":{"decoupled":false}}`
	s.want(200, `{"live":true}`, "GET", "/v2/health/live", "", nil)
	s.want(200, `{"ready":true}`, "GET", "/v2/health/ready", "", nil)
	s.want(200, `{"name":"oatta","version":"1.2","extensions":["binary_tensor_data","model_configuration","model_repository","parameters","sequence","statistics"]}`, "GET", "/v2", "", nil)
	s.want(200, model, "GET", "/v2/models/filter", "", nil)
	s.want(200, model, "GET", "/v2/models/filter/versions/1", "", nil)
	s.want(404, `{"error":"no version \"2\" of a model \"filter\""}`, "GET", "/v2/models/filter/versions/2", "", nil)
	s.want(404, `{"error":"no model \"x/y\""}`, "GET", "/v2/models/x%2Fy", "", nil)
	s.want(200, `{"ready":true}`, "GET", "/v2/models/filter/ready", "", nil)
	s.want(404, `{"error":"no model \"no\""}`, "GET", "/v2/models/no/ready", "", nil)
	s.want(200, config, "GET", "/v2/models/filter/config", "", nil)
	s.want(200, config, "GET", "/v2/models/filter/versions/1/config", "", nil)
	s.want(404, `{"error":"no such path"}`, "GET", "/v3", "", nil)
	s.want(404, `{"error":"no such path"}`, "GET", "/", "", nil)
	s.want(405, `{"error":"no such method for this path"}`, "GET", inferPath, "", nil)
	s.unlogged()
}

func TestRepository(t *testing.T) {
	s := newTester(t, Options{})
	s.want(200, `[{"name":"filter","version":"1","state":"READY"}]`, "POST", "/v2/repository/index", "", nil)
	s.want(400, `{"error":"parameter \"config\": a model is loaded from where the server was told, as it is"}`, "POST", "/v2/repository/models/filter/load", `{"parameters":{"config":"{}"}}`, nil)
	s.want(404, `{"error":"no model \"no\""}`, "POST", "/v2/repository/models/no/unload", "{}", nil)
	s.want(200, `{}`, "POST", "/v2/repository/models/filter/unload", `{"parameters":{"unload_dependents":false}}`, nil)
	s.want(200, `[{"name":"filter","version":"1","state":"UNAVAILABLE","reason":"unloaded"}]`, "POST", "/v2/repository/index", "{}", nil)
	s.want(200, `[]`, "POST", "/v2/repository/index", `{"ready":true}`, nil)
	s.want(503, `{"error":"not ready"}`, "GET", "/v2/health/ready", "", nil)
	s.want(503, `{"error":"model \"filter\" is not loaded"}`, "GET", "/v2/models/filter/ready", "", nil)
	s.refused(503, "not loaded", `{"inputs":[`+row+`]}`, nil)
	s.want(200, `{}`, "POST", "/v2/repository/models/filter/load", "", nil)
	s.want(200, `{"ready":true}`, "GET", "/v2/health/ready", "", nil)
	s.want(413, `{"error":"a request of more than 65536 bytes"}`, "POST", "/v2/repository/index", strings.Repeat(" ", maxSmall+1), nil)
}

func TestStatistics(t *testing.T) {
	s := newTester(t, Options{})
	const none = `{"count":0,"ns":0}`
	const stats = `{"success":` + none + `,"fail":` + none + `,"queue":` + none + `,"compute_input":` + none + `,"compute_infer":` + none + `,"compute_output":` + none + `,"cache_hit":` + none + `,"cache_miss":` + none + `}`
	const all = `{"model_stats":[{"name":"filter","version":"1","last_inference":0,"inference_count":0,"execution_count":0,"inference_stats":` + stats + `,"batch_stats":[]}]}`
	for _, path := range []string{"/v2/models/stats", "/v2/models/filter/stats", "/v2/models/filter/versions/1/stats"} {
		s.want(200, all, "GET", path, "", nil)
	}
	s.want(404, `{"error":"no model \"no\""}`, "GET", "/v2/models/no/stats", "", nil)
}

func TestInfer(t *testing.T) {
	s := newTester(t, Options{})
	const head = `{"model_name":"filter","model_version":"1","outputs":[`
	numbers, err := json.Marshal(servetest.Fresh(0.5, 0.25, 0.25))
	if err != nil {
		t.Fatal(err)
	}
	adapted := `{"name":"adapted","datatype":"FP64","shape":[1,3],"data":` + string(numbers) + `}`
	const label = `{"name":"label","datatype":"BYTES","shape":[1],"data":["class 0"]}`
	s.want(200, head+adapted+`,`+label+`]}`, "POST", inferPath, `{"inputs":[`+row+`]}`, nil)
	s.want(200, head+adapted+`,`+label+`]}`, "POST", "/v2/models/filter/versions/1/infer", `{"inputs":[`+row+`]}`, nil)
	s.want(200, head+label+`]}`, "POST", inferPath, `{"inputs":[`+row+`],"outputs":[{"name":"label"}]}`, nil)
	// The response has the request's id, and the parameters that are no stream's; what is unknown is passed over.
	s.want(200, `{"model_name":"filter","model_version":"1","id":"i<","parameters":{"a":9223372036854775807,"b":true,"c":0.5,"d":"x"},"outputs":[`+label+`]}`, "POST", inferPath,
		`{"id":"i<","unknown":[1],"parameters":{"d":"x","a":9223372036854775807,"b":true,"c":0.5,"timeout":1000000,"priority":1},"inputs":[`+row+`],"outputs":[{"name":"label"}]}`, nil)
	s.unlogged()
}

// binaryRequest is a body with binary data behind its JSON, and its headers.
func binaryRequest(text string, data ...byte) (string, http.Header) {
	return text + string(data), headers(lengthHeader, strconv.Itoa(len(text)), "Content-Type", "application/octet-stream")
}

func TestBinary(t *testing.T) {
	s := newTester(t, Options{})
	data, fresh := le(0.5, 0.25, 0.25), string(le(servetest.Fresh(0.5, 0.25, 0.25)...))
	const head = `{"name":"probs","shape":[1,3],"datatype":"FP64","parameters":{"binary_data_size":24}}`
	for _, test := range []struct{ outputs, json, binary string }{
		{
			`,"parameters":{"binary_data_output":true}`,
			`{"model_name":"filter","model_version":"1","outputs":[{"name":"adapted","datatype":"FP64","shape":[1,3],"parameters":{"binary_data_size":24}},{"name":"label","datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":11}}]}`,
			fresh + "\x07\x00\x00\x00class 0",
		},
		{
			`,"outputs":[{"name":"adapted","parameters":{"binary_data":true}},{"name":"label"}]`,
			`{"model_name":"filter","model_version":"1","outputs":[{"name":"adapted","datatype":"FP64","shape":[1,3],"parameters":{"binary_data_size":24}},{"name":"label","datatype":"BYTES","shape":[1],"data":["class 0"]}]}`,
			fresh,
		},
		{
			`,"parameters":{"binary_data_output":true},"outputs":[{"name":"label","parameters":{"binary_data":false}}]`,
			`{"model_name":"filter","model_version":"1","outputs":[{"name":"label","datatype":"BYTES","shape":[1],"data":["class 0"]}]}`, "",
		},
	} {
		body, header := binaryRequest(`{"inputs":[`+head+`]`+test.outputs+`}`, data...)
		got, text := s.ask("POST", inferPath, body, header)
		if got.StatusCode != 200 || text != test.json+test.binary {
			t.Errorf("%s: %d %q", test.outputs, got.StatusCode, text)
		}
		if length := got.Header.Get(lengthHeader); test.binary != "" && length != strconv.Itoa(len(test.json)) || test.binary == "" && length != "" {
			t.Errorf("%s: header %q", test.outputs, length)
		}
	}
	refuse := func(text, body string, header http.Header) {
		t.Helper()
		s.refused(400, text, body, header)
	}
	good := `{"inputs":[` + head + `]}`
	body, header := binaryRequest(good, data[:23]...)
	refuse("24 bytes, but 23 follow", body, header)
	body, header = binaryRequest(good, append(data, 0)...)
	refuse("left over", body, header)
	refuse("of a body of", good, headers(lengthHeader, "1000"))
	refuse("of a body of", good, headers(lengthHeader, "-1"))
	refuse("JSON", good, headers(lengthHeader, "20"))
	body, header = binaryRequest(strings.Replace(good, "24", "1099511627776", 1), data...)
	refuse("1099511627776 bytes, but", body, header)
	body, header = binaryRequest(strings.Replace(good, "24", "-24", 1), data...)
	refuse("want a number of bytes", body, header)
	body, header = binaryRequest(strings.Replace(good, "24", "16", 1), data[:16]...)
	refuse("disagree", body, header)
	body, header = binaryRequest(strings.Replace(good, `"parameters"`, `"data":[1],"parameters"`, 1), data...)
	refuse("one of them", body, header)
	body, header = binaryRequest(strings.Replace(good, "FP64", "BYTES", 1), data...)
	refuse("element", body, header)
	s.unlogged()
}

func TestInferRefuses(t *testing.T) {
	s := newTester(t, Options{})
	with := func(old, new string) string { return `{"inputs":[` + strings.Replace(row, old, new, 1) + `]}` }
	for _, test := range []struct {
		status     int
		want, body string
	}{
		{400, "JSON", ""},
		{400, "JSON", "{"},
		{400, "JSON", `[]`},
		{400, "JSON", `{"inputs":[` + row + `]} x`},
		{400, "JSON", `{"inputs":[` + row + `],"inputs":[` + row + `]}`},
		{400, "JSON", "{\"id\":\"\xff\",\"inputs\":[" + row + "]}"},
		{400, "no inputs", `{}`},
		{400, "no inputs", `{"inputs":[]}`},
		{400, "no inputs", `{"inputs":null}`},
		{400, "want [", `{"inputs":{}}`},
		{400, "given twice", `{"inputs":[` + row + `,` + row + `]}`},
		{400, "no data", with(`,"data":[0.5,0.25,0.25]`, "")},
		{400, "want an array", with(`[0.5,0.25,0.25]`, "null")},
		{400, "disagree", with(`[1,3]`, "[2,3]")},
		{400, "negative", with(`[1,3]`, "[-1,-3]")},
		{413, "more than 16777216 elements", with(`[1,3]`, "[4294967296,4294967296]")},
		{400, "JSON", with(`[1,3]`, "[1.5,2]")},
		{400, "JSON", with(`[1,3]`, "[1e2]")},
		{400, "unknown datatype", with("FP64", "FP7")},
		{400, "unknown datatype", with("FP64", "")},
		{400, "no name", with("probs", "")},
		{400, "want one input", with("probs", "nosuch")},
		{400, "no number", with("[0.5,0.25,0.25]", `["a","b","c"]`)},
		{400, "row 0", with("[0.5,0.25,0.25]", `["NaN",0,0]`)},
		{400, "no output", `{"inputs":[` + row + `],"outputs":[{"name":"nosuch"}]}`},
		{400, "asked for twice", `{"inputs":[` + row + `],"outputs":[{"name":"label"},{"name":"label"}]}`},
		{400, "not served", `{"inputs":[` + row + `],"outputs":[{"name":"label","parameters":{"classification":3}}]}`},
		{400, "not served", with(`"data"`, `"parameters":{"shared_memory_region":"x"},"data"`)},
		{400, "beyond 64 bits", `{"parameters":{"sequence_id":18446744073709551616},"inputs":[` + row + `]}`},
		{400, "want an integer or a string", `{"parameters":{"sequence_id":1.5},"inputs":[` + row + `]}`},
		{400, "want a boolean, a number or a string", `{"parameters":{"x":{}},"inputs":[` + row + `]}`},
		{400, "want microseconds", `{"parameters":{"timeout":"x"},"inputs":[` + row + `]}`},
		{400, "want true or false", `{"parameters":{"binary_data_output":1},"inputs":[` + row + `]}`},
		{400, "2 times for 1 rows", `{"parameters":{"oatta_time":[1,"1970-01-01T00:00:02Z"]},"inputs":[` + row + `]}`},
	} {
		s.refused(test.status, test.want, test.body, nil)
	}
	s.refused(400, "differ", `{"parameters":{"sequence_id":"a"},"inputs":[`+row+`]}`, headers("X-Oatta-Stream", "b"))
	s.refused(400, "content encoding", `{}`, headers("Content-Encoding", "br"))
	s.refused(400, "decompressed", `{}`, headers("Content-Encoding", "gzip"))
	s.unlogged()
	if list, err := s.backend.List(context.Background(), "filter", "", "", 10); err != nil || len(list) > 0 {
		t.Errorf("streams %v, %v", list, err)
	}
}

func compressed(t *testing.T, how, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if how == "deflate" {
		w = zlib.NewWriter(&b)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompressedBodies(t *testing.T) {
	s := newTester(t, Options{MaxDecoded: 64 << 10})
	for _, how := range []string{"gzip", "deflate", "GZIP"} {
		header := headers("Content-Encoding", how)
		text, binary := binaryRequest(`{"inputs":[`+strings.Replace(row, `"data":[0.5,0.25,0.25]`, `"parameters":{"binary_data_size":24}`, 1)+`]}`, le(0.5, 0.25, 0.25)...)
		s.want(200, `{"model_name":…`, "POST", inferPath, compressed(t, how, `{"inputs":[`+row+`]}`), header)
		header.Set(lengthHeader, binary.Get(lengthHeader))
		s.want(200, `{"model_name":…`, "POST", inferPath, compressed(t, how, text), header)
		header.Del(lengthHeader)
		whole := compressed(t, how, `{"inputs":[`+row+`]}`)
		s.refused(400, "decompressed", whole[:len(whole)-6], header)
		// A bomb: it is given up at the limit.
		s.refused(413, "when decompressed", compressed(t, how, strings.Repeat(" ", 16<<20)), header)
	}
}

// streamRequest is a request for a step of a stream.
func streamRequest(id, more string, probs ...float64) string {
	return fmt.Sprintf(`{"parameters":{"sequence_id":%q%s},"inputs":[{"name":"probs","shape":[1,3],"datatype":"FP64","data":[%v,%v,%v]}],"outputs":[{"name":"adapted"}]}`, id, more, probs[0], probs[1], probs[2])
}

func TestStreamOperations(t *testing.T) {
	s := newTester(t, Options{})
	for i := range 5 {
		s.want(200, `{…`, "POST", inferPath, streamRequest(fmt.Sprint("s", i%3), "", 0.5, 0.3, 0.2), nil)
	}
	const list = "/v2/models/filter/streams"
	s.want(200, `{"streams":[{"id":"s0","items":2,…`, "GET", list, "", nil)
	_, page := s.ask("GET", list+"?limit=2", "", nil)
	if !strings.HasSuffix(page, `,"next":"s1"}`) {
		t.Errorf("page %s", page)
	}
	s.want(200, `{"streams":[{"id":"s2","items":1,…`, "GET", list+"?after=s1", "", nil)
	s.want(400, `{"error":"limit…`, "GET", list+"?limit=0", "", nil)
	s.want(400, `{"error":"limit…`, "GET", list+"?limit=10001", "", nil)
	s.want(404, `{"error":"no model…`, "GET", "/v2/models/no/streams", "", nil)
	s.want(200, `{"id":"s0","items":2,…`, "GET", list+"/s0", "", nil)
	s.want(404, `{"error":"no such stream"}`, "GET", list+"/s9", "", nil)

	got, snapshot := s.ask("GET", list+"/s0/state", "", nil)
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("export: %d", got.StatusCode)
	}
	octets := headers("Content-Type", "application/octet-stream")
	s.want(204, "", "PUT", list+"/a%2Fb%20%C3%A9/state", snapshot, octets)
	s.want(409, `{"error":"there is such a stream"}`, "PUT", list+"/a%2Fb%20%C3%A9/state", snapshot, octets)
	s.want(400, `{"error":…`, "PUT", list+"/x/state", snapshot[:40], octets)
	// Both go on with the same numbers.
	_, one := s.ask("POST", inferPath, streamRequest("s0", "", 0.1, 0.3, 0.6), nil)
	_, other := s.ask("POST", inferPath, streamRequest("a/b é", "", 0.1, 0.3, 0.6), nil)
	if one != other {
		t.Errorf("%s\n%s", one, other)
	}
	s.want(204, "", "DELETE", list+"/a%2Fb%20%C3%A9", "", nil)
	s.want(404, `{"error":"no such stream"}`, "DELETE", list+"/a%2Fb%20%C3%A9", "", nil)
	s.want(404, `{"error":"no such stream"}`, "GET", list+"/s9/state", "", nil)
	s.want(400, `{"error":"stream: more than 512 bytes"}`, "GET", list+"/"+strings.Repeat("x", 513), "", nil)
	s.unlogged()
}

func TestErrors(t *testing.T) {
	s := newTester(t, Options{})
	var fault error
	s.backend.Before = func(ctx context.Context, r *serve.Request) error {
		if fault == nil {
			<-ctx.Done()
			return ctx.Err()
		}
		return fault
	}
	good := `{"inputs":[` + row + `]}`
	for _, test := range []struct {
		fault  error
		status int
		text   string
		retry  string
	}{
		{serve.Errorf(serve.InvalidArgument, "a"), 400, "a", ""},
		{serve.Errorf(serve.Unauthenticated, "a"), 401, "a", ""},
		{serve.Errorf(serve.PermissionDenied, "a"), 403, "a", ""},
		{serve.Errorf(serve.NotFound, "a"), 404, "a", ""},
		{serve.Errorf(serve.Conflict, "a"), 409, "a", ""},
		{&serve.Error{Code: serve.Aborted, Text: "a", Number: 81}, 409, "a", ""},
		{serve.Errorf(serve.TooLarge, "a"), 413, "a", ""},
		{serve.Errorf(serve.Exhausted, "a"), 429, "a", "1"},
		{&serve.Error{Code: serve.Exhausted, Text: "a", Retry: 2500 * time.Millisecond}, 429, "a", "3"},
		{&serve.Error{Code: serve.Unavailable, Text: "a", Retry: time.Minute}, 503, "a", "60"},
		{fmt.Errorf("wrapped: %w", serve.Errorf(serve.Conflict, "a")), 409, "a", ""},
		{context.DeadlineExceeded, 504, "no answer within", ""},
		{context.Canceled, 499, "the request was given up", ""},
	} {
		fault = test.fault
		got, body := s.ask("POST", inferPath, good, nil)
		if got.StatusCode != test.status || !strings.HasPrefix(body, `{"error":"`+test.text) || got.Header.Get("Retry-After") != test.retry {
			t.Errorf("%v: %d %s, Retry-After %q", test.fault, got.StatusCode, body, got.Header.Get("Retry-After"))
		}
		if told := (*serve.Error)(nil); (got.Header.Get(numHeader) == "81") != (errors.As(test.fault, &told) && told.Code == serve.Aborted) {
			t.Errorf("%v: number %q", test.fault, got.Header.Get(numHeader))
		}
	}
	s.unlogged()
	fault = nil
	s.refused(504, "no answer within", strings.Replace(good, "{", `{"parameters":{"timeout":1000},`, 1), nil)
	s.unlogged()

	fault = errors.New("secret path")
	s.want(500, `{"error":"the server failed; its log says why"}`, "POST", inferPath, good, nil)
	if text := s.log.String(); !strings.Contains(text, "secret path") || strings.Contains(text, "0.25,") {
		t.Errorf("log: %s", text)
	}
	s.backend.Before = func(context.Context, *serve.Request) error { panic("secret bug") }
	s.want(500, `{"error":"the server failed; its log says why"}`, "POST", inferPath, good, nil)
	if text := s.log.String(); !strings.Contains(text, "secret bug") || !strings.Contains(text, "rest_test.go") {
		t.Errorf("log: %s", text)
	}
}

func TestBigIdentifiers(t *testing.T) {
	s := newTester(t, Options{})
	var seen []string
	s.backend.Before = func(_ context.Context, r *serve.Request) error {
		seen = append(seen, r.Sequence.ID)
		return nil
	}
	for _, id := range []string{"4611686018427387905", "4611686018427387906", "18446744073709551615", "-9223372036854775808"} {
		s.want(200, `{…`, "POST", inferPath, `{"parameters":{"sequence_id":`+id+`},"inputs":[`+row+`]}`, nil)
		if last := seen[len(seen)-1]; last != id {
			t.Errorf("%s came as %s", id, last)
		}
	}
}

// The answer of a random vector has the bits of the filter's, whichever way it came.
func TestExactNumbers(t *testing.T) {
	s := newTester(t, Options{})
	const probs = `[0.1234567890123456,0.30000000000000004,0.5765432109876544]`
	_, text := s.ask("POST", inferPath, `{"inputs":[{"name":"probs","shape":[1,3],"datatype":"FP64","data":`+probs+`}],"outputs":[{"name":"adapted"}]}`, nil)
	body, header := binaryRequest(`{"parameters":{"binary_data_output":true},"inputs":[{"name":"probs","shape":[1,3],"datatype":"FP64","parameters":{"binary_data_size":24}}],"outputs":[{"name":"adapted"}]}`,
		le(0.1234567890123456, 0.30000000000000004, 0.5765432109876544)...)
	_, binary := s.ask("POST", inferPath, body, header)
	var answer struct {
		Outputs []struct{ Data []float64 }
	}
	if err := json.Unmarshal([]byte(text), &answer, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if want := string(le(answer.Outputs[0].Data...)); !strings.HasSuffix(binary, want) {
		t.Errorf("%s\n%q", text, binary)
	}
}
