package text

import (
	"github.com/oatta/oatta/runtime"
)

// Batch is a network's input: texts of one length. The zero value is empty; [Tokenizer.Encode] uses its memory again.
type Batch struct {
	// IDs, Mask and Types are input_ids, attention_mask and token_type_ids, each int64 [texts, length]. They are valid until the next Encode.
	IDs, Mask, Types runtime.Tensor
	// Lengths are the tokens of each text before padding, special ones included.
	Lengths []int
	// Cut tells which texts had more tokens than there was room for.
	Cut []bool

	flat             []int64 // ids of all texts, one behind another
	ids, mask, types []int64
}

// Encode makes the batch of texts. It never fails: any bytes are text, and a text of nothing is the special tokens alone. No texts are a batch of
// shape [0, length], where length is MaxLength with PadFixed and else 0.
func (t *Tokenizer) Encode(b *Batch, texts []string) {
	b.flat, b.Lengths, b.Cut = b.flat[:0], b.Lengths[:0], b.Cut[:0]
	longest := 0
	for _, text := range texts {
		had := len(b.flat)
		var cut bool
		b.flat, cut = t.Append(b.flat, text)
		b.Lengths, b.Cut = append(b.Lengths, len(b.flat)-had), append(b.Cut, cut)
		longest = max(longest, len(b.flat)-had)
	}
	t.fill(b, len(texts), t.length(longest))
}

// length returns how long a batch is whose longest text has a number of tokens.
func (t *Tokenizer) length(longest int) int {
	s := t.spec.settings
	if s.Padding == PadFixed {
		return s.MaxLength
	}
	if m := s.Multiple; m > 1 {
		longest = min((longest+m-1)/m*m, s.MaxLength)
	}
	return longest
}

// fill lays out n texts.
func (t *Tokenizer) fill(b *Batch, n, length int) {
	b.ids, b.mask, b.types = grown(b.ids, n*length), grown(b.mask, n*length), grown(b.types, n*length)
	from := 0
	for i, k := range b.Lengths {
		row := i * length
		copy(b.ids[row:], b.flat[from:from+k])
		from += k
		for j := range length {
			if j >= k {
				b.ids[row+j] = t.pad
			}
			b.mask[row+j] = int64(b2i(j < k))
			b.types[row+j] = t.kind(j, k)
		}
	}
	for _, out := range []struct {
		to   *runtime.Tensor
		data []int64
	}{{&b.IDs, b.ids}, {&b.Mask, b.mask}, {&b.Types, b.types}} {
		out.to.Shape = append(out.to.Shape[:0], int64(n), int64(length))
		out.to.Data = out.data
	}
}

// kind returns the token type of token j of a text of k tokens; that of padding is 0.
func (t *Tokenizer) kind(j, k int) int64 {
	before, after := t.spec.before, t.spec.after
	switch {
	case j >= k:
		return 0
	case j < len(before):
		return before[j].kind
	case j >= k-len(after):
		return after[j-(k-len(after))].kind
	}
	return t.spec.sequence
}

// grown returns a slice of length n, in the memory of s if there is enough.
func grown(s []int64, n int) []int64 {
	if cap(s) < n {
		return make([]int64, n)
	}
	return s[:n]
}
