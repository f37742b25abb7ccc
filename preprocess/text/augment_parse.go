package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// parsed is what the changes need to know of a text.
type parsed struct {
	text    string
	words   []word
	long    []int // words of two characters or more
	handles []int // words that are #tags, addresses or @users
	cased   []int // words whose case can change
	marks   []span
}

// word is text[from:to], what stands between white space.
type word struct {
	from, to int
	chosen   bool // by the change that is made at the moment
}

// span is a punctuation mark, text[from:to].
type span struct {
	from, to int
	chosen   bool
}

// shortened returns the beginning or the end of a text that is longer than limit, cut between words, or between characters where
// no space is near.
func shortened(text string, limit int, left bool) string {
	if len(text) <= limit {
		return text
	}
	if left {
		from := len(text) - limit
		if i := strings.IndexFunc(text[from:], unicode.IsSpace); i >= 0 && i < limit/2 {
			return text[from+i:]
		}
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
		return text[from:]
	}
	if i := strings.LastIndexFunc(text[:limit], unicode.IsSpace); i > limit/2 {
		return text[:i]
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// parse finds out all that the changes need, once for all views.
func (p *parsed) parse(text string) {
	*p = parsed{text, p.words[:0], p.long[:0], p.handles[:0], p.cased[:0], p.marks[:0]}
	from := -1
	for i, r := range text {
		if space := unicode.IsSpace(r); space && from >= 0 {
			p.word(from, i)
			from = -1
		} else if !space && from < 0 {
			from = i
		}
	}
	if from >= 0 {
		p.word(from, len(text))
	}
}

// word adds text[from:to].
func (p *parsed) word(from, to int) {
	i, w := len(p.words), p.text[from:to]
	p.words = append(p.words, word{from: from, to: to})
	first, _, _, _ := uniseg.FirstGraphemeClusterInString(w, -1)
	if len(first) < len(w) {
		p.long = append(p.long, i)
	}
	if _, _, kind := handleOf(w); kind != noHandle {
		p.handles = append(p.handles, i)
		return
	}
	if utf8.ValidString(w) && strings.IndexFunc(w, hasCase) >= 0 {
		p.cased = append(p.cased, i)
	}
	if strings.IndexFunc(w, unicode.IsPunct) >= 0 {
		p.punctuation(from, w)
	}
}

func hasCase(r rune) bool { return unicode.ToUpper(r) != r || unicode.ToLower(r) != r }

// punctuation adds the marks of a word that are characters of their own: the # of a keycap is none.
func (p *parsed) punctuation(from int, w string) {
	for state := -1; w != ""; {
		var c string
		c, w, _, state = uniseg.FirstGraphemeClusterInString(w, state)
		if r, n := utf8.DecodeRuneInString(c); n == len(c) && unicode.IsPunct(r) {
			p.marks = append(p.marks, span{from: from, to: from + len(c)})
		}
		from += len(c)
	}
}

// A handle is a word that stands for something outside the text.
const (
	noHandle = iota
	tag
	address
	user
)

// handleOf returns the handle in a word, w[from:to], and its kind. Brackets, quotes and the like may stand around it.
func handleOf(w string) (from, to, kind int) {
	from = len(w) - len(strings.TrimLeft(w, `("'[{<*“‘«`))
	rest := w[from:]
	switch {
	case hasPrefixFold(rest, "http://"), hasPrefixFold(rest, "https://"), hasPrefixFold(rest, "www."):
		return from, len(w), address
	case strings.HasPrefix(rest, "@"):
		kind = user
	case strings.HasPrefix(rest, "#"):
		kind = tag
	default:
		return 0, 0, noHandle
	}
	n := strings.IndexFunc(rest[1:], func(r rune) bool {
		name := unicode.IsLetter(r) || unicode.IsDigit(r)
		return r != '_' && !unicode.IsMark(r) && !(name && (kind == tag || r <= unicode.MaxASCII))
	})
	if n < 0 {
		n = len(rest) - 1
	}
	if n == 0 || unicode.IsMark(firstRune(rest[1:])) {
		return 0, 0, noHandle // a # or @ alone, or one that is part of another character
	}
	return from, from + 1 + n, kind
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
