package text

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"
)

// settingsOf are the settings of testdata/golden.py.
var settingsOf = map[string]Normaliser{
	"uncased": Uncased,
	"cased":   Cased,
	"accents": {Clean: true, Chinese: true, Lowercase: true},
	"raw":     {Strip: true},
}

func readGolden(t testing.TB, name string, to any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func wordsOf(n Normaliser, text string) (out []string) {
	n.Words(text, 100, func(w []byte, chars int) bool {
		if chars != utf8.RuneCount(w) {
			panic(fmt.Sprintf("%q has %d characters, not %d", w, utf8.RuneCount(w), chars))
		}
		out = append(out, string(w))
		return true
	})
	return out
}

// Every code point, between letters and between combining characters, gives the words that it gives in the reference.
func TestEveryCodePoint(t *testing.T) {
	var golden map[string][]string
	readGolden(t, "codepoints.json", &golden)
	for name, n := range settingsOf {
		if len(golden[name]) != 0x110 {
			t.Fatalf("%s: %d blocks", name, len(golden[name]))
		}
		for i, want := range golden[name] {
			sum := crc32.NewIEEE()
			for c := rune(i * 4096); c < rune(i+1)*4096; c++ {
				if !utf8.ValidRune(c) {
					continue
				}
				for j, w := range wordsOf(n, "a"+string(c)+"b c\u302f"+string(c)+"\U0001d165") {
					if j > 0 {
						sum.Write([]byte("\n"))
					}
					sum.Write([]byte(w))
				}
				sum.Write([]byte{0})
			}
			if got := fmt.Sprintf("%08x", sum.Sum32()); got != want {
				t.Errorf("%s: code points from %#x: %s, want %s", name, i*4096, got, want)
			}
		}
	}
}

func TestWordsStopAndLimit(t *testing.T) {
	var got []string
	Cased.Words("one two three", 2, func(w []byte, chars int) bool {
		got = append(got, fmt.Sprintf("%s %d", w, chars))
		return len(got) < 2
	})
	if want := []string{"one 3", "two 3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := wordsOf(Uncased, "\xff a\x80b \xe2\x82"); !slices.Equal(got, []string{"ab"}) {
		t.Errorf("invalid UTF-8: %q", got)
	}
}
