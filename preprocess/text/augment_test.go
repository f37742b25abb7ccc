package text

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func textViewer(t testing.TB, v Views) *Viewer {
	t.Helper()
	viewer, err := NewViewer(v)
	if err != nil {
		t.Fatal(err)
	}
	return viewer
}

// viewsOf are the augmented views of a text.
func viewsOf(t testing.TB, v Views, text string, seed uint64) []string {
	t.Helper()
	viewer := textViewer(t, v)
	out := make([]string, viewer.Count())
	viewer.Texts(out, text, seed)
	if out[0] != text {
		t.Fatalf("plain view %q of %q", out[0], text)
	}
	return out[1:]
}

// distinct are the different views of a text, sorted: with many draws, all that there can be.
func distinct(t *testing.T, v Views, text string) []string {
	v.Augmented = 500
	seen := viewsOf(t, v, text, 1)
	slices.Sort(seen)
	return slices.Compact(seen)
}

// TestEachChange lists all views that a change has for a text.
func TestEachChange(t *testing.T) {
	for _, c := range []struct {
		v    Views
		text string
		want []string
	}{
		{Views{Drop: 0.1}, " a  b\tc\n", []string{" a  b\n", " a  c\n", " b\tc\n"}},
		{Views{Drop: 0.5}, "a b c d", []string{"a b", "a c", "a d", "b c", "b d", "c d"}},
		{Views{Drop: 1}, "a b c", []string{"a", "b", "c"}},
		{Views{Drop: 1}, "alone", []string{"alone"}},
		{Views{Swap: 0.1}, " a  b\tc\n", []string{" a  c\tb\n", " b  a\tc\n"}},
		{Views{Swap: 1}, "a b c", []string{"b c a"}},
		{Views{Noise: 0.1}, "ab c", []string{"a c", "b c", "ba c"}},
		{Views{Noise: 0.1}, "x né y", []string{"x n y", "x é y", "x én y"}},
		{Views{Noise: 0.1}, "x ne\u0301 y", []string{"x e\u0301 y", "x e\u0301n y", "x n y"}}, // the same, decomposed
		{Views{Noise: 0.1}, "👨‍👩‍👧🇩🇪", []string{"🇩🇪", "🇩🇪👨‍👩‍👧", "👨‍👩‍👧"}},
		{Views{Noise: 0.1}, "👨‍👩‍👧 🇩🇪 x", []string{"👨‍👩‍👧 🇩🇪 x"}},
		{Views{Handles: 0.1}, "see (@bob): yes", []string{"see (@user): yes", "see yes"}},
		{Views{Handles: 0.1}, "#naïve_1! ok", []string{"naïve_1! ok", "ok"}},
		{Views{Handles: 0.1}, "at HTTPS://a.b/#c", []string{"at", "at http"}},
		{Views{Handles: 0.1}, "\"www.a.b\" it is", []string{"\"http it is", "it is"}},
		{Views{Handles: 0.1}, "@bob", []string{"@user"}},
		{Views{Handles: 1}, "@bob #tag", []string{"@user tag"}},
		{Views{Handles: 1}, "a@b.c # @ @! 1️⃣ #️⃣", []string{"a@b.c # @ @! 1️⃣ #️⃣"}},
		{Views{Punctuation: 0.1}, "no, never!", []string{"no never!", "no, never", "no, never!!", "no,, never!"}},
		{Views{Punctuation: 0.1}, "#️⃣ @a.b", []string{"#️⃣ @a.b"}},
		{Views{Punctuation: 0.1}, "!", []string{"!", "!!"}},
		{Views{Case: 0.1}, "Good day 1", []string{"Good DAY 1", "Good Day 1", "good day 1"}},
		{Views{Case: 1}, "«été» ÉTÉ 日本 @Bob", []string{"«ÉTÉ» été 日本 @Bob", "«Été» été 日本 @Bob"}},
		{UsualViews(), "", []string{""}},
		{UsualViews(), " \t\n", []string{" \t\n"}},
		{UsualViews(), "7", []string{"7"}},
		{Views{}, "nothing is on", []string{"nothing is on"}},
	} {
		if got := distinct(t, c.v, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%+v of %q:\n got %q\nwant %q", c.v, c.text, got, c.want)
		}
	}
}

// TestSharesAreKept: of many words, as many as asked for change, every one as often as another.
func TestSharesAreKept(t *testing.T) {
	const n, views = 40, 2000
	words := make([]string, n)
	for i := range words {
		words[i] = string([]rune{rune('a' + i%20), rune('A' + i/20), 'x'})
	}
	text := strings.Join(words, " ")
	count := map[string]int{}
	for _, view := range viewsOf(t, Views{Augmented: views, Drop: 0.25}, text, 2) {
		kept := strings.Fields(view)
		if len(kept) != n-10 {
			t.Fatalf("%d words are left of %d", len(kept), n)
		}
		for _, w := range kept {
			count[w]++
		}
	}
	for _, w := range words {
		if got := float64(count[w]) / views; math.Abs(got-0.75) > 0.05 {
			t.Errorf("%s stays with probability %v", w, got)
		}
	}
	for _, view := range viewsOf(t, Views{Augmented: 100, Case: 0.25}, text, 3) {
		changed := 0
		for i, w := range strings.Fields(view) {
			if w != words[i] {
				changed++
			}
		}
		if changed != 10 {
			t.Errorf("%d words changed", changed)
		}
	}
	for _, view := range viewsOf(t, Views{Augmented: 100, Noise: 0.25}, text, 4) {
		changed := 0
		for i, w := range strings.Fields(view) {
			if w != words[i] {
				changed++
			}
		}
		if changed != 10 {
			t.Errorf("%d words have noise", changed)
		}
	}
}

// TestChangesAreDrawnEvenly: of those that find something in the text.
func TestChangesAreDrawnEvenly(t *testing.T) {
	v := UsualViews()
	v.Augmented = 3000
	punctuated, cased := 0, 0
	for _, view := range viewsOf(t, v, "a-b", 1) { // noise, punctuation, case; no second word, no handle
		switch {
		case strings.ToLower(view) != view:
			cased++
		case view == "ab" || view == "a--b":
			punctuated++ // and noise, which leaves out the - once in six
		}
	}
	if got := float64(cased) / 3000; math.Abs(got-1.0/3) > 0.03 {
		t.Errorf("case in %v of the views", got)
	}
	if got, want := float64(punctuated)/3000, 1.0/3+1.0/18; math.Abs(got-want) > 0.03 {
		t.Errorf("punctuation in %v of the views, want %v", got, want)
	}
}

// TestTextViewsDependOnSeedAlone: not on earlier texts, on concurrent ones, or on the number of views.
func TestTextViewsDependOnSeedAlone(t *testing.T) {
	const text = "So, @bob says the #heron near http://example.org is GONE... we waited for hours and saw nothing!"
	v := UsualViews()
	want := viewsOf(t, v, text, 1)
	v.Augmented = 5
	few := textViewer(t, v)
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			got := make([]string, few.Count())
			for range 3 {
				few.Texts(got, "something else, longer or shorter", seed)
				few.Texts(got, text, seed)
				if same := slices.Equal(got[1:], want[:5]); same != (seed == 1) {
					t.Errorf("seed %d: the same is %v", seed, same)
				}
			}
		})
	}
	wg.Wait()
}

// TestLongTexts: 10 MB of words, of one word, of one character with marks without end; the views are of the part that counts, and
// no larger.
func TestLongTexts(t *testing.T) {
	const size = 10 << 20
	for name, text := range map[string]string{
		"words":    strings.Repeat("So, @bob says the #heron is GONE! ", size/34),
		"one word": strings.Repeat("é", size/2),
		"marks":    "a" + strings.Repeat("\u0301", size/2),
		"flags":    strings.Repeat("🇩🇪", size/8),
		"spaces":   strings.Repeat(" ", size),
		"garbage":  strings.Repeat("\xff\x80.", size/3),
	} {
		for _, left := range []bool{false, true} {
			v := UsualViews()
			v.Left = left
			for _, view := range viewsOf(t, v, text, 1) {
				if len(view) > 2*defaultLimit || len(view) < defaultLimit/3 {
					t.Errorf("%s: a view of %d bytes", name, len(view))
				}
				if utf8.ValidString(text) && !utf8.ValidString(view) {
					t.Errorf("%s: a view is no UTF-8", name)
				}
			}
		}
	}
	words := "zero one two three four five six seven eight nine"
	for _, c := range []struct {
		limit int
		left  bool
		want  string
	}{{20, false, "zero one two three"}, {20, true, " seven eight nine"}, {100, false, words}, {3, false, "zer"}, {3, true, "ine"}} {
		if got := shortened(words, c.limit, c.left); got != c.want {
			t.Errorf("%d bytes, left %v: %q, want %q", c.limit, c.left, got, c.want)
		}
	}
	if a, b := shortened("éé", 3, false), shortened("éé", 3, true); a != "é" || b != "é" {
		t.Errorf("a character is cut: %q, %q", a, b)
	}
}

func TestTextSettingsAreChecked(t *testing.T) {
	for want, v := range map[string]Views{
		"-1 augmented":                 {Augmented: -1},
		"4097 augmented":               {Augmented: 4097},
		"share of dropped words -0.1":  {Drop: -0.1},
		"share of swapped words NaN":   {Swap: math.NaN()},
		"share of noisy words 2":       {Noise: 2},
		"share of handles 1.1":         {Handles: 1.1},
		"share of punctuation NaN":     {Punctuation: math.NaN()},
		"share of words of other case": {Case: -1},
		"views of -1 bytes":            {Limit: -1},
	} {
		if _, err := NewViewer(v); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "preprocess/text: ") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("too little room did not panic")
		}
	}()
	textViewer(t, UsualViews()).Texts(make([]string, 3), "a b", 1)
}

// clusters are the characters of a text as readers see them, and how often each stands in it.
func clusters(text string) map[string]int {
	n := map[string]int{}
	for state := -1; text != ""; {
		var c string
		c, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		n[c]++
	}
	return n
}

// FuzzViews: whatever the bytes are, a text with something in it never loses all of it, valid UTF-8 stays so, the same seed gives
// the same views, and changes that move or leave out things make no character that was not there.
func FuzzViews(f *testing.F) {
	for _, s := range []string{
		"", " ", "a", "So, @bob says the #heron near http://example.org is GONE!", "👨‍👩‍👧 🇩🇪🇫🇷", "é e\u0301\u200d", "#️⃣ @a\u0301b",
		"\xff\xfe x", "日本語 テスト", "ŉ ǰ İ ß ﬁ", "a\u0000b\u2028c", "مرحبا #بالعالم",
	} {
		f.Add(s, uint64(1))
	}
	usual := UsualViews()
	usual.Limit = 1 << 10
	all := textViewer(f, usual)
	moves := textViewer(f, Views{Augmented: 6, Drop: 0.3, Swap: 0.3, Limit: 1 << 20})
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		out, again := make([]string, all.Count()), make([]string, all.Count())
		all.Texts(out, text, seed)
		all.Texts(again, text, seed)
		if !slices.Equal(out, again) {
			t.Fatal("other views for the same seed")
		}
		beginning := shortened(text, usual.Limit, false)
		empty := strings.TrimFunc(beginning, unicode.IsSpace) == ""
		for _, view := range out[1:] {
			if strings.TrimFunc(view, unicode.IsSpace) == "" && !empty {
				t.Fatalf("%q became %q", text, view)
			}
			if utf8.ValidString(text) && !utf8.ValidString(view) {
				t.Fatalf("%q became %q", text, view)
			}
			if len(view) > 2*usual.Limit+8 {
				t.Fatalf("%d bytes became %d", len(text), len(view))
			}
		}
		if len(text) > 1<<20 {
			return
		}
		out = out[:moves.Count()]
		moves.Texts(out, text, seed)
		words := map[string]int{}
		for _, w := range strings.Fields(text) {
			words[w]++
		}
		for _, view := range out[1:] {
			had := map[string]int{}
			for _, w := range strings.Fields(view) {
				if had[w]++; had[w] > words[w] {
					t.Fatalf("%q became %q: word %q", text, view, w)
				}
			}
		}
	})
}

// TestNoiseSplitsNoCharacter: what is left consists of characters that were there.
func TestNoiseSplitsNoCharacter(t *testing.T) {
	const text = "👨‍👩‍👧🇩🇪é한국어 நி👍🏽क्षि x🏳️‍🌈y"
	had := clusters(text)
	for _, view := range viewsOf(t, Views{Augmented: 500, Noise: 1}, text, 1) {
		for c, n := range clusters(view) {
			if n > had[c] {
				t.Fatalf("%q has %q", view, c)
			}
		}
	}
}

// BenchmarkTextViews measures the views of a tweet.
func BenchmarkTextViews(b *testing.B) {
	const text = "So, @bob says the #heron near http://example.org is GONE... we waited for hours and saw nothing!"
	v := textViewer(b, UsualViews())
	out := make([]string, v.Count())
	b.ReportAllocs()
	for b.Loop() {
		v.Texts(out, text, 1)
	}
	b.ReportMetric(float64(b.N*v.Count())/b.Elapsed().Seconds(), "views/s")
}
