package backbone

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/oatta/oatta/models/weights"
)

// wordsDeviation is the standard deviation of a table of words that [Net.LoadWords] makes: of the size of a signal, so that learning
// moves the rows rather than drowns them.
const wordsDeviation = 0.3

// LoadWords starts the table of words of a text_cnn from the one of a larger network of the same vocabulary, as BERT's in Hugging Face's names
// (a tensor that ends in word_embeddings.weight, [vocabulary, at least the columns of ours]): each row, less the mean of all, in the principal
// components of the rows, of which row i counts 1 + counts[i] times: counts are how often the words occur in the texts to come; nil: alike.
// The table has a standard deviation of 0.3. The file may be closed afterwards; after an error the network is as it was.
func (n *Net) LoadWords(f *weights.File, counts []int) error {
	values, err := n.words(f, counts)
	if err != nil {
		return fmt.Errorf("models/backbone: %s: words: %w", n.Name, err)
	}
	return n.Set(wordTable, values)
}

// wordTable is the name of the table of words.
const wordTable = "embeddings.weight"

func (n *Net) words(f *weights.File, counts []int) ([]float32, error) {
	ours, ok := n.Tensor(wordTable)
	if !ok {
		return nil, fmt.Errorf("the network has no table that another could start: give all its weights instead")
	}
	theirs, err := wordsOf(f)
	if err != nil {
		return nil, err
	}
	rows, columns, width := ours.Dims[0], int64(theirs.Shape()[1]), ours.Dims[1]
	if int64(theirs.Shape()[0]) != rows || columns < width {
		return nil, fmt.Errorf("%s is %v, want [%d, %d or more]: it must be of the same vocabulary", theirs.Name(), theirs.Shape(), rows, width)
	}
	if counts != nil && int64(len(counts)) != rows {
		return nil, fmt.Errorf("%d counts for %d words", len(counts), rows)
	}
	table, err := elements(Tensor{Dims: []int64{rows, columns}}, theirs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", theirs.Name(), err)
	}
	centred := centre(table, int(rows), int(columns))
	axes, err := principal(centred, counts, int(width))
	if err != nil {
		return nil, err
	}
	var out mat.Dense
	out.Mul(centred, axes)
	return scaled(out.RawMatrix().Data, wordsDeviation)
}

func wordsOf(f *weights.File) (*weights.Tensor, error) {
	for _, t := range f.Tensors() {
		if strings.HasSuffix(t.Name(), "word_embeddings.weight") && len(t.Shape()) == 2 {
			return t, nil
		}
	}
	return nil, fmt.Errorf("the file has no matrix that ends in word_embeddings.weight")
}

// centre takes the mean row off.
func centre(table []float32, rows, columns int) *mat.Dense {
	out, mean := mat.NewDense(rows, columns, nil), make([]float64, columns)
	for i, v := range table {
		mean[i%columns] += float64(v) / float64(rows)
	}
	data := out.RawMatrix().Data
	for i, v := range table {
		data[i] = float64(v) - mean[i%columns]
	}
	return out
}

// principal returns the axes along which the rows vary most, one a column.
func principal(rows *mat.Dense, counts []int, width int) (*mat.Dense, error) {
	n, columns := rows.Dims()
	weighted := mat.DenseCopyOf(rows)
	for i, c := range counts {
		row := weighted.RawRowView(i)
		for j := range row {
			row[j] *= math.Sqrt(1 + float64(max(0, c)))
		}
	}
	scatter := mat.NewSymDense(columns, nil)
	scatter.SymOuterK(1/float64(n), weighted.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(scatter, true) {
		return nil, fmt.Errorf("the table has no principal components")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors) // by rising eigenvalue
	axes := mat.NewDense(columns, width, nil)
	for k := range width {
		axes.SetCol(k, mat.Col(nil, columns-1-k, &vectors))
	}
	return axes, nil
}

// scaled gives numbers about a mean of 0 a standard deviation.
func scaled(values []float64, deviation float64) ([]float32, error) {
	square := 0.0
	for _, v := range values {
		square += v * v / float64(len(values))
	}
	if !(square > 0) {
		return nil, fmt.Errorf("all rows of the table are alike")
	}
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v * deviation / math.Sqrt(square))
	}
	return out, nil
}
