package backbone_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/weights"
)

func wordFile(t *testing.T, name string, rows, columns int, values []float32) *weights.File {
	t.Helper()
	w, err := weights.NewFloat32(name, []int{rows, columns}, values)
	if err != nil {
		t.Fatal(err)
	}
	return inMemory(t, []*weights.Tensor{w})
}

// TestLoadWords: of a table whose rows vary along 48 of 60 axes, nothing is lost but the origin and the unit: distances stay as they are to each
// other.
func TestLoadWords(t *testing.T) {
	const rows, columns, width = 200, 60, 48
	random := rand.New(rand.NewPCG(1, 2))
	table := make([]float32, rows*columns)
	for i := range table {
		table[i] = 3 // the mean is taken off
		if i%columns < width {
			table[i] += float32(random.NormFloat64())
		}
	}
	for _, counts := range [][]int{nil, make([]int, rows)} {
		n := made(t, "text_cnn", backbone.Options{Vocabulary: rows})
		if counts != nil {
			counts[7] = 1000
		}
		if err := n.LoadWords(wordFile(t, "bert.embeddings.word_embeddings.weight", rows, columns, table), counts); err != nil {
			t.Fatal(err)
		}
		got := values(t, n, "embeddings.weight")
		square, unit := 0.0, 0.0
		for _, v := range got {
			square += v * v / float64(len(got))
		}
		if math.Abs(math.Sqrt(square)-0.3) > 1e-6 {
			t.Errorf("deviation %v, want 0.3", math.Sqrt(square))
		}
		for i := range rows - 1 {
			was, is := 0.0, 0.0
			for k := range columns {
				d := float64(table[i*columns+k] - table[(i+1)*columns+k])
				was += d * d
			}
			for k := range width {
				d := got[i*width+k] - got[(i+1)*width+k]
				is += d * d
			}
			if i == 0 {
				unit = is / was
			}
			if math.Abs(is/was/unit-1) > 1e-5 {
				t.Fatalf("rows %d and %d: the distance is %v of what it was, others %v", i, i+1, is/was, unit)
			}
		}
	}
}

// What often occurs decides which axes are kept: here the two rows that do differ along the last column alone.
func TestLoadWordsCounts(t *testing.T) {
	const rows, columns, width = 100, 50, 48
	random := rand.New(rand.NewPCG(3, 4))
	table := make([]float32, rows*columns)
	for i := range table {
		if i%columns < columns-1 {
			table[i] = float32(random.NormFloat64())
		}
	}
	table[columns-1], table[2*columns-1] = 0.1, -0.1
	apart := func(counts []int) float64 {
		n := made(t, "text_cnn", backbone.Options{Vocabulary: rows})
		for k := range columns - 1 {
			table[columns+k] = table[k]
		}
		if err := n.LoadWords(wordFile(t, "x.word_embeddings.weight", rows, columns, table), counts); err != nil {
			t.Fatal(err)
		}
		got, d := values(t, n, "embeddings.weight"), 0.0
		for k := range width {
			d += math.Pow(got[k]-got[width+k], 2)
		}
		return math.Sqrt(d)
	}
	counts := make([]int, rows)
	counts[0], counts[1] = 100000, 100000
	if rare, often := apart(nil), apart(counts); !(often > 0.03 && rare < 0.01) {
		t.Errorf("the rows are %v apart, and %v where they count", rare, often)
	}
}

func TestLoadWordsErrors(t *testing.T) {
	n := made(t, "text_cnn", backbone.Options{Vocabulary: 10})
	good := make([]float32, 10*60)
	for i := range good {
		good[i] = float32(i % 7)
	}
	nan := append([]float32{float32(math.NaN())}, good[1:]...)
	for want, f := range map[string]*weights.File{
		"[9 60], want [10, 48 or more]":     wordFile(t, "a.word_embeddings.weight", 9, 60, good[:540]),
		"[10 40], want [10, 48 or more]":    wordFile(t, "a.word_embeddings.weight", 10, 40, good[:400]),
		"no matrix that ends in":            wordFile(t, "embeddings.weight", 10, 60, good),
		"element 0 is NaN":                  wordFile(t, "a.word_embeddings.weight", 10, 60, nan),
		"all rows of the table are alike":   wordFile(t, "a.word_embeddings.weight", 10, 60, make([]float32, 600)),
		"no table that another could start": nil,
	} {
		net := n
		if f == nil {
			net, f = made(t, "cnn1d", backbone.Options{}), wordFile(t, "a.word_embeddings.weight", 10, 60, good)
		}
		if err := net.LoadWords(f, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := n.LoadWords(wordFile(t, "a.word_embeddings.weight", 10, 60, good), make([]int, 3)); err == nil {
		t.Error("three counts for ten words: no error")
	}
}
