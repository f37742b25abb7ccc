package oip

import (
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/serve"
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestSequence(t *testing.T) {
	long := strings.Repeat("x", maxName+1)
	for _, test := range []struct {
		what       string
		parameters map[string]any
		header     http.Header
		want       serve.Sequence
		err        string
	}{
		{what: "none"},
		{what: "integer", parameters: map[string]any{"sequence_id": int64(7), "sequence_start": true}, want: serve.Sequence{ID: "7", Start: true}},
		{what: "beyond 2^53", parameters: map[string]any{"sequence_id": int64(1<<62 + 1)}, want: serve.Sequence{ID: "4611686018427387905"}},
		{what: "uint64", parameters: map[string]any{"sequence_id": uint64(math.MaxUint64), "sequence_end": true}, want: serve.Sequence{ID: "18446744073709551615", End: true}},
		{what: "negative", parameters: map[string]any{"sequence_id": int64(-1)}, want: serve.Sequence{ID: "-1"}},
		{what: "text", parameters: map[string]any{"sequence_id": "camera-é/1"}, want: serve.Sequence{ID: "camera-é/1"}},
		{what: "0 is none", parameters: map[string]any{"sequence_id": int64(0), "sequence_start": true, "sequence_end": true}},
		{what: "the text 0 is one", parameters: map[string]any{"sequence_id": "0"}, want: serve.Sequence{ID: "0"}},
		{what: "the empty text is none", parameters: map[string]any{"sequence_id": ""}},
		{what: "header", header: headers("X-Oatta-Stream", "a"), parameters: map[string]any{"sequence_start": true}, want: serve.Sequence{ID: "a", Start: true}},
		{what: "both, the same", header: headers("X-Oatta-Stream", "7"), parameters: map[string]any{"sequence_id": int64(7)}, want: serve.Sequence{ID: "7"}},
		{what: "0 and a header", header: headers("X-Oatta-Stream", "7"), parameters: map[string]any{"sequence_id": int64(0)}, want: serve.Sequence{ID: "7"}},
		{what: "both, different", header: headers("X-Oatta-Stream", "8"), parameters: map[string]any{"sequence_id": int64(7)}, err: "differ"},
		{what: "two headers", header: headers("X-Oatta-Stream", "8", "X-Oatta-Stream", "8"), err: "twice"},
		{what: "Latin-1", header: headers("X-Oatta-Stream", "caf\xe9"), err: "UTF-8"},
		{what: "UTF-8", header: headers("X-Oatta-Stream", "café"), want: serve.Sequence{ID: "café"}},
		{what: "too long", parameters: map[string]any{"sequence_id": long}, err: "more than"},
		{what: "control", parameters: map[string]any{"sequence_id": "a\nb"}, err: "control"},
		{what: "boolean id", parameters: map[string]any{"sequence_id": true}, err: "want an integer or a string"},
		{what: "float id", parameters: map[string]any{"sequence_id": 7.0}, err: "want an integer or a string"},
		{what: "start is a number", parameters: map[string]any{"sequence_id": "a", "sequence_start": int64(1)}, err: "true or false"},
		{what: "key", parameters: map[string]any{"oatta_key": "k"}, want: serve.Sequence{Key: "k"}},
		{what: "key header", header: headers("Idempotency-Key", `"k"`), parameters: map[string]any{"oatta_key": "k"}, want: serve.Sequence{Key: "k"}},
		{what: "keys differ", header: headers("Idempotency-Key", "l"), parameters: map[string]any{"oatta_key": "k"}, err: "differ"},
		{what: "number", parameters: map[string]any{"oatta_number": int64(1)}, want: serve.Sequence{Number: 1}},
		{what: "the greatest number", header: headers("X-Oatta-Number", "9223372036854775807"), parameters: map[string]any{"oatta_number": uint64(math.MaxInt64)}, want: serve.Sequence{Number: math.MaxInt64}},
		{what: "number header", header: headers("X-Oatta-Number", "81"), want: serve.Sequence{Number: 81}},
		{what: "numbers differ", header: headers("X-Oatta-Number", "81"), parameters: map[string]any{"oatta_number": int64(82)}, err: "differ"},
		{what: "two numbers", header: headers("X-Oatta-Number", "81", "X-Oatta-Number", "82"), err: "twice"},
		{what: "number 0", parameters: map[string]any{"oatta_number": int64(0)}, err: "whole number"},
		{what: "negative number", parameters: map[string]any{"oatta_number": int64(-1)}, err: "whole number"},
		{what: "number beyond", parameters: map[string]any{"oatta_number": uint64(1 << 63)}, err: "whole number"},
		{what: "number of a string", parameters: map[string]any{"oatta_number": "7"}, err: "whole number"},
		{what: "number of a fraction", parameters: map[string]any{"oatta_number": 7.0}, err: "whole number"},
		{what: "number of true", parameters: map[string]any{"oatta_number": true}, err: "whole number"},
		{what: "number of nothing", parameters: map[string]any{"oatta_number": nil}, err: "whole number"},
		{what: "empty number header", header: headers("X-Oatta-Number", ""), err: "whole number"},
		{what: "header 0", header: headers("X-Oatta-Number", "0"), err: "whole number"},
		{what: "header -1", header: headers("X-Oatta-Number", "-1"), err: "whole number"},
		{what: "header +1", header: headers("X-Oatta-Number", "+1"), err: "whole number"},
		{what: "header 01", header: headers("X-Oatta-Number", "01"), err: "whole number"},
		{what: "header 1e3", header: headers("X-Oatta-Number", "1e3"), err: "whole number"},
		{what: "header beyond", header: headers("X-Oatta-Number", "18446744073709551616"), err: "whole number"},
		{what: "header of another script", header: headers("X-Oatta-Number", "٧"), err: "whole number"},
		{what: "time", parameters: map[string]any{"oatta_time": 1.5}, want: serve.Sequence{Times: []time.Time{time.Unix(1, 5e8).UTC()}}},
		{what: "no time", parameters: map[string]any{"oatta_time": true}, err: "oatta_time"},
	} {
		got, err := sequence(test.parameters, test.header)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v, want %q in it", test.what, err, test.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v, want %+v", test.what, got, err, test.want)
		}
		if len(test.parameters) > 0 {
			t.Errorf("%s: left over %v", test.what, test.parameters)
		}
	}
}

func TestTimes(t *testing.T) {
	at := func(seconds, nanos int64) time.Time { return time.Unix(seconds, nanos).UTC() }
	for _, test := range []struct {
		value any
		want  []time.Time
	}{
		{int64(1700000000), []time.Time{at(1700000000, 0)}},
		{uint64(1700000000), []time.Time{at(1700000000, 0)}},
		{1700000000.25, []time.Time{at(1700000000, 250_000_000)}},
		{"1700000000.123456789", []time.Time{at(1700000000, 123456789)}},
		{"1700000000.1234567899", []time.Time{at(1700000000, 123456789)}},
		{"-1.5", []time.Time{at(-1, -500_000_000)}},
		{"-0.5", []time.Time{at(0, -500_000_000)}},
		{"1.7e9", []time.Time{at(1700000000, 0)}},
		{"2023-11-14T22:13:20Z", []time.Time{at(1700000000, 0)}},
		{"2023-11-14T23:13:20.5+01:00", []time.Time{at(1700000000, 500_000_000)}},
		{`[1700000000, "2023-11-14T22:13:20Z", 0.5]`, []time.Time{at(1700000000, 0), at(1700000000, 0), at(0, 500_000_000)}},
		{"[]", nil},
		{"", nil},
		{"now", nil},
		{"1.x", nil},
		{"1e300", nil},
		{"NaN", nil},
		{math.Inf(1), nil},
		{math.NaN(), nil},
		{"[1", nil},
		{"[1,[2]]", nil},
		{"[null]", nil},
		{"[1]x", nil},
		{int64(math.MaxInt64), nil},
		{int64(math.MinInt64), nil},
		{true, nil},
		{"0001-01-01T00:00:00Z", nil},
		{"253402300800", nil},
	} {
		got, err := times(test.value)
		if test.want == nil && test.value != "[]" {
			if err == nil {
				t.Errorf("%v: %v", test.value, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: %v, %v, want %v", test.value, got, err, test.want)
		}
	}
}
