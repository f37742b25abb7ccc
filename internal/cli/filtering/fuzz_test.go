package filtering

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
)

// Places that no run has written are refused before anybody goes there.
func TestPositionsOutOfRange(t *testing.T) {
	for _, text := range []string{
		`{"version":2}`, `{"version":1,"commits":-1}`, `[]`, `{"version":1,"inputs":[{"prefix":-1}]}`, `{"version":1,"inputs":[{"prefix":65537}]}`,
		`{"version":1,"inputs":[{"bytes":-5}]}`, `{"version":1,"inputs":[{"lines":-5}]}`, `{"version":1,"inputs":[{"output":{"size":-1}}]}`,
		`{"version":1,"inputs":[` + strings.Repeat(`{},`, MaxInputs) + `{}]}`, `{"version":1`,
	} {
		if p, err := ParsePosition(state.Position(text)); err == nil || !strings.HasPrefix(err.Error(), "the place in the input") {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
}

// FuzzParsePosition: what is taken can be used and is written as it was read.
func FuzzParsePosition(f *testing.F) {
	f.Add([]byte(`{"version":1,"commits":3,"times":"{}","inputs":[{"name":"a.csv","prefix":12,"sha256":"ab","bytes":12,"lines":2,"output":{"size":3}}],"runs":[{"run":"x"}]}`))
	f.Add([]byte(`{"version":1,"inputs":[{"prefix":-1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePosition(data)
		if err != nil {
			return
		}
		head := make([]byte, MaxPrefix)
		for _, in := range p.Inputs {
			Digest(head[:in.Prefix])
			in.Output.Fits("/dev/null")
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParsePosition(text)
		if err != nil || len(p.Inputs) != len(again.Inputs) || p.Commits != again.Commits {
			t.Errorf("%s: %+v, %v", text, again, err)
		}
	})
}

// FuzzParseSettings: settings that are taken make a filter or are refused, and are read again as they were written.
func FuzzParseSettings(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"gate":"ewma","paper":{"kappa":2}}`, `{"gate":"auto","auto":{"edition":1}}`, `{"prior":[0.2,0.8],"temperature":2}`,
		`{"population":{"transitions":[[1,0],[0,1]]}}`, `{"temperature":1e999}`, `{"prior":[]}`, `{} {}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSettings(data)
		if err != nil || s.Validate(2) != nil {
			return
		}
		filter, err := adapt.New(2, s)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(filter.Settings())
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseSettings(text)
		if err == nil {
			again, err = again.Resolved(2)
		}
		if err != nil || !reflect.DeepEqual(again, filter.Settings()) {
			t.Errorf("%s: %+v, %v", text, again, err)
		}
	})
}
