package oip

import (
	"context"
	"math"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
	"github.com/oatta/oatta/serve/servetest"
)

// What is no number is refused by either transport, before anybody steps, and what is arrives with all its bits.
func TestNumbers(t *testing.T) {
	s := newTester(t, Options{})
	var seen []uint64
	s.backend.Before = func(_ context.Context, r *serve.Request) error {
		seen = append(seen, r.Sequence.Number)
		return nil
	}
	for _, text := range []string{
		`0`, `-1`, `-0`, `1.0`, `1e3`, `1e400`, `9223372036854775808`, `18446744073709551616`, `99999999999999999999999999`, `"7"`, `""`, `"NaN"`, `true`, `null`, `[1]`, `{}`,
	} {
		if got, body := s.ask("POST", inferPath, streamRequest("a", `,"oatta_number":`+text, 0.5, 0.25, 0.25), nil); got.StatusCode != 400 || !strings.Contains(body, "error") {
			t.Errorf("%s: %s %s", text, got.Status, body)
		}
	}
	s.want(200, `{…`, "POST", inferPath, streamRequest("a", `,"oatta_number":9223372036854775807`, 0.5, 0.25, 0.25), nil)
	if len(seen) != 1 || seen[0] != math.MaxInt64 {
		t.Errorf("the backend saw %d", seen)
	}

	b := servetest.New(3)
	seen = nil
	b.Before = s.backend.Before
	client, _, _ := dial(t, b, Options{})
	for what, p := range map[string]*pb.InferParameter{
		"negative": {ParameterChoice: &pb.InferParameter_Int64Param{Int64Param: math.MinInt64}},
		"zero":     {ParameterChoice: &pb.InferParameter_Uint64Param{}},
		"beyond":   {ParameterChoice: &pb.InferParameter_Uint64Param{Uint64Param: math.MaxUint64}},
		"string":   {ParameterChoice: &pb.InferParameter_StringParam{StringParam: "7"}},
		"double":   {ParameterChoice: &pb.InferParameter_DoubleParam{DoubleParam: 7}},
		"bool":     {ParameterChoice: &pb.InferParameter_BoolParam{BoolParam: true}},
		"nothing":  {},
	} {
		r := asked("a", 0.5, 0.25, 0.25)
		r.Parameters[numParameter] = p
		if _, err := client.ModelInfer(t.Context(), r); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
	}
	r := asked("a", 0.5, 0.25, 0.25)
	r.Parameters[numParameter] = &pb.InferParameter{ParameterChoice: &pb.InferParameter_Uint64Param{Uint64Param: 1<<53 + 1}}
	if _, err := client.ModelInfer(t.Context(), r); err != nil || len(seen) != 1 || seen[0] != 1<<53+1 {
		t.Errorf("%v, the backend saw %d", err, seen)
	}
}
