package oip

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
)

// consistent fails if a request that was taken is not what package serve promises of one.
func consistent(t *testing.T, o *Options, q *question, err error) {
	t.Helper()
	var told *serve.Error
	if err != nil {
		if !errors.As(err, &told) {
			t.Fatalf("an error that is not for clients: %v", err)
		}
		return
	}
	r := q.request
	if len(r.Inputs) == 0 || len(r.Inputs) > maxTensors || len(r.Sequence.ID) > maxName || r.Sequence.ID == "" && r.Sequence.Start {
		t.Fatalf("%+v", r)
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		n, err := o.elements(in.Shape)
		if err != nil || in.Name == "" || checkBinary(in.Type, n, in.Data) != nil {
			t.Fatalf("input %+v: %v", in, err)
		}
		text, err := appendData(nil, in)
		if err != nil || in.Type == "FP16" || in.Type == "BF16" {
			continue // these have no form in JSON
		}
		back, err := decodeJSON(in.Type, in.Shape, n, text)
		if err != nil || len(back) != len(in.Data) {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`{"inputs":[` + row + `]}`,
		`{"id":"a","parameters":{"sequence_id":18446744073709551615,"sequence_start":true,"oatta_time":[1.5,"2023-11-14T22:13:20Z"],"oatta_key":"k","timeout":5},"inputs":[{"name":"x","shape":[2,2],"datatype":"INT8","data":[[1,-2],[3,4]]},{"name":"y","shape":[2],"datatype":"BYTES","data":["a\u00e9","\\\""]}],"outputs":[{"name":"z","parameters":{"binary_data":true}}]}`,
		`{"inputs":[{"name":"x","shape":[4294967296,4294967296],"datatype":"FP32","data":[1]}]}`,
		`{"inputs":[{"name":"x","shape":[],"datatype":"BOOL","data":[true]}]}`,
		`{"inputs":[{"name":"x","shape":[0],"datatype":"FP32","data":["NaN"]}]}`,
	} {
		f.Add([]byte(text))
	}
	o := Options{MaxElements: 1000}.withDefaults()
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := o.decode(data, http.Header{})
		consistent(t, &o, q, err)
	})
}

func FuzzBinary(f *testing.F) {
	for _, kind := range []string{"FP64", "BYTES", "FP16"} {
		text, header := binaryRequest(`{"inputs":[{"name":"x","shape":[3],"datatype":"`+kind+`","parameters":{"binary_data_size":24}}]}`, le(0.5, 0.25, 0.25)...)
		f.Add([]byte(text), header.Get(lengthHeader))
	}
	f.Add([]byte(`{"inputs":[{"name":"x","shape":[3],"datatype":"FP64","parameters":{"binary_data_size":1099511627776}}]}`), "20")
	o := Options{MaxElements: 1000}.withDefaults()
	f.Fuzz(func(t *testing.T, data []byte, length string) {
		q, err := o.decode(data, headers(lengthHeader, length))
		consistent(t, &o, q, err)
	})
}

func FuzzGRPC(f *testing.F) {
	typed := asked("", 0.5, 0.25, 0.25)
	typed.RawInputContents = nil
	typed.Inputs[0].Contents = &pb.InferTensorContents{Fp64Contents: []float64{1, 2, 3}}
	for _, r := range []*pb.ModelInferRequest{asked("a", 0.5, 0.25, 0.25), typed, {}} {
		data, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	h := &Handler{o: Options{MaxElements: 1000, Log: slog.New(slog.DiscardHandler)}.withDefaults()}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r pb.ModelInferRequest
		if err := (boundedCodec{}).Unmarshal(data, &r); err != nil {
			return
		}
		who, err := h.o.Authorize(context.Background(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		q, err := (&call{h: h, header: http.Header{}, who: who}).question(&r)
		consistent(t, &h.o, q, err)
	})
}
