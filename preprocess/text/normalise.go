package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normaliser says how a text becomes words, as the reference's BertNormalizer has it. The zero value changes nothing: words are then what
// stands between spaces and punctuation.
type Normaliser struct {
	Clean     bool // drop control, format and private characters and U+FFFD; every white space is a blank
	Chinese   bool // an ideograph is a word of its own
	Strip     bool // decompose (NFD) and drop the non-spacing marks
	Lowercase bool
}

// Uncased and Cased are the normalisers of the two families of published models.
var (
	Uncased = Normaliser{Clean: true, Chinese: true, Strip: true, Lowercase: true}
	Cased   = Normaliser{Clean: true, Chinese: true}
)

// Words calls yield with the words of a text, in order, until it returns false. A word is valid during the call and has at most limit characters: of a
// longer one the first limit+1 are told. Memory does not grow with the text. Bytes that are no UTF-8 are U+FFFD.
func (n Normaliser) Words(text string, limit int, yield func(word []byte, chars int) bool) {
	s := splitter{Normaliser: n, ascii: n.asciiTable(), limit: limit, yield: yield}
	s.text(text)
	s.end()
}

// What becomes of an ASCII character; every other value is the character that is appended to the word.
const (
	asciiDrop  = 0x80 + iota
	asciiSpace // ends the word
	asciiMark  // is a word itself
)

// asciiTable returns what becomes of each ASCII character. Most characters of most texts are ASCII: they need no table of Unicode.
func (n Normaliser) asciiTable() *[128]byte { return &asciiTables[b2i(n.Clean)|b2i(n.Lowercase)<<1] }

var asciiTables = func() (t [4][128]byte) {
	for i := range t {
		n := Normaliser{Clean: i&1 != 0, Lowercase: i&2 != 0}
		for c := range t[i] {
			t[i][c] = n.asciiOf(rune(c))
		}
	}
	return t
}()

func (n Normaliser) asciiOf(c rune) byte {
	switch {
	case n.Clean && unicode.Is(removedChars, c):
		return asciiDrop
	case unicode.IsSpace(c):
		return asciiSpace
	case unicode.Is(punctuation, c):
		return asciiMark
	case n.Lowercase:
		return byte(unicode.ToLower(c))
	}
	return byte(c)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// splitter is a text on its way to words. Each step hands single characters on to the next: clean, decompose, order, lower, put.
type splitter struct {
	Normaliser
	ascii *[128]byte
	limit int
	yield func(word []byte, chars int) bool

	word    []byte
	chars   int    // of the word
	waiting []mark // combining characters that are not in canonical order yet
	done    bool   // yield wants no more
}

// mark is a combining character and its class.
type mark struct {
	r     rune
	class uint8
}

// text takes a piece of text. The word at its end stays open.
func (s *splitter) text(text string) {
	for i := 0; i < len(text) && !s.done; {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			s.clean(r)
			i += size
			continue
		}
		i++
		to := s.ascii[c]
		if to == asciiDrop {
			continue
		}
		if len(s.waiting) > 0 {
			s.release()
		}
		switch to {
		case asciiSpace:
			s.end()
		case asciiMark:
			s.single(rune(c))
		default:
			if s.chars <= s.limit {
				s.word = append(s.word, to)
				s.chars++
			}
		}
	}
}

// clean drops characters, makes white space of one kind and sets ideographs apart. Its order is the reference's: dropping comes first, so that U+0085,
// control character and white space, is dropped.
func (s *splitter) clean(r rune) {
	if s.Clean {
		if unicode.Is(removedChars, r) {
			return
		}
		if unicode.IsSpace(r) {
			r = ' '
		}
	}
	if s.Chinese && unicode.Is(ideographs, r) {
		s.decompose(' ')
		s.decompose(r)
		s.decompose(' ')
		return
	}
	s.decompose(r)
}

// ideographs are those that BERT sets apart, by block. The fourth of the extensions begins at U+2B920 in the reference, a slip that models were trained with.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xf900, 0xfaff, 1}},
	R32: []unicode.Range32{{0x20000, 0x2a6df, 1}, {0x2a700, 0x2b73f, 1}, {0x2b740, 0x2b81f, 1}, {0x2b920, 0x2ceaf, 1}, {0x2f800, 0x2fa1f, 1}},
}

// Hangul syllables decompose by arithmetic (Unicode, section 3.12).
const (
	hangulBase, hangulCount       = 0xac00, 11172
	leadBase, vowelBase, tailBase = 0x1100, 0x1161, 0x11a7
	vowelTails, tailCount         = 588, 28
	dottedCapitalI, combiningDot  = 0x130, 0x307
)

// decompose takes a character apart (NFD) if accents are stripped.
func (s *splitter) decompose(r rune) {
	if !s.Strip {
		s.lower(r)
		return
	}
	if r >= hangulBase && r < hangulBase+hangulCount {
		i := r - hangulBase
		s.order(leadBase + i/vowelTails)
		s.order(vowelBase + i%vowelTails/tailCount)
		if tail := i % tailCount; tail > 0 {
			s.order(tailBase + tail)
		}
		return
	}
	if !unicode.Is(decomposable, r) {
		s.order(r)
		return
	}
	var buf [utf8.UTFMax]byte
	parts := norm.NFD.Properties(utf8.AppendRune(buf[:0], r)).Decomposition()
	for len(parts) > 0 {
		part, size := utf8.DecodeRune(parts)
		s.order(part)
		parts = parts[size:]
	}
}

// order drops accents and brings what combining characters are left into canonical order. That is the same as to order all and drop then: the
// order is stable, and a character of class 0 is a boundary even if it is dropped.
func (s *splitter) order(r rune) {
	class := combiningClass(r)
	if class == 0 {
		s.release()
	}
	switch {
	case unicode.Is(accents, r):
	case class == 0:
		s.lower(r)
	case s.chars+len(s.waiting) <= s.limit: // beyond it the word is too long whatever it is
		i := len(s.waiting)
		for i > 0 && s.waiting[i-1].class > class {
			i--
		}
		s.waiting = append(s.waiting, mark{})
		copy(s.waiting[i+1:], s.waiting[i:])
		s.waiting[i] = mark{r, class}
	}
}

func combiningClass(r rune) uint8 {
	if !unicode.Is(combining, r) {
		return 0
	}
	var buf [utf8.UTFMax]byte
	return norm.NFD.Properties(utf8.AppendRune(buf[:0], r)).CCC()
}

// release hands on the combining characters, whose order is final.
func (s *splitter) release() {
	for _, m := range s.waiting {
		s.lower(m.r)
	}
	s.waiting = s.waiting[:0]
}

// lower makes a character lower case. One has two characters for that: U+0130, the dotted capital I.
func (s *splitter) lower(r rune) {
	if !s.Lowercase {
		s.put(r)
		return
	}
	if r == dottedCapitalI {
		s.put('i')
		s.put(combiningDot)
		return
	}
	if l, ok := newLower[r]; ok {
		r = l
	} else {
		r = unicode.ToLower(r)
	}
	s.put(r)
}

// put appends a character to the word, or ends it.
func (s *splitter) put(r rune) {
	switch {
	case unicode.IsSpace(r):
		s.end()
	case unicode.Is(punctuation, r):
		s.single(r)
	case s.chars <= s.limit:
		s.word = utf8.AppendRune(s.word, r)
		s.chars++
	}
}

// single tells a word of one character.
func (s *splitter) single(r rune) {
	s.flush()
	s.word = utf8.AppendRune(s.word, r)
	s.chars = 1
	s.flush()
}

// end is the end of a word, or of all text: nothing combines across it.
func (s *splitter) end() {
	if len(s.waiting) > 0 {
		s.release()
	}
	s.flush()
}

// flush tells the word.
func (s *splitter) flush() {
	if s.chars > 0 && !s.done {
		s.done = !s.yield(s.word, s.chars)
	}
	s.word, s.chars = s.word[:0], 0
}
