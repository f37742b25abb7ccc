package oip

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/x448/float16"

	"github.com/oatta/oatta/serve"
)

// inferJSON is the JSON of a request for inference. Names that are not here are passed over, as the protocol's extensions want.
type inferJSON struct {
	ID         string            `json:"id"`
	Parameters parametersJSON    `json:"parameters"`
	Inputs     listed[inputJSON] `json:"inputs"`
	Outputs    listed[askedJSON] `json:"outputs"`
}

type inputJSON struct {
	Name       string         `json:"name"`
	Datatype   serve.DataType `json:"datatype"`
	Shape      []int64        `json:"shape"`
	Parameters parametersJSON `json:"parameters"`
	Data       jsontext.Value `json:"data"`
}

// askedJSON is an output that is asked for.
type askedJSON struct {
	Name       string         `json:"name"`
	Parameters parametersJSON `json:"parameters"`
}

// listed is a list of no more entries than a request may have: an empty object is two bytes sent, and a hundred held.
type listed[T any] []T

func (l *listed[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*l = nil
	if null, err := opened(dec, '['); null || err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if len(*l) == maxTensors {
			return serve.Errorf(serve.TooLarge, "more than %d tensors", maxTensors)
		}
		var entry T
		if err := json.UnmarshalDecode(dec, &entry); err != nil {
			return err
		}
		*l = append(*l, entry)
	}
	_, err := dec.ReadToken()
	return err
}

// parametersJSON are parameters, each a bool, int64, uint64, float64 or string, but for lists of times, which are their JSON as string.
type parametersJSON map[string]any

func (p *parametersJSON) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = nil
	if null, err := opened(dec, '{'); null || err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		if len(*p) == maxParameters {
			return serve.Errorf(serve.TooLarge, "more than %d parameters", maxParameters)
		}
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		raw, err := dec.ReadValue()
		if err != nil {
			return err
		}
		value, err := parameter(name, raw)
		if err != nil {
			return err
		}
		if *p == nil {
			*p = parametersJSON{}
		}
		(*p)[name] = value
	}
	_, err := dec.ReadToken()
	return err
}

// opened reads the begin of an array or object, or null, which stands for one that is not given.
func opened(dec *jsontext.Decoder, kind jsontext.Kind) (null bool, err error) {
	token, err := dec.ReadToken()
	if err != nil {
		return false, err
	}
	if token.Kind() == 'n' {
		return true, nil
	}
	if token.Kind() != kind {
		return false, invalid("want %c, got %s", kind, token.Kind())
	}
	return false, nil
}

// parameter is the value of a parameter. Whole numbers stay whole, and times keep all their digits.
func parameter(name string, raw jsontext.Value) (any, error) {
	switch kind := raw.Kind(); {
	case kind == 't' || kind == 'f':
		return kind == 't', nil
	case kind == '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		return string(text), err
	case name == timeParameter && (kind == '0' || kind == '['):
		return string(raw), nil
	case kind == '0':
		return number(name, string(raw))
	}
	return nil, invalid("parameter %.80q: want a boolean, a number or a string", name)
}

// number is an int64 or uint64 where the text is a whole number, else a float64.
func number(name, text string) (any, error) {
	if whole(text) {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, nil
		}
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return u, nil
		}
		return nil, invalid("parameter %.80q: %.40s is beyond 64 bits", name, text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, invalid("parameter %.80q: %.40s is beyond float64", name, text)
	}
	return f, nil
}

func whole(text string) bool {
	for _, b := range []byte(text) {
		if b == '.' || b == 'e' || b == 'E' {
			return false
		}
	}
	return true
}

// numbers reads the elements of a tensor out of JSON that is known to be valid.
type numbers struct {
	text []byte
	at   int
	kind serve.DataType
	dst  []byte
}

// decodeJSON returns the n elements of a tensor of that shape as bytes: a flat array, or arrays within each other as the shape says.
func decodeJSON(t serve.DataType, shape []int64, n int, data jsontext.Value) ([]byte, error) {
	if t == "FP16" || t == "BF16" {
		return nil, invalid("%s has no form in JSON: send it as binary data", t)
	}
	if data.Kind() != '[' {
		return nil, invalid("data: want an array")
	}
	// An element takes a byte and a comma at least.
	if n > len(data)/2 {
		return nil, invalid("shape and data disagree: fewer than %d elements", n)
	}
	r := &numbers{text: data, kind: t, dst: make([]byte, 0, n*max(1, t.Size()))}
	r.next()
	r.at++
	sides := []int64{int64(n)}
	if nested := r.next() == '['; nested && len(shape) > 1 {
		sides = shape
	}
	r.at = 0
	if err := r.rows(sides); err != nil {
		return nil, err
	}
	return r.dst, nil
}

// next returns the next byte that is no space, and stays at it.
func (r *numbers) next() byte {
	for r.at < len(r.text) {
		switch b := r.text[r.at]; b {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return b
		}
	}
	return 0
}

// rows reads an array of the sides, the outermost first.
func (r *numbers) rows(sides []int64) error {
	if r.next() != '[' {
		return invalid("data: want arrays within each other as the shape has sides, or one flat array")
	}
	r.at++
	for i := range sides[0] {
		if i > 0 && r.next() == ',' {
			r.at++
		}
		if r.next() == ']' {
			return invalid("shape and data disagree: %d in an array, want %d", i, sides[0])
		}
		if err := r.within(sides[1:]); err != nil {
			return err
		}
	}
	if r.next() != ']' {
		return invalid("shape and data disagree: more than %d in an array", sides[0])
	}
	r.at++
	return nil
}

func (r *numbers) within(sides []int64) error {
	if len(sides) > 0 {
		return r.rows(sides)
	}
	r.next()
	begin := r.at
	r.skip()
	return r.element(r.text[begin:r.at])
}

// skip goes behind a value that is no array and no object; of those, behind their first byte.
func (r *numbers) skip() {
	if r.text[r.at] != '"' {
		for r.at++; r.at < len(r.text); r.at++ {
			switch r.text[r.at] {
			case ',', ']', ' ', '\t', '\n', '\r':
				return
			}
		}
		return
	}
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
}

// element appends one, from its JSON.
func (r *numbers) element(text []byte) error {
	switch r.kind {
	case serve.Bytes:
		return r.text8(text)
	case "BOOL":
		return r.boolean(text)
	case "FP32":
		f, err := float(text, 32)
		r.dst = binary.LittleEndian.AppendUint32(r.dst, math.Float32bits(float32(f)))
		return err
	case "FP64":
		f, err := float(text, 64)
		r.dst = binary.LittleEndian.AppendUint64(r.dst, math.Float64bits(f))
		return err
	}
	return r.integer(text)
}

func (r *numbers) text8(text []byte) error {
	if text[0] != '"' {
		return invalid("data: %.40s is no string, which elements of BYTES are", text)
	}
	at := len(r.dst)
	r.dst = append(r.dst, 0, 0, 0, 0)
	var err error
	if r.dst, err = jsontext.AppendUnquote(r.dst, text); err != nil {
		return invalid("data: %v", err)
	}
	binary.LittleEndian.PutUint32(r.dst[at:], uint32(len(r.dst)-at-4))
	return nil
}

func (r *numbers) boolean(text []byte) error {
	switch string(text) {
	case "true", "1":
		r.dst = append(r.dst, 1)
	case "false", "0":
		r.dst = append(r.dst, 0)
	default:
		return invalid("data: %.40s is no boolean", text)
	}
	return nil
}

// float reads a number of so many bits, or one of the three that JSON has no number for, by protobuf's names.
func float(text []byte, bits int) (float64, error) {
	switch string(text) {
	case `"NaN"`:
		return math.NaN(), nil
	case `"Infinity"`:
		return math.Inf(1), nil
	case `"-Infinity"`:
		return math.Inf(-1), nil
	}
	f, err := strconv.ParseFloat(string(text), bits)
	// ParseFloat reads more than JSON has: a word can be no number here.
	if err != nil || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, invalid("data: %.40s is no number of %d bits", text, bits)
	}
	return f, nil
}

func (r *numbers) integer(text []byte) error {
	bits := 8 * r.kind.Size()
	var u uint64
	var err error
	if r.kind[0] == 'U' {
		u, err = strconv.ParseUint(string(text), 10, bits)
	} else {
		var i int64
		i, err = strconv.ParseInt(string(text), 10, bits)
		u = uint64(i)
	}
	if err != nil {
		return invalid("data: %.40s is no %s", text, r.kind)
	}
	r.dst = appendUint(r.dst, u, r.kind.Size())
	return nil
}

// appendUint appends the lower bytes of u.
func appendUint(dst []byte, u uint64, size int) []byte {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], u)
	return append(dst, all[:size]...)
}

// appendData appends the elements of a tensor as a flat array of JSON; the error is that of text that is not UTF-8.
func appendData(dst []byte, t *serve.Tensor) ([]byte, error) {
	dst = append(dst, '[')
	size := t.Type.Size()
	for rest := t.Data; len(rest) > 0; {
		if len(rest) < len(t.Data) {
			dst = append(dst, ',')
		}
		here := size
		if t.Type == serve.Bytes {
			here = int(binary.LittleEndian.Uint32(rest))
			rest = rest[4:]
			var err error
			if dst, err = jsontext.AppendQuote(dst, rest[:here]); err != nil {
				return nil, invalid("output %q is not text: ask for it as binary data", t.Name)
			}
		} else {
			dst = appendElement(dst, t.Type, rest[:here])
		}
		rest = rest[here:]
	}
	return append(dst, ']'), nil
}

// appendElement appends one of a type of fixed size. Floats are the shortest that read back to the same bits of their type.
func appendElement(dst []byte, t serve.DataType, data []byte) []byte {
	var all [8]byte
	copy(all[:], data)
	u := binary.LittleEndian.Uint64(all[:])
	switch t {
	case "BOOL":
		return strconv.AppendBool(dst, u != 0)
	case "FP16":
		return appendFloat(dst, float64(float16.Frombits(uint16(u)).Float32()), 32)
	case "BF16":
		return appendFloat(dst, float64(math.Float32frombits(uint32(u)<<16)), 32)
	case "FP32":
		return appendFloat(dst, float64(math.Float32frombits(uint32(u))), 32)
	case "FP64":
		return appendFloat(dst, math.Float64frombits(u), 64)
	}
	if t[0] == 'U' {
		return strconv.AppendUint(dst, u, 10)
	}
	unused := 64 - 8*t.Size()
	return strconv.AppendInt(dst, int64(u<<unused)>>unused, 10)
}

func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(dst, f, form, -1, bits)
}
