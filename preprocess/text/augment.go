package text

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/oatta/oatta/preprocess/internal/draw"
)

// Views are the settings of several views of one text. Each change is off where its share is 0; the zero value is the plain text
// alone. Shares are of what the text has of a kind, rounded, but at least one.
//
// Each view goes through one change, drawn evenly from those that are on and find something in the text; a text in which none
// does, such as a single letter, is its own view. One change at a rate of about a tenth is the protocol of EDA (Wei and Zou, Easy
// data augmentation, EMNLP 2019), of which the two changes that need a dictionary are left out.
type Views struct {
	Augmented int // views beside the plain one, 0 to 4096

	// Drop is the share of words that are left out, with the space behind them. One always stays. A word is what stands between
	// white space.
	Drop float64
	// Swap is the share of words that change places with the next one. The space between words stays where it is.
	Swap float64
	// Noise is the share of words of two characters or more in which one character is left out, or changes places with the next
	// (Belinkov and Bisk 2018). It knows no keyboard, so it serves any script.
	Noise float64
	// Handles is the share of #tags, addresses of pages (http://, https://, www.) and @users that are either left out or masked:
	// a tag loses its #, an address becomes "http", a user "@user", as the tweet transforms have them.
	Handles float64
	// Punctuation is the share of punctuation marks that are left out or doubled, those of addresses, #tags and @users aside.
	Punctuation float64
	// Case is the share of words that change case: one with a capital becomes lower case, one without gets a capital or becomes all
	// capitals. A network without case does not see it: leave it off there.
	Case float64

	// Limit is the most bytes of a text that augmented views are made of, 0 for 64 KiB: no network reads more, and of a longer
	// text they are views of its beginning, or of its end where Left is set as in Settings. The cut is between words.
	Limit int
	Left  bool
}

// UsualViews returns 16 views in which every change is on: a tenth of the words, half of the handles, a quarter of the punctuation
// marks.
func UsualViews() Views {
	return Views{Augmented: 16, Drop: 0.1, Swap: 0.1, Noise: 0.1, Handles: 0.5, Punctuation: 0.25, Case: 0.1}
}

const (
	maxViews     = 4096
	defaultLimit = 64 << 10
	maxLimit     = 1 << 28
)

// Validate returns the first thing that is wrong with the settings.
func (v Views) Validate() error {
	if v.Augmented < 0 || v.Augmented > maxViews {
		return fmt.Errorf("preprocess/text: %d augmented views: want 0 to %d", v.Augmented, maxViews)
	}
	for i, share := range v.shares() {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("preprocess/text: share of %s %v: want 0 to 1", changes[i].name, share)
		}
	}
	if v.Limit < 0 || v.Limit > maxLimit {
		return fmt.Errorf("preprocess/text: views of %d bytes: want 1 to %d, or 0 for the default", v.Limit, maxLimit)
	}
	return nil
}

// shares are those of changes, in their order.
func (v Views) shares() [len(changes)]float64 {
	return [...]float64{v.Drop, v.Swap, v.Noise, v.Handles, v.Punctuation, v.Case}
}

// changes are what can be done to a text: count tells to how much of it, and apply does it to n.
var changes = [...]struct {
	name  string
	count func(p *parsed) int
	apply func(s *perturber, n int)
}{
	{"dropped words", func(p *parsed) int { return len(p.words) - 1 }, (*perturber).drop},
	{"swapped words", func(p *parsed) int { return len(p.words) - 1 }, (*perturber).swap},
	{"noisy words", func(p *parsed) int { return len(p.long) }, (*perturber).noise},
	{"handles", func(p *parsed) int { return len(p.handles) }, (*perturber).handle},
	{"punctuation", func(p *parsed) int { return len(p.marks) }, (*perturber).punctuate},
	{"words of other case", func(p *parsed) int { return len(p.cased) }, (*perturber).recase},
}

// Viewer makes views of texts, which are texts: the tokenizer comes after. It is safe for concurrent use.
type Viewer struct {
	views   Views
	scratch sync.Pool // of *perturber
}

// NewViewer returns the viewer of settings.
func NewViewer(v Views) (*Viewer, error) {
	if err := v.Validate(); err != nil {
		return nil, err
	}
	if v.Limit == 0 {
		v.Limit = defaultLimit
	}
	viewer := &Viewer{views: v}
	viewer.scratch.New = func() any { return &perturber{random: draw.New()} }
	return viewer, nil
}

// Count returns the number of views, the plain one included.
func (v *Viewer) Count() int { return 1 + v.views.Augmented }

// Texts writes the views of a text into dst, which has Count elements: first the text itself. What is random in view i depends on
// the seed and on i alone. A text of more than white space never becomes empty. Bytes that are no UTF-8 stay as they are, and
// characters as readers see them (grapheme clusters: flags, families, letters with marks) stay whole.
func (v *Viewer) Texts(dst []string, text string, seed uint64) {
	if len(dst) != v.Count() {
		panic(fmt.Sprintf("preprocess/text: room for %d views, want %d", len(dst), v.Count()))
	}
	dst[0] = text
	if len(dst) == 1 {
		return
	}
	s := v.scratch.Get().(*perturber)
	defer v.scratch.Put(s)
	s.parse(shortened(text, v.views.Limit, v.views.Left))
	for i := range dst[1:] {
		s.random.View(seed, i+1)
		dst[i+1] = s.view(v.views)
	}
	s.forget()
}

// forget lets go of the text, which the pool must not keep alive.
func (s *perturber) forget() {
	s.text = ""
	clear(s.clusters[:cap(s.clusters)])
}

// view returns the text after one change.
func (s *perturber) view(v Views) string {
	var on [len(changes)]int
	n := 0
	shares := v.shares()
	for i, share := range shares {
		if share > 0 && changes[i].count(&s.parsed) > 0 {
			on[n] = i
			n++
		}
	}
	if n == 0 {
		return s.text
	}
	i := on[s.random.IntN(n)]
	count := changes[i].count(&s.parsed)
	s.out = s.out[:0]
	changes[i].apply(s, min(max(int(shares[i]*float64(count)+0.5), 1), count))
	if len(bytes.TrimSpace(s.out)) == 0 {
		return s.text
	}
	return string(s.out)
}
