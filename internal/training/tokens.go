package training

import (
	"encoding/binary"
	"io"

	"github.com/oatta/oatta/runtime"
)

// Tokens are the ids of texts, without padding.
type Tokens struct {
	ids  [][]int32 // of each item, special ones included; none where the item could not be read
	pad  int64
	most int // tokens of a text

	inputs TokenInputs
	drop   float64
	inner  func(id int64) bool // tells a piece that goes on with a word
}

// TokenInputs say which inputs the network has, in the order of its graph.
type TokenInputs struct{ Mask, Types bool }

// tokenMultiple is what the length of a batch is a multiple of, so that few shapes occur.
const tokenMultiple = 8

// NewTokens returns the ids of so many texts of at most most tokens, none held yet.
func NewTokens(items, most int, pad int64, in TokenInputs) *Tokens {
	return &Tokens{ids: make([][]int32, items), pad: pad, most: most, inputs: in}
}

// Set holds the ids of a text.
func (t *Tokens) Set(item int, ids []int32) { t.ids[item] = ids }

// Drop makes each word of a changed text vanish with probability p; inner tells a piece that goes on with the word before it. The first and
// the last token, which are special, stay, and so does one word.
func (t *Tokens) Drop(p float64, inner func(id int64) bool) { t.drop, t.inner = p, inner }

// Batch implements [Store]: ids, and with them mask and types, int64 [items, length].
func (t *Tokens) Batch(items []int, seed func(item int) uint64) ([]runtime.Tensor, error) {
	rows, length := make([][]int32, len(items)), 1
	for k, i := range items {
		rows[k] = t.ids[i]
		if seed != nil && t.drop > 0 {
			rows[k] = t.dropped(rows[k], seed(i))
		}
		length = max(length, len(rows[k]))
	}
	length = min((length+tokenMultiple-1)/tokenMultiple*tokenMultiple, max(t.most, length))
	ids, mask := make([]int64, len(rows)*length), make([]int64, len(rows)*length)
	for k, row := range rows {
		for j := range length {
			if j < len(row) {
				ids[k*length+j], mask[k*length+j] = int64(row[j]), 1
			} else {
				ids[k*length+j] = t.pad
			}
		}
	}
	tensor := func(data []int64) runtime.Tensor {
		return runtime.TensorOf(data, int64(len(rows)), int64(length))
	}
	out := []runtime.Tensor{tensor(ids)}
	if t.inputs.Mask {
		out = append(out, tensor(mask))
	}
	if t.inputs.Types {
		out = append(out, tensor(make([]int64, len(ids))))
	}
	return out, nil
}

// dropped returns the ids without some of the words.
func (t *Tokens) dropped(ids []int32, seed uint64) []int32 {
	if len(ids) < 4 { // two special tokens and a word
		return ids
	}
	random := generator(seed)
	out := append(make([]int32, 0, len(ids)), ids[0])
	inside := ids[1 : len(ids)-1]
	gone := false
	for _, id := range inside {
		if !t.inner(int64(id)) {
			gone = random.Float64() < t.drop
		}
		if !gone {
			out = append(out, id)
		}
	}
	if len(out) == 1 {
		return ids
	}
	return append(out, ids[len(ids)-1])
}

// Counts returns how often each of so many pieces is in the texts of items.
func (t *Tokens) Counts(pieces int, items []int) []int {
	out := make([]int, pieces)
	for _, i := range items {
		for _, id := range t.ids[i] {
			if int(id) < pieces {
				out[id]++
			}
		}
	}
	return out
}

// Changes implements [Store].
func (t *Tokens) Changes() bool { return t.drop > 0 }

// Digest implements [Store].
func (t *Tokens) Digest(w io.Writer, item int) {
	raw := make([]byte, 0, 4*len(t.ids[item]))
	for _, id := range t.ids[item] {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(id))
	}
	_, _ = w.Write(raw) // hashes do not fail
}

// Vocabulary returns how many rows a table of pieces needs: so many pieces, and those that occur beyond them.
func (t *Tokens) Vocabulary(pieces int) int {
	most := int64(max(pieces-1, 1))
	most = max(most, t.pad)
	for _, ids := range t.ids {
		for _, id := range ids {
			most = max(most, int64(id))
		}
	}
	return int(most) + 1
}
