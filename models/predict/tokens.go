package predict

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/oatta/oatta/runtime"
)

// TokenSettings say which inputs of a network of texts are what. The zero value goes by the names that exporters give them.
type TokenSettings struct {
	IDs   string // name of the input of token ids; "": input_ids
	Mask  string // of the attention mask; "": attention_mask, if the network has that
	Types string // of the token types; "": token_type_ids, if the network has that
	// Vocabulary is the number of tokens that the network knows: an id beyond is an error here, in place of one deep in the engine.
	// 0 to 2^24, from where float32 skips integers; 0 is 2^24.
	Vocabulary int
	Pad        int64 // the id that fills rows up behind their end; BERT's is 0, RoBERTa's 1
}

// maxVocabulary is where float32 ceases to hold every integer.
const maxVocabulary = 1 << 24

// Validate reports a setting out of range.
func (s TokenSettings) Validate() error {
	if s.Vocabulary < 0 || s.Vocabulary > maxVocabulary {
		return fmt.Errorf("predict: vocabulary of %d: want 1 to %d", s.Vocabulary, maxVocabulary)
	}
	if s.Pad < 0 || s.Pad >= int64(s.bound()) {
		return fmt.Errorf("predict: padding by token %d: want 0 to %d", s.Pad, s.bound()-1)
	}
	return nil
}

func (s TokenSettings) bound() int {
	if s.Vocabulary == 0 {
		return maxVocabulary
	}
	return s.Vocabulary
}

// tokens is a session whose first input stands for the inputs of texts of another session.
type tokens struct {
	runtime.Session
	settings TokenSettings
	inputs   []runtime.Port
	names    [3]string // of the inputs that ids, mask and types are fed to, for messages
	at       [3]int    // indexes of them, -1: the network has none
	others   []int     // indexes of the inputs that pass through
	length   int64     // tokens that the network insists on, or runtime.Dynamic
	runs     sync.Pool // of *tokenRun
}

// tokenRun is the scratch memory of one run.
type tokenRun struct {
	data [3][]int64
	src  []runtime.Tensor
}

// Tokens returns a session for texts with one float32 input [N, L] in the place of token ids, attention mask and token types: a row
// holds the ids of one text, as whole numbers, and -1 past its end. So texts go where all other inputs go, as rows of float32. Each run
// is cut to its longest row; the mask is 1 for a text's tokens, and all types are 0. The other inputs, as masks of dropout, follow
// behind and pass through unchanged, as do outputs. The session given is closed with the one returned.
//
// A row that does not hold a text, by a number that is no id or none at all, is an error of the run that names row and place.
func Tokens(session runtime.Session, s TokenSettings) (runtime.Session, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	t := &tokens{Session: session, settings: s}
	ports := session.Inputs()
	for i, want := range []struct{ given, usual string }{{s.IDs, "input_ids"}, {s.Mask, "attention_mask"}, {s.Types, "token_type_ids"}} {
		name := want.given
		if name == "" {
			name = want.usual
		}
		t.names[i] = name
		t.at[i] = slices.IndexFunc(ports, func(p runtime.Port) bool { return p.Name == name })
		if t.at[i] < 0 && (want.given != "" || i == 0) {
			return nil, fmt.Errorf("predict: the network has no input %q among %v", name, ports)
		}
	}
	if err := t.check(ports); err != nil {
		return nil, err
	}
	return t, nil
}

// check derives the ports, and reports inputs of texts that are no int64 [N, L].
func (t *tokens) check(ports []runtime.Port) error {
	shape := []int64{runtime.Dynamic, runtime.Dynamic}
	for i, p := range ports {
		if !slices.Contains(t.at[:], i) {
			t.others = append(t.others, i)
			continue
		}
		if p.Type != runtime.Int64 || len(p.Shape) != 2 {
			return fmt.Errorf("predict: input %s: want int64 [N, length]", p)
		}
		for j, d := range p.Shape {
			if d >= 0 && shape[j] >= 0 && d != shape[j] {
				return fmt.Errorf("predict: inputs %v: the sizes of %s contradict those of the others", ports, p)
			}
			shape[j] = max(shape[j], d)
		}
	}
	t.length = shape[1]
	t.inputs = []runtime.Port{{Name: ports[t.at[0]].Name, Type: runtime.Float32, Shape: shape}}
	for _, i := range t.others {
		t.inputs = append(t.inputs, ports[i])
	}
	return nil
}

func (t *tokens) Inputs() []runtime.Port { return t.inputs }

// Metadata and Device pass on what the session tells, if it does.
func (t *tokens) Metadata() runtime.Metadata {
	if i, ok := t.Session.(runtime.Inspector); ok {
		return i.Metadata()
	}
	return runtime.Metadata{}
}

func (t *tokens) Device() string {
	if i, ok := t.Session.(runtime.Inspector); ok {
		return i.Device()
	}
	return ""
}

func (t *tokens) Run(ctx context.Context, dst, src []runtime.Tensor) error {
	if err := runtime.CheckInputs(t.inputs, src); err != nil {
		return fmt.Errorf("predict: %w", err)
	}
	r, _ := t.runs.Get().(*tokenRun)
	if r == nil {
		r = &tokenRun{src: make([]runtime.Tensor, len(t.Session.Inputs()))}
	}
	defer t.runs.Put(r)
	defer clear(r.src)
	if err := t.fill(r, src[0]); err != nil {
		return fmt.Errorf("predict: %w", err)
	}
	for i, at := range t.others {
		r.src[at] = src[1+i]
	}
	return t.Session.Run(ctx, dst, r.src)
}

// fill makes the inputs of texts from rows of ids [n, l].
func (t *tokens) fill(r *tokenRun, rows runtime.Tensor) error {
	x, n, l := rows.Data.([]float32), int(rows.Shape[0]), int(rows.Shape[1])
	length := int(t.length)
	if t.length < 0 {
		length = 1
	}
	for i := range n {
		end, err := t.end(x[i*l : (i+1)*l])
		if err != nil {
			return fmt.Errorf("text %d: %w", i, err)
		}
		length = max(length, end)
	}
	for k, at := range t.at {
		if at < 0 {
			continue
		}
		r.data[k] = grow(r.data[k], n*length)
		r.src[at] = runtime.Tensor{Shape: []int64{int64(n), int64(length)}, Data: r.data[k]}
		clear(r.data[k])
	}
	for i := range n {
		t.row(r, i*length, length, x[i*l:(i+1)*l])
	}
	return nil
}

// row writes one text at a place of the inputs.
func (t *tokens) row(r *tokenRun, at, length int, row []float32) {
	for j := range length {
		if j >= len(row) || row[j] < 0 {
			for ; j < length; j++ {
				r.data[0][at+j] = t.settings.Pad
			}
			return
		}
		r.data[0][at+j] = int64(row[j])
		if t.at[1] >= 0 {
			r.data[1][at+j] = 1
		}
	}
}

// end returns the number of tokens of a row.
func (t *tokens) end(row []float32) (int, error) {
	end := slices.Index(row, -1)
	if end < 0 {
		end = len(row)
	}
	bound := t.settings.bound()
	for j, v := range row {
		switch {
		case j >= end && v == -1:
		case j >= end:
			return 0, fmt.Errorf("place %d: token %g behind the end of the text at place %d", j, v, end)
		case !(v >= 0) || v >= float32(bound) || v != float32(int64(v)):
			return 0, fmt.Errorf("place %d: %g is no token: want a whole number below %d", j, v, bound)
		}
	}
	if end == 0 {
		return 0, fmt.Errorf("it has no tokens")
	}
	return end, nil
}
