package text

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sugarme "github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/normalizer"

	"github.com/oatta/oatta/internal/testdata"
)

// small is a tokenizer with the vocabulary of the goldens in this folder.
func small(t testing.TB, n Normaliser, s Settings) *Tokenizer {
	return withVocab(t, filepath.Join("testdata", "mini-vocab.txt"), n, s)
}

func full(t testing.TB, n Normaliser, s Settings) *Tokenizer {
	return withVocab(t, testdata.Shared(t, "data", "tokenizer", "bert-base-uncased-vocab.txt"), n, s)
}

func withVocab(t testing.TB, path string, n Normaliser, s Settings) *Tokenizer {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := parseVocab(b, folder{}, s)
	if err != nil {
		t.Fatal(err)
	}
	spec := tok.spec
	spec.normaliser = n
	if tok, err = newTokenizer(tok.model.GetVocab(), spec); err != nil {
		t.Fatal(err)
	}
	return tok
}

type golden struct {
	Text string  `json:"text"`
	IDs  []int64 `json:"ids"`
}

func readLines[T any](t testing.TB, path string) (out []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for dec := json.NewDecoder(bufio.NewReader(f)); ; {
		var v T
		if err := dec.Decode(&v); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
}

func TestCases(t *testing.T) {
	type c struct {
		Text string
		IDs  map[string][]int64
	}
	cases := readLines[c](t, filepath.Join("testdata", "cases.jsonl"))
	if len(cases) < 50 {
		t.Fatalf("%d cases", len(cases))
	}
	for name, n := range settingsOf {
		tok := small(t, n, Settings{MaxLength: 4096})
		for _, c := range cases {
			if got, cut := tok.Append(nil, c.Text); cut || !slices.Equal(got, c.IDs[name]) {
				t.Errorf("%s: %.60q: %v, want %v", name, c.Text, got, c.IDs[name])
			}
		}
	}
}

func TestGoldenFiles(t *testing.T) {
	tok := full(t, Uncased, Settings{MaxLength: 128}) // as tokenizer.json beside them has it
	for _, name := range testdata.Some(t, "data/tokenizer", "golden_tweets_500.jsonl", "golden_adversarial.jsonl", "golden_accents_mini.jsonl") {
		rows := readLines[golden](t, testdata.Shared(t, "data", "tokenizer", name))
		if len(rows) == 0 {
			t.Errorf("%s: no rows", name)
		}
		for i, g := range rows {
			if got, _ := tok.Append(nil, g.Text); !slices.Equal(got, g.IDs) {
				t.Errorf("%s:%d: %q: %v, want %v", name, i+1, g.Text, got, g.IDs)
			}
		}
	}
	b, err := os.ReadFile(testdata.Shared(t, "data", "tokenizer", "minilm_l6_golden_embeddings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []golden
	if err := json.Unmarshal(b, &rows); err != nil || len(rows) == 0 {
		t.Fatal(len(rows), err)
	}
	for _, g := range rows {
		if got, _ := tok.Append(nil, g.Text); !slices.Equal(got, g.IDs) {
			t.Errorf("embeddings: %q: %v, want %v", g.Text, got, g.IDs)
		}
	}
}

// tweets are the texts of the real rows.
func tweets(t testing.TB) []string {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "data", "text", "sentiment140_subset.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r[5]
	}
	return out
}

func TestSentiment140(t *testing.T) {
	var want map[string][]string
	readGolden(t, "sentiment140.json", &want)
	rows := tweets(t)
	for name, n := range settingsOf {
		tok := full(t, n, Settings{MaxLength: 8192})
		var ids []int64
		block := 0
		for part := range slices.Chunk(rows, 64) {
			sum := crc32.NewIEEE()
			for _, text := range part {
				ids, _ = tok.Append(ids[:0], text)
				for _, id := range append(ids, 0xffffffff) {
					_ = binary.Write(sum, binary.LittleEndian, uint32(id))
				}
			}
			if got := fmt.Sprintf("%08x", sum.Sum32()); got != want[name][block] {
				t.Errorf("%s: rows from %d: %s, want %s", name, 64*block, got, want[name][block])
			}
			block++
		}
		if block != len(want[name]) {
			t.Errorf("%s: %d blocks, want %d", name, block, len(want[name]))
		}
	}
}

// readPieces returns the vocabulary but for the special tokens.
func readPieces(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, "data", "tokenizer", "bert-base-uncased-vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Fields(string(data)), func(p string) bool { return strings.HasPrefix(p, "[") && len(p) > 1 })
}

// The table of pieces gives what the library's WordPiece gives, word by word. That model is right; the speed is why it is not asked.
func TestPiecesAgainstTheLibrary(t *testing.T) {
	tok := full(t, Uncased, Settings{})
	seen := map[string]bool{}
	if testdata.Have(t, "data", "text", "sentiment140_subset.csv.gz") {
		for _, text := range tweets(t)[:20000] {
			for _, w := range wordsOf(Uncased, text) {
				seen[w] = true
			}
		}
	} else { // words of one to three pieces, and of letters that are no piece together
		pieces := readPieces(t)
		r := rand.New(rand.NewPCG(8, 8))
		for range 20000 {
			word := ""
			for range 1 + r.IntN(3) {
				word += strings.TrimPrefix(pieces[r.IntN(len(pieces))], "##")
			}
			for _, w := range wordsOf(Uncased, word) {
				seen[w] = true
			}
		}
	}
	for w := range seen {
		want, err := tok.model.Tokenize(w)
		if err != nil {
			t.Fatal(err)
		}
		got := tok.pieces.appendWord(nil, []byte(w), len([]rune(w)))
		if !slices.EqualFunc(got, want, func(id int64, tk sugarme.Token) bool { return id == int64(tk.Id) }) {
			t.Errorf("%q: %v, want %v", w, got, want)
		}
	}
	if len(seen) < 10000 {
		t.Errorf("only %d words", len(seen))
	}
}

// The library's normaliser is the reason for ours: these are its differences from the reference.
func TestTheLibrarysNormaliserDiffers(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"naïve café", "naive|cafe"},
		{"Ünïted", "united"},
		{"\ufeffBOM", "bom"},
		{"\u200bzero\u200bwidth", "zerowidth"},
		{"a\ue000b", "ab"},
	} {
		if got := strings.Join(wordsOf(Uncased, tc.text), "|"); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
		n, err := normalizer.NewBertNormalizer(true, true, true, true).Normalize(normalizer.NewNormalizedFrom(tc.text))
		if err != nil {
			t.Fatal(err)
		}
		theirs := n.GetNormalized()
		if words := strings.Join(wordsOf(Normaliser{}, theirs), "|"); words == tc.want && !strings.HasPrefix(tc.text, "\ufeff") && !strings.HasPrefix(tc.text, "\u200b") {
			t.Errorf("%q: the library is right by now (%q): use it", tc.text, theirs)
		}
	}
}

func TestLoadFolder(t *testing.T) {
	dir := testdata.Asset(t, "minilm")
	tok, err := Load(dir, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if s := tok.Settings(); s.MaxLength != 128 || s.Padding != PadFixed || tok.Normaliser() != Uncased || tok.Len() != 30522 || tok.Pad() != 0 {
		t.Errorf("%+v, %+v, %d pieces, padding %d", s, tok.Normaliser(), tok.Len(), tok.Pad())
	}
	for i, g := range readLines[golden](t, testdata.Shared(t, "data", "tokenizer", "golden_tweets_500.jsonl")) {
		got, cut := tok.Append(nil, g.Text)
		if !cut && !slices.Equal(got, g.IDs) {
			t.Errorf("row %d: %v, want %v", i, got, g.IDs)
		}
	}
}

func TestBatch(t *testing.T) {
	tok := small(t, Uncased, Settings{MaxLength: 6})
	var b Batch
	tok.Encode(&b, []string{"a b c d e f g", "a", ""})
	ids, mask := b.IDs.Data.([]int64), b.Mask.Data.([]int64)
	if !slices.Equal(b.IDs.Shape, []int64{3, 6}) || !slices.Equal(b.Lengths, []int{6, 3, 2}) || !slices.Equal(b.Cut, []bool{true, false, false}) {
		t.Fatalf("shape %v, lengths %v, cut %v", b.IDs.Shape, b.Lengths, b.Cut)
	}
	if !slices.Equal(mask, []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0}) {
		t.Errorf("mask %v", mask)
	}
	if ids[0] != 2 || ids[5] != 3 || ids[6] != 2 || ids[8] != 3 || ids[9] != 0 || ids[12] != 2 || ids[13] != 3 {
		t.Errorf("ids %v", ids)
	}
	left, _ := small(t, Uncased, Settings{MaxLength: 6, Left: true}).Append(nil, "a b c d e f g")
	right, _ := tok.Append(nil, "d e f g")
	if !slices.Equal(left, right) {
		t.Errorf("from the left %v, want %v", left, right)
	}
	for _, tc := range []struct {
		s    Settings
		want int64
	}{{Settings{MaxLength: 9, Padding: PadFixed}, 9}, {Settings{MaxLength: 9, Multiple: 4}, 4}, {Settings{MaxLength: 9, Multiple: 10}, 9}, {Settings{}, 3}} {
		small(t, Uncased, tc.s).Encode(&b, []string{"a"})
		if b.IDs.Shape[1] != tc.want || b.Types.Check() != nil || b.Mask.Check() != nil || b.IDs.Check() != nil {
			t.Errorf("%+v: %v, want length %d", tc.s, b.IDs.Shape, tc.want)
		}
	}
	small(t, Uncased, Settings{}).Encode(&b, nil)
	if !slices.Equal(b.IDs.Shape, []int64{0, 0}) || b.IDs.Check() != nil {
		t.Errorf("no texts: %v", b.IDs.Shape)
	}
}

func TestBatchAllocatesNothing(t *testing.T) {
	tok := small(t, Uncased, Settings{})
	texts := []string{"hello world", "Café naïve", strings.Repeat("long ", 300)}
	var b Batch
	tok.Encode(&b, texts)
	if n := testing.AllocsPerRun(100, func() { tok.Encode(&b, texts) }); n > 3 && !raceEnabled { // the shapes' any values
		t.Errorf("%g allocations", n)
	}
}

func TestConcurrentUse(t *testing.T) {
	tok := small(t, Uncased, Settings{})
	want, _ := tok.Append(nil, "a Café of words")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				if got, _ := tok.Append(nil, "a Café of words"); !slices.Equal(got, want) {
					t.Errorf("%v, want %v", got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestHugeTexts(t *testing.T) {
	for _, left := range []bool{false, true} {
		tok := small(t, Uncased, Settings{Left: left})
		for _, unit := range []string{"a", "a ", "\u302f\u302a", "e\u0301", "[", "[SEP]", "\xff", " ", "你"} {
			ids, cut := tok.Append(nil, strings.Repeat(unit, 10<<20/len(unit)))
			if len(ids) > 512 || cut != (len(ids) == 512) {
				t.Errorf("%q: %d ids, cut %t", unit, len(ids), cut)
			}
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	texts := tweets(b)[:4096]
	tok := full(b, Uncased, Settings{MaxLength: 128})
	var batch Batch
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		tok.Encode(&batch, texts[n%64*64:][:64])
		n++
	}
	b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds(), "tweets/s")
}

// Text without ASCII takes the long way through Unicode's tables.
func BenchmarkScripts(b *testing.B) {
	for _, text := range []string{"日本語のテキストはここにあります。", "Ünïcödé ÀÉÎÕÜ çà été", "Это русский текст для проверки", "한국어 텍스트 각각"} {
		b.Run(text[:6], func(b *testing.B) {
			tok := small(b, Uncased, Settings{})
			var ids []int64
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				ids, _ = tok.Append(ids[:0], text)
			}
		})
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{"", "Café [SEP] x", "\xff\xfe", "\u302f\u302a", "İ각你", strings.Repeat("x", 300)} {
		f.Add(s)
	}
	toks := []*Tokenizer{small(f, Uncased, Settings{MaxLength: 16}), small(f, Cased, Settings{MaxLength: 16, Left: true, Tweets: Transforms()}), small(f, Normaliser{Strip: true}, Settings{MaxLength: 3})}
	f.Fuzz(func(t *testing.T, s string) {
		for _, tok := range toks {
			ids, _ := tok.Append(nil, s)
			if len(ids) < 2 || len(ids) > tok.Settings().MaxLength {
				t.Fatalf("%q: %d ids", s, len(ids))
			}
			for _, id := range ids {
				if _, ok := tok.Token(id); !ok {
					t.Fatalf("%q: id %d is no token", s, id)
				}
			}
		}
	})
}
