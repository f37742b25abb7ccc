package cluster

import (
	"reflect"
	"testing"
	"time"

	"github.com/oatta/oatta/serve"
)

// What a member asks arrives as it was, whatever bytes are in its text.
func TestQuestions(t *testing.T) {
	r := request(3, 4)
	r.Sequence.Times, r.Sequence.Start = []time.Time{time.Date(2024, 5, 1, 21, 0, 0, 123456789, time.FixedZone("", 7200))}, true
	r.Sequence.Number = 1<<63 - 1
	r.Inputs = append(r.Inputs, serve.Tensor{Name: "empty", Type: serve.Bytes, Shape: []int64{0}})
	q := questionOf(r)
	data, err := encode(q, q.data)
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeQuestion(data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := back.request()
	if err != nil || !got.Sequence.Times[0].Equal(r.Sequence.Times[0]) || got.Sequence.Times[0].Format(time.RFC3339Nano) != r.Sequence.Times[0].Format(time.RFC3339Nano) {
		t.Fatal(err, got)
	}
	got.Sequence.Times, got.Inputs[1].Data = r.Sequence.Times, nil
	if !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, want %+v", got, r)
	}
}

func FuzzQuestion(f *testing.F) {
	q := questionOf(request(1, 2))
	data, err := encode(q, q.data)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := decodeQuestion(data)
		if err != nil {
			return
		}
		if r, err := q.request(); err == nil {
			for _, in := range r.Inputs {
				if len(in.Data) > len(data) {
					t.Error("more data than came")
				}
			}
		}
	})
}
