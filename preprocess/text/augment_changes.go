package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

// perturber is the memory of one call: a text and what becomes of it.
type perturber struct {
	parsed
	random   *draw.Source
	out      []byte
	order    []int
	clusters []string
}

// choose calls f for n of count things, every choice of n alike, in order (Knuth's algorithm S).
func (s *perturber) choose(n, count int, f func(i int)) {
	for i := 0; n > 0; i++ {
		if s.random.IntN(count-i) < n {
			f(i)
			n--
		}
	}
}

// each writes the text, with f in the place of each word that is chosen. Afterwards none is.
func (s *perturber) each(f func(w string)) {
	at := 0
	for i := range s.words {
		w := &s.words[i]
		if !w.chosen {
			continue
		}
		w.chosen = false
		s.out = append(s.out, s.text[at:w.from]...)
		f(s.text[w.from:w.to])
		at = w.to
	}
	s.out = append(s.out, s.text[at:]...)
}

// without writes the text without the words that are chosen, nor the space behind them, or before them at the end of the text.
// Afterwards none is chosen.
func (s *perturber) without() {
	last := s.words[len(s.words)-1]
	s.out = append(s.out, s.text[:s.words[0].from]...)
	gap := ""
	for i := range s.words {
		w := &s.words[i]
		if w.chosen {
			w.chosen = false
			continue
		}
		s.out = append(s.out, gap...)
		s.out = append(s.out, s.text[w.from:w.to]...)
		if i+1 < len(s.words) {
			gap = s.text[w.to:s.words[i+1].from]
		}
	}
	s.out = append(s.out, s.text[last.to:]...)
}

func (s *perturber) drop(n int) {
	s.choose(n, len(s.words), func(i int) { s.words[i].chosen = true })
	s.without()
}

func (s *perturber) swap(n int) {
	s.order = s.order[:0]
	for i := range s.words {
		s.order = append(s.order, i)
	}
	s.choose(n, len(s.words)-1, func(i int) { s.order[i], s.order[i+1] = s.order[i+1], s.order[i] })
	at := 0
	for i, j := range s.order {
		s.out = append(s.out, s.text[at:s.words[i].from]...)
		s.out = append(s.out, s.text[s.words[j].from:s.words[j].to]...)
		at = s.words[i].to
	}
	s.out = append(s.out, s.text[at:]...)
}

func (s *perturber) noise(n int) {
	s.choose(n, len(s.long), func(i int) { s.words[s.long[i]].chosen = true })
	s.each(func(w string) {
		s.clusters = s.clusters[:0]
		for state := -1; w != ""; {
			var c string
			c, w, _, state = uniseg.FirstGraphemeClusterInString(w, state)
			s.clusters = append(s.clusters, c)
		}
		c := s.clusters
		if s.random.Coin() {
			i := s.random.IntN(len(c))
			c = append(c[:i], c[i+1:]...)
		} else {
			i := s.random.IntN(len(c) - 1)
			c[i], c[i+1] = c[i+1], c[i]
		}
		for _, x := range c {
			s.out = append(s.out, x...)
		}
	})
}

// handle leaves out or masks n handles: all in one way, since the two need different passes over the text.
func (s *perturber) handle(n int) {
	s.choose(n, len(s.handles), func(i int) { s.words[s.handles[i]].chosen = true })
	if s.random.Coin() && n < len(s.words) {
		s.without()
		return
	}
	s.each(func(w string) {
		from, to, kind := handleOf(w)
		s.out = append(s.out, w[:from]...)
		switch kind {
		case address:
			s.out = append(s.out, "http"...)
		case user:
			s.out = append(s.out, "@user"...)
		case tag:
			s.out = append(s.out, w[from+1:to]...)
		}
		s.out = append(s.out, w[to:]...)
	})
}

func (s *perturber) punctuate(n int) {
	s.choose(n, len(s.marks), func(i int) { s.marks[i].chosen = true })
	at := 0
	for i := range s.marks {
		m := &s.marks[i]
		if !m.chosen {
			continue
		}
		m.chosen = false
		s.out = append(s.out, s.text[at:m.from]...)
		at = m.to
		if s.random.Coin() {
			s.out = append(s.out, s.text[m.from:m.to]...)
			at = m.from
		}
	}
	s.out = append(s.out, s.text[at:]...)
}

func (s *perturber) recase(n int) {
	s.choose(n, len(s.cased), func(i int) { s.words[s.cased[i]].chosen = true })
	s.each(func(w string) {
		// A word without a capital is recognised by what lower case leaves unchanged.
		had := len(s.out)
		s.mapped(w, unicode.ToLower)
		if string(s.out[had:]) != w {
			return
		}
		s.out = s.out[:had]
		if s.random.Coin() {
			s.mapped(w, unicode.ToUpper)
			return
		}
		for i, r := range w { // the first letter, whatever stands before it
			if hasCase(r) {
				s.out = append(s.out, w[:i]...)
				s.out = utf8.AppendRune(s.out, unicode.ToTitle(r))
				s.out = append(s.out, w[i+utf8.RuneLen(r):]...)
				return
			}
		}
	})
}

func (s *perturber) mapped(w string, f func(rune) rune) {
	for _, r := range w {
		s.out = utf8.AppendRune(s.out, f(r))
	}
}
