package benchmarks

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/adapt"
)

// Stream is one labelled stream with the predictions made on it.
type Stream struct {
	Name  string
	Q     [][]float64 // [steps][classes]
	Truth []int       // [steps]
}

// maxLine bounds a prediction with its label, in bytes, and maxLines their number.
const (
	maxLine  = 1 << 20
	maxLines = 10 << 20
)

// ReadStreams reads gzipped lines {"stream": "user01", "probs": [...], "label": "walking"}, with "truth" for "label" as good; streams are in
// the order in which they first appear. classes are the names of the labels in the order of probs.
func ReadStreams(name string, classes []string) ([]*Stream, error) {
	return readStreams(name, classes, func(string) error { return nil })
}

// readStreams refuses a line whose stream admit refuses.
func readStreams(name string, classes []string, admit func(stream string) error) ([]*Stream, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w", err)
	}
	defer f.Close() // read only
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %s: %w", filepath.Base(name), err)
	}
	streams, err := parseStreams(z, classes, admit)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %s: %w", filepath.Base(name), err)
	}
	return streams, nil
}

func parseStreams(r io.Reader, classes []string, admit func(stream string) error) (streams []*Stream, err error) {
	at := map[string]*Stream{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		if n > maxLines {
			return nil, fmt.Errorf("more than %d lines", maxLines)
		}
		line, err := parseItem(lines.Bytes(), classes)
		if cut := lines.Err(); cut != nil { // the line is what was left of one
			err = cut
		}
		s := at[line.stream]
		if err == nil && s == nil {
			s, err = &Stream{Name: line.stream}, admit(line.stream)
			at[line.stream], streams = s, append(streams, s)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		s.Q, s.Truth = append(s.Q, line.q), append(s.Truth, line.truth)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	if len(streams) == 0 {
		return nil, errors.New("no lines")
	}
	return streams, nil
}

// streamItem is one line of predictions.
type streamItem struct {
	stream string
	q      []float64
	truth  int
}

func parseItem(text []byte, classes []string) (streamItem, error) {
	var line struct {
		Stream string    `json:"stream"`
		Probs  []float64 `json:"probs"`
		Label  string    `json:"label"`
		Truth  string    `json:"truth"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return streamItem{}, err
	}
	label := cmp.Or(line.Label, line.Truth)
	truth := slices.Index(classes, label)
	if truth < 0 {
		return streamItem{}, fmt.Errorf("label %q: want one of %v", label, classes)
	}
	return streamItem{line.Stream, line.Probs, truth}, adapt.Check(line.Probs, len(classes))
}

// Collection is streams of one kind: recordings of people, cameras.
type Collection struct {
	Name    string
	File    string // that the predictions were read from, without its ending; empty: none
	Classes int
	Labels  []string // names of the classes; nil: unknown
	Streams []*Stream
	Person  func(stream string) string // to whom a stream belongs; nil: each to somebody else
	Others  []*Counts                  // [streams] of the labels that the predictor of each stream was trained on; nil: those of other people's streams here
	Replay  bool                       // the predictor is one of other classes, not trained under the frequencies of these
}

// StreamsResult holds what each method changes on each stream of a collection.
type StreamsResult struct {
	Name    string
	Streams []string
	Steps   int         // of all streams
	Base    []float64   // [streams] accuracy in percent
	Methods []string    //
	Change  [][]float64 // [methods][streams] in points against the base
}

// todays are the filters of this project and the methods in use, for a stream whose population is known or nil.
func (c *Collection) todays(population *Population) []Method {
	methods := append(Filters(nil), RollingMode(), RollingMean(), CentredVote(), CentredMean())
	if population != nil {
		methods = append(methods, population.Filter(), population.Viterbi(false))
	}
	if population != nil && !c.Replay {
		methods = append(methods, population.Viterbi(true))
	}
	return methods
}

// RunStreams runs the filters and the methods in use on every stream; the population of a stream is the streams of other people.
func RunStreams(c *Collection, workers int) *StreamsResult {
	r := &StreamsResult{Name: c.Name, Base: make([]float64, len(c.Streams))}
	populations := c.populations()
	for _, m := range c.todays(populations[0]) {
		r.Methods = append(r.Methods, m.Name)
		r.Change = append(r.Change, make([]float64, len(c.Streams)))
	}
	_ = Parallel(workers, len(c.Streams), func(i int) error { // no job fails
		s := c.Streams[i]
		values := accuracies(append([]Method{Base()}, c.todays(populations[i])...), s.Q, s.Truth)
		r.Base[i] = values[0]
		for m, v := range values[1:] {
			r.Change[m][i] = v - values[0]
		}
		return nil
	})
	for _, s := range c.Streams {
		r.Streams = append(r.Streams, s.Name)
		r.Steps += len(s.Q)
	}
	return r
}

// populations returns that of the others for each stream, all nil if there are no others for some.
func (c *Collection) populations() []*Population {
	out := make([]*Population, len(c.Streams))
	for i, others := range c.others() {
		if others != nil {
			out[i] = others.addOne()
		}
	}
	return out
}

// others returns what the labels of others hold for each stream, all nil if there are no others for some.
func (c *Collection) others() []*Counts {
	if c.Others != nil {
		return c.Others
	}
	out := make([]*Counts, len(c.Streams))
	for i, s := range c.Streams {
		var others [][]int
		for _, o := range c.Streams {
			if !c.samePerson(o, s) {
				others = append(others, o.Truth)
			}
		}
		if len(others) == 0 {
			return make([]*Counts, len(c.Streams))
		}
		out[i] = CountLabels(c.Classes, others)
	}
	return out
}

func (c *Collection) samePerson(a, b *Stream) bool {
	if c.Person == nil {
		return a.Name == b.Name
	}
	return c.Person(a.Name) == c.Person(b.Name)
}

// confusions returns for each stream how often items of class i of other people's streams were predicted as class j, all nil if there are no
// others for some.
func (c *Collection) confusions() [][][]float64 {
	own := make([][][]float64, len(c.Streams))
	for i, s := range c.Streams {
		own[i] = confusionOf(c.Classes, s)
	}
	out := make([][][]float64, len(c.Streams))
	for i, s := range c.Streams {
		sum, others := squareOf(c.Classes), 0
		for k, o := range c.Streams {
			if c.samePerson(o, s) {
				continue
			}
			others++
			for class, row := range own[k] {
				floats.Add(sum[class], row)
			}
		}
		if others == 0 {
			return make([][][]float64, len(c.Streams))
		}
		out[i] = sum
	}
	return out
}

func confusionOf(classes int, s *Stream) [][]float64 {
	out := squareOf(classes)
	for t, label := range baseLabels(s.Q) {
		out[s.Truth[t]][label]++
	}
	return out
}

func squareOf(k int) [][]float64 {
	out := make([][]float64, k)
	for i := range out {
		out[i] = make([]float64, k)
	}
	return out
}

// Summary is a method over the streams of a collection: mean and worst change in points, and how many streams lose more than one.
type Summary struct {
	Method string  `json:"method"`
	Mean   float64 `json:"mean"`
	Worst  float64 `json:"worst"`
	Harmed int     `json:"streams_losing_over_1"`
}

// Summaries returns one for each method; every stream counts the same, whatever its length.
func (r *StreamsResult) Summaries() (out []Summary) {
	for m, name := range r.Methods {
		s := Summary{Method: name, Mean: stat.Mean(r.Change[m], nil), Worst: slices.Min(r.Change[m])}
		for _, v := range r.Change[m] {
			if v < -1 {
				s.Harmed++
			}
		}
		out = append(out, s)
	}
	return out
}
