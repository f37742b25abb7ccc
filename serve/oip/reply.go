package oip

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/oatta/oatta/serve"
)

// write answers a question over REST.
func (q *question) write(w http.ResponseWriter, r *serve.Response) error {
	text, binary, err := q.encode(r)
	if err != nil {
		return err
	}
	if binary == nil {
		return send(w, http.StatusOK, "application/json", text)
	}
	w.Header().Set(lengthHeader, strconv.Itoa(len(text)))
	return send(w, http.StatusOK, "application/octet-stream", text, binary...)
}

// encode makes the JSON of a response, and the data of the outputs that are wanted as binary data, which may be none but not nil.
func (q *question) encode(r *serve.Response) (text []byte, binary [][]byte, err error) {
	text = append(text, `{"model_name":`...)
	text = appendText(text, r.Model)
	text = append(text, `,"model_version":`...)
	text = appendText(text, r.Version)
	if r.ID != "" {
		text = append(text, `,"id":`...)
		text = appendText(text, r.ID)
	}
	if len(r.Parameters) > 0 {
		text = append(text, `,"parameters":`...)
		parameters, err := json.Marshal(r.Parameters, json.Deterministic(true))
		if err != nil {
			return nil, nil, err
		}
		text = append(text, parameters...)
	}
	text = append(text, `,"outputs":[`...)
	for i := range r.Outputs {
		if i > 0 {
			text = append(text, ',')
		}
		t := &r.Outputs[i]
		text = appendHeader(text, t)
		if q.wantsBinary(t.Name) {
			text = append(text, `,"parameters":{"binary_data_size":`...)
			text = append(strconv.AppendInt(text, int64(len(t.Data)), 10), '}')
			binary = append(binary, t.Data)
		} else {
			text = append(text, `,"data":`...)
			if text, err = appendData(text, t); err != nil {
				return nil, nil, err
			}
		}
		text = append(text, '}')
	}
	return append(text, `]}`...), binary, nil
}

func (q *question) wantsBinary(output string) bool {
	if binary, asked := q.asked[output]; asked {
		return binary
	}
	return q.binary
}

// appendHeader appends an output's object, up to what its data are.
func appendHeader(dst []byte, t *serve.Tensor) []byte {
	dst = append(dst, `{"name":`...)
	dst = appendText(dst, t.Name)
	dst = append(dst, `,"datatype":`...)
	dst = appendText(dst, string(t.Type))
	dst = append(dst, `,"shape":[`...)
	for i, side := range t.Shape {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, side, 10)
	}
	return append(dst, ']')
}

// appendText appends a string of JSON. Names that a manifest gave may be no UTF-8: what is not is replaced.
func appendText(dst []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(dst, text)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return quoted
}

// send writes an answer whose length is known.
func send(w http.ResponseWriter, status int, kind string, first []byte, more ...[]byte) error {
	length := len(first)
	for _, part := range more {
		length += len(part)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	for _, part := range slices.Concat([][]byte{first}, more) {
		// Who has gone reads no error.
		_, _ = w.Write(part)
	}
	return nil
}

// sendJSON writes a value as JSON.
func sendJSON(w http.ResponseWriter, status int, value any) error {
	text, err := json.Marshal(value, json.Deterministic(true), json.FormatNilSliceAsNull(false))
	if err != nil {
		return err
	}
	return send(w, status, "application/json", text)
}

// write tells an error over REST.
func (v *verdict) write(w http.ResponseWriter) {
	if v.status == http.StatusTooManyRequests || v.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", v.seconds())
	}
	if v.number > 0 {
		w.Header().Set(numHeader, strconv.FormatUint(v.number, 10))
	}
	if v.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	_ = sendJSON(w, v.status, struct {
		Error string `json:"error"`
	}{v.text})
}
