package text

import (
	"fmt"
	"strings"
	"sync"

	"github.com/sugarme/tokenizer/model"
	"github.com/sugarme/tokenizer/model/wordpiece"
)

// Tokenizer turns texts into ids of tokens. It does not change and is safe for concurrent use.
type Tokenizer struct {
	spec    spec
	model   wordpiece.WordPiece
	pieces  *pieces
	pad     int64
	room    int // tokens of a text without the special ones around it
	starts  [256]bool
	scratch sync.Pool // of *encoder
}

// spec is all that the files of a model say, and the settings over it.
type spec struct {
	settings   Settings
	normaliser Normaliser
	unknown    string
	padToken   string
	prefix     string // of pieces that continue a word
	maxChars   int
	special    []special // matched in the raw text
	before     []typed   // special tokens around a text
	after      []typed
	sequence   int64 // token type of the text
}

// special is a token that stands for itself wherever its characters stand in a text.
type special struct {
	text string
	id   int64
}

// typed is a special token with its token type.
type typed struct{ id, kind int64 }

// newTokenizer compiles what was read.
func newTokenizer(vocab map[string]int, s spec) (*Tokenizer, error) {
	if s.maxChars < 1 || s.maxChars > 1<<12 {
		return nil, fmt.Errorf("max_input_chars_per_word %d: want 1 to %d", s.maxChars, 1<<12)
	}
	wp := wordpiece.NewWordPieceBuilder().Vocab((*model.Vocab)(&vocab)).UnkToken(s.unknown).ContinuingSubwordPrefix(s.prefix).
		MaxInputCharsPerWord(s.maxChars).Build()
	p, err := newPieces(wp, s.unknown, s.prefix, s.maxChars)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{spec: s, model: wp, pieces: p}
	if id, ok := wp.TokenToId(s.padToken); ok {
		t.pad = int64(id)
	}
	for _, sp := range s.special {
		if sp.text == "" || sp.id < 0 || sp.id > maxID {
			return nil, fmt.Errorf("special token %q with the id %d: want a name, and 0 to %d", sp.text, sp.id, maxID)
		}
		t.starts[sp.text[0]] = true
		if sp.text == s.padToken {
			t.pad = sp.id
		}
	}
	if t.room = s.settings.MaxLength - len(s.before) - len(s.after); t.room < 1 {
		return nil, fmt.Errorf("greatest length %d: want more than the %d special tokens of a text", s.settings.MaxLength, len(s.before)+len(s.after))
	}
	t.scratch.New = func() any { return t.newEncoder() }
	return t, nil
}

// Settings returns the settings in force: those that were given, and what the files say where they are silent.
func (t *Tokenizer) Settings() Settings { return t.spec.settings }

// Normaliser returns how words are made.
func (t *Tokenizer) Normaliser() Normaliser { return t.spec.normaliser }

// Pad returns the id that fills a batch.
func (t *Tokenizer) Pad() int64 { return t.pad }

// Len returns the number of pieces of the vocabulary, without special tokens that were added beside it.
func (t *Tokenizer) Len() int { return t.model.GetVocabSize() }

// Token returns the piece or special token of an id; ok is false if there is none.
func (t *Tokenizer) Token(id int64) (token string, ok bool) {
	for _, s := range t.spec.special {
		if s.id == id {
			return s.text, true
		}
	}
	return t.model.IdToToken(int(id))
}

// Append appends the ids of a text, with the special tokens around it and at most MaxLength; cut tells that the text had more.
// It allocates no more than dst needs, and takes memory that does not grow with the text unless Settings.Tweets ask for transforms.
func (t *Tokenizer) Append(dst []int64, text string) (ids []int64, cut bool) {
	e := t.scratch.Get().(*encoder)
	defer t.scratch.Put(e)
	for _, s := range t.spec.before {
		dst = append(dst, s.id)
	}
	dst, cut = e.encode(dst, text)
	for _, s := range t.spec.after {
		dst = append(dst, s.id)
	}
	return dst, cut
}

// encoder is the scratch space of one text.
type encoder struct {
	t     *Tokenizer
	split splitter
	ids   []int64
	from  int // of ids that belong to the text
	cut   bool
}

func (t *Tokenizer) newEncoder() *encoder {
	e := &encoder{t: t}
	e.split = splitter{Normaliser: t.spec.normaliser, ascii: t.spec.normaliser.asciiTable(), limit: t.pieces.maxChars, yield: e.take}
	return e
}

// encode appends the tokens of a text, as many as there is room for.
func (e *encoder) encode(dst []int64, text string) ([]int64, bool) {
	e.ids, e.from, e.cut, e.split.done = dst, len(dst), false, false
	for _, name := range e.t.spec.settings.Tweets {
		text, _ = Transform(name, text)
	}
	for text != "" && !e.split.done {
		at, sp := e.t.nextSpecial(text)
		e.split.text(text[:at])
		e.split.end()
		if sp == nil {
			break
		}
		if !e.split.done {
			e.ids = append(e.ids, sp.id)
			e.split.done = !e.fit()
		}
		text = text[at+len(sp.text):]
	}
	if e.t.spec.settings.Left {
		e.shorten()
	}
	ids := e.ids
	e.ids = nil // the caller's
	return ids, e.cut
}

// take is called with each word.
func (e *encoder) take(word []byte, chars int) bool {
	e.ids = e.t.pieces.appendWord(e.ids, word, chars)
	return e.fit()
}

// fit keeps what was appended within bounds; false if what follows in the text cannot matter.
func (e *encoder) fit() bool {
	switch room := e.t.room; {
	case e.t.spec.settings.Left:
		if len(e.ids)-e.from > 2*room+maxMaxLength { // seldom, so that moving costs nothing
			e.shorten()
		}
	case len(e.ids)-e.from > room:
		e.ids, e.cut = e.ids[:e.from+room], true
		return false
	}
	return true
}

// shorten drops tokens from the left.
func (e *encoder) shorten() {
	if over := len(e.ids) - e.from - e.t.room; over > 0 {
		n := copy(e.ids[e.from:], e.ids[e.from+over:])
		e.ids, e.cut = e.ids[:e.from+n], true
	}
}

// nextSpecial finds the leftmost special token of a text, the longest of those that begin at one place. Without one, at is the end.
func (t *Tokenizer) nextSpecial(text string) (at int, found *special) {
	for i := 0; i < len(text); i++ {
		if !t.starts[text[i]] {
			continue
		}
		for k := range t.spec.special {
			sp := &t.spec.special[k]
			if strings.HasPrefix(text[i:], sp.text) && (found == nil || len(sp.text) > len(found.text)) {
				found = sp
			}
		}
		if found != nil {
			return i, found
		}
	}
	return len(text), nil
}
