package client

import (
	"reflect"
	"testing"
)

// Items of BYTES are each behind its length, and go by the name that models of their kind have for them.
func TestEncoded(t *testing.T) {
	data := []byte{2, 0, 0, 0, 0xc3, 0xa9, 0, 0, 0, 0}
	for name, in := range map[string]Input{"text": Texts("é", ""), "image": Images([]byte("é"), nil), "other": Encoded("other", []byte("é"), nil)} {
		if want := (Input{name: name, datatype: "BYTES", shape: []int64{2}, data: data}); !reflect.DeepEqual(in, want) {
			t.Errorf("%s: %+v, want %+v", name, in, want)
		}
	}
}
