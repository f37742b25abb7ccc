package text

import (
	"fmt"
	"unicode/utf8"

	"github.com/sugarme/tokenizer/model/wordpiece"
)

// pieces is the vocabulary of a WordPiece model, laid out for its one question: the longest piece that a word begins with. It answers without
// allocating and in time linear in the word for a vocabulary of short pieces; wordpiece.WordPiece.Tokenize, its twin in the tests, formats every candidate.
type pieces struct {
	first, next map[string]int32 // at the start of a word, and after it, there without the prefix
	longest     int              // bytes of the longest piece, without prefix
	maxChars    int              // of a word; a longer one is unknown
	unknown     int32
}

// maxID bounds ids, so that a file cannot make a network's table look larger than any is.
const maxID = 1 << 24

func newPieces(m wordpiece.WordPiece, unknown, prefix string, maxChars int) (*pieces, error) {
	vocab := m.GetVocab()
	p := &pieces{first: make(map[string]int32, len(vocab)), next: make(map[string]int32, len(vocab)), maxChars: maxChars}
	for piece, id := range vocab {
		if id < 0 || id > maxID {
			return nil, fmt.Errorf("piece %q has the id %d: want 0 to %d", piece, id, maxID)
		}
		p.first[piece] = int32(id)
		p.longest = max(p.longest, len(piece))
		if len(piece) >= len(prefix) && piece[:len(prefix)] == prefix {
			p.next[piece[len(prefix):]] = int32(id)
		}
	}
	id, ok := p.first[unknown]
	if !ok {
		return nil, fmt.Errorf("the token of unknown words, %q, is not in the vocabulary of %d pieces", unknown, len(vocab))
	}
	p.unknown = id
	return p, nil
}

// appendWord appends the ids of a word: the longest piece that fits, then again behind it. A word that cannot be covered is one unknown token.
func (p *pieces) appendWord(dst []int64, word []byte, chars int) []int64 {
	if chars > p.maxChars {
		return append(dst, int64(p.unknown))
	}
	had := len(dst)
	from := p.first
	for len(word) > 0 {
		id, n := longest(from, word, p.longest)
		if n == 0 {
			return append(dst[:had], int64(p.unknown))
		}
		dst = append(dst, int64(id))
		word, from = word[n:], p.next
	}
	return dst
}

// longest finds the longest piece at the start of a word; n is 0 if there is none.
func longest(pieces map[string]int32, word []byte, limit int) (id int32, n int) {
	for n = min(len(word), limit); n > 0; n-- {
		if n < len(word) && !utf8.RuneStart(word[n]) {
			continue
		}
		if id, ok := pieces[string(word[:n])]; ok {
			return id, n
		}
	}
	return 0, 0
}
