package items

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/oatta/oatta/datasets"
)

// Item is what a file says of one item. Its slices are valid until the next one is read.
type Item struct {
	File, Stream string
	Time         time.Time // what the clock on the wall showed, held in UTC; zero where none is told

	Offset, Duration float64     // seconds, of a piece of a recording; a duration of 0: it is none
	Box              *[4]float64 // part of the picture: x, y, width, height in shares of it; nil: all

	Raw, Adapted      string  // labels; "": not told
	Prob, AdaptedProb float64 // of the labels, 0 to 1; NaN: not told
	Gate              float64 // 0 to 1; NaN: not told
	Mode              string  // filtered, lagged or smoothed

	Probs, AdaptedProbs []float64 // of [File.Classes], before and after the filter; nil: not told

	Truth   string // true label; "": none
	Failure string // why there is no result
}

// Changed tells whether the filter changed the label.
func (it *Item) Changed() bool { return it.Raw != "" && it.Adapted != "" && it.Raw != it.Adapted }

// Predicted tells whether there is a result.
func (it *Item) Predicted() bool { return it.Adapted != "" }

// Piece tells whether the item is a piece of a recording.
func (it *Item) Piece() bool { return it.Duration > 0 }

// rounded is by how much a probability that was rounded, or summed, may be over 1.
const rounded = 1e-3

// forget takes numbers that can be no probability for not told, and tells whether there were any. Of a recording's piece, what no clock
// could show is no place in it.
func (it *Item) forget() (odd bool) {
	for _, v := range []*float64{&it.Prob, &it.AdaptedProb, &it.Gate} {
		if *v < 0 || *v > 1+rounded {
			*v, odd = nan, true
		}
	}
	if !(math.Abs(it.Offset) < mostSeconds && math.Abs(it.Duration) < mostSeconds) {
		it.Offset, it.Duration = 0, 0
	}
	return odd
}

// mostSeconds is a century.
const mostSeconds = 100 * 366 * 24 * 3600

// Options says how to read. The zero value reads what this program writes.
type Options struct {
	TruthField    string // field or column of the true label; default "truth"
	StreamField   string // of the stream; default "stream"
	IDField       string // of the item's name; default "file", else "id"
	TimeField     string // default "time"
	StreamPattern string // documents: regular expression on the file's name whose group is the stream; default the folder
	MaxLine       int    // the most bytes of a line; default 16 MiB
}

// Handler is told what is read.
type Handler struct {
	Item    func(*Item) error
	Bad     func(LineError) // a line that is left out; nil: nobody listens
	Vectors bool            // the vectors are wanted, which take time to read
}

func (h Handler) bad(e LineError) {
	if h.Bad != nil {
		h.Bad(e)
	}
}

// LineError is what is wrong with one line, which is left out.
type LineError struct {
	Name string // of the file
	Line int    // from 1
	Cut  bool   // the file ends in the middle of the line
	Err  error
}

// Error implements error: place, then cause.
func (e LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

// File is a file of results.
type File struct {
	Path     string
	Format   string    // jsonl, csv, megadetector, speciesnet or scores
	Classes  []string  // of vectors, or those that the file or its manifest declares; nil: labels alone tell
	Manifest *Manifest // nil: there is none beside it, or Problem says what is wrong with it
	Problem  error     // why the manifest cannot be read

	// Untouched counts, after [File.Each], what of a document the filter left alone: boxes and pictures without an answer.
	Untouched int

	// Outside counts, after [File.Each], items with a number outside of 0 to 1 where a probability or gate belongs. It is taken for not told.
	Outside int

	options Options
	times   *datasets.TimeReader
	words   map[string]string // names and labels that were met
	doc     document
}

// ErrNoResults is what is wrong with a file that holds something else than results.
var ErrNoResults = errors.New("it holds no results: no item has an adapted label. `oatta filter` makes results of the predictions of other programs")

// Open looks at a file. Format scores is that of `oatta eval --format json`, which has no items.
func Open(path string, o Options) (*File, error) {
	if o.MaxLine == 0 {
		o.MaxLine = 16 << 20
	}
	f := &File{Path: path, options: o, words: map[string]string{}}
	var err error
	if f.times, err = datasets.NewTimeReader("", true); err != nil {
		return nil, err
	}
	if f.Format, err = formatOf(path); err != nil {
		return nil, err
	}
	f.Manifest, f.Problem = readManifest(path)
	in, err := f.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if _, err := in.r.Peek(1); err == io.EOF {
		return nil, fmt.Errorf("%s: is empty", path)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Manifest != nil {
		f.Classes = f.Manifest.Classes
	}
	if f.Format == "document" {
		err = f.look(in.r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// formatOf goes by the ending; what a .json holds, its members tell.
func formatOf(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case path == "-":
		return "", errors.New("-: results are read twice: want a file, not standard input")
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s: is a folder: want a file of results", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: results are read twice: want a file, not a pipe or device", path)
	}
	if results, ok := strings.CutSuffix(path, ManifestPath("")); ok {
		return "", fmt.Errorf("%s: is a manifest: want the results beside it, %s", path, results)
	}
	switch ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))); ending {
	case ".jsonl", ".ndjson":
		return "jsonl", nil
	case ".csv", ".tsv":
		return "csv", nil
	case ".json":
		return "document", nil
	case ".txt":
		return "", fmt.Errorf("%s: a table for people is not read back: write the results as .jsonl, .csv or .json", path)
	default:
		return "", fmt.Errorf("%s: no format of results for the ending %q: want .jsonl, .ndjson, .csv, .tsv or .json", path, ending)
	}
}

// input is an open file, decompressed, as UTF-8.
type input struct {
	file *os.File
	r    *bufio.Reader
}

// Close closes the file.
func (in *input) Close() { _ = in.file.Close() } // was only read

func (f *File) open() (*input, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(file, 128<<10)
	if head, _ := b.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: damaged: %w", f.Path, err), file.Close())
		}
		b = bufio.NewReaderSize(z, 128<<10)
	}
	if head, _ := b.Peek(3); bytes.HasPrefix(head, []byte{0xfe, 0xff}) || bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) {
		b = bufio.NewReaderSize(transform.NewReader(b, unicode.BOMOverride(transform.Nop)), 128<<10)
	}
	return &input{file, b}, nil
}

// Each reads all items. An error is the handler's, or one of a file that cannot be read on; what is wrong with single lines, the handler hears.
func (f *File) Each(h Handler) error {
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	predicted := false
	item := h.Item
	f.Outside = 0
	h.Item = func(it *Item) error {
		if it.forget() {
			f.Outside++
		}
		predicted = predicted || it.Predicted() || it.Failure != ""
		return item(it)
	}
	switch f.Format {
	case "jsonl":
		err = f.lines(in.r, h)
	case "csv":
		err = f.rows(in.r, h)
	case "scores":
		return nil
	default:
		err = f.document(in.r, h)
	}
	if err == nil && !predicted {
		err = fmt.Errorf("%s: %w", f.Path, ErrNoResults)
	}
	return err
}

// word returns a string of its own for bytes that come again and again, as text: what is not UTF-8 is taken for Windows-1252.
func (f *File) word(b []byte) string {
	if w, ok := f.words[string(b)]; ok {
		return w
	}
	w := string(b)
	if !utf8.ValidString(w) {
		w, _ = charmap.Windows1252.NewDecoder().String(w)
	}
	if len(f.words) < 1<<16 {
		f.words[string(b)] = w
	}
	return w
}

// timeOf reads a time as the clock on the wall showed it; the zero time where it cannot be read.
func (f *File) timeOf(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", time.RFC3339Nano, "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return onWall(t)
		}
	}
	t, _, err := f.times.Read(text)
	if err != nil || t.IsZero() {
		return time.Time{}
	}
	return onWall(t)
}

// onWall is what the clock showed, held in UTC: all times of a report are of one kind.
func onWall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// Top returns the most probable class; -1 of none.
func Top(p []float64) int {
	at := -1
	for i, v := range p {
		if at < 0 || v > p[at] {
			at = i
		}
	}
	return at
}

// softmax makes probabilities of logits, in place.
func softmax(x []float64) {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	sum := 0.0
	for i, v := range x {
		x[i] = math.Exp(v - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

var nan = math.NaN()
