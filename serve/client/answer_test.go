package client

import (
	"encoding/binary"
	"net/http"
	"strconv"
	"testing"
)

// FuzzAnswer: whatever comes in place of an answer is an answer or an error, and never much memory for few bytes.
func FuzzAnswer(f *testing.F) {
	add := func(text string, data ...byte) { f.Add(len(text), []byte(text+string(data))) }
	add(`{"model_name":"m","model_version":"1","parameters":{"oatta_dropped":"0,2"},"outputs":[{"name":"adapted","datatype":"FP64","shape":[1,1],"parameters":{"binary_data_size":8}}]}`, make([]byte, 8)...)
	add(`{"outputs":[{"name":"label","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":9}}]}`, append(binary.LittleEndian.AppendUint32(nil, 1), 'a', 0, 0, 0, 0)...)
	add(`{"outputs":[{"name":"class","datatype":"INT64","shape":[1],"parameters":{"binary_data_size":8}},{"name":"gate","datatype":"FP64","shape":[0]}]}`, make([]byte, 8)...)
	add(`{"outputs":[{"name":"label","datatype":"BYTES","shape":[1073741824],"parameters":{"binary_data_size":0}}]}`)
	f.Fuzz(func(t *testing.T, length int, body []byte) {
		r := &reply{header: http.Header{}, body: body}
		r.header.Set(lengthHeader, strconv.Itoa(length))
		a, err := decodeAnswer(r)
		if err == nil && 8*len(a.Class)+8*len(a.Gate)+4*len(a.Label) > 4*len(body) {
			t.Errorf("%d classes, %d gates and %d labels of %d bytes", len(a.Class), len(a.Gate), len(a.Label), len(body))
		}
	})
}
