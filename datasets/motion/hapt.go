package motion

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"

	"github.com/oatta/oatta/datasets/internal/message"
)

// haptActivities are the labels of HAPT, in the order of its codes 1 to 12: six activities and the six transitions between postures.
var haptActivities = []string{
	"walking", "walking upstairs", "walking downstairs", "sitting", "standing", "lying",
	"stand to sit", "sit to stand", "sit to lie", "lie to sit", "stand to lie", "lie to stand",
}

// haptRate is the rate of the phones in Hz.
const haptRate = 50

// span is a labelled stretch of a recording of HAPT.
type span struct {
	Activity    int // index into haptActivities
	First, Last int // samples, the first of the file being 1, both ends within
	line        int // of labels.txt
}

// HAPTRecording is one entry of the collection.
type HAPTRecording struct {
	Experiment, User int
	spans            []span // in order, without overlaps
	file             string
}

// Person returns user01 and so on.
func (h HAPTRecording) Person() string { return fmt.Sprintf("user%02d", h.User) }

// Name returns the name of the file without its ending.
func (h HAPTRecording) Name() string {
	return fmt.Sprintf("acc_exp%02d_user%02d", h.Experiment, h.User)
}

// HAPT is the raw part of the UCI data set Smartphone-Based Recognition of Human Activities and Postural Transitions: acceleration in g,
// three axes at 50 Hz, one file an experiment, two of them a person.
type HAPT struct {
	Recordings []HAPTRecording // in order of experiments
	Warnings   []string
	files      fileSet
}

// OpenHAPT opens the collection: a folder with labels.txt and the files acc_expXX_userYY.txt, itself or in RawData below it, or a tar.gz
// or zip of such a folder. A tar.gz is read into memory, 12 bytes a sample.
func OpenHAPT(path string) (*HAPT, error) {
	files, err := openFiles(path)
	if err != nil {
		return nil, err
	}
	h := &HAPT{files: files}
	if err := h.list(path); err != nil {
		_ = files.Close() // the error that counts is the first
		return nil, err
	}
	return h, nil
}

// Close closes the archive.
func (h *HAPT) Close() error { return h.files.Close() }

func (h *HAPT) list(from string) error {
	labels := ""
	for _, name := range h.files.names() {
		if path.Base(name) == "labels.txt" {
			labels = name
		}
		if e := experimentOf(name); e != nil {
			h.Recordings = append(h.Recordings, *e)
		}
	}
	if labels == "" || len(h.Recordings) == 0 {
		return fmt.Errorf("motion: %s: want labels.txt and files acc_expXX_userYY.txt", show(from))
	}
	slices.SortFunc(h.Recordings, func(a, b HAPTRecording) int { return a.Experiment - b.Experiment })
	for i := 1; i < len(h.Recordings); i++ {
		if h.Recordings[i].Experiment == h.Recordings[i-1].Experiment {
			return fmt.Errorf("motion: %s: %s and %s are one experiment", show(from), show(h.Recordings[i-1].file), show(h.Recordings[i].file))
		}
	}
	in, err := h.files.open(labels)
	if err != nil {
		return err
	}
	defer in.Close()
	return h.readLabels(labels, in)
}

var haptFile = regexp.MustCompile(`^acc_exp(\d{1,4})_user(\d{1,4})\.txt$`)

// experimentOf reads the name of a file, nil if it is not one of HAPT's.
func experimentOf(name string) *HAPTRecording {
	m := haptFile.FindStringSubmatch(path.Base(name))
	if m == nil {
		return nil
	}
	e, _ := strconv.Atoi(m[1]) // digits, so they are numbers
	u, _ := strconv.Atoi(m[2])
	return &HAPTRecording{Experiment: e, User: u, file: name}
}

// readLabels reads lines of experiment, user, activity, first and last sample.
func (h *HAPT) readLabels(name string, in io.Reader) error {
	lines, size := newLines(name, in), 0
	for {
		text, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if size += len(text); size > maxLabelBytes { // a zip may hold any number of them
			return lines.errorf("more than %d MiB", maxLabelBytes>>20)
		}
		var v [5]int
		if err := integers(v[:], text); err != nil {
			return lines.errorf("%v", err)
		}
		if err := h.addSpan(v, lines.line); err != nil {
			return lines.errorf("%v", err)
		}
	}
	for i := range h.Recordings {
		if len(h.Recordings[i].spans) == 0 {
			h.Warnings = append(h.Warnings, fmt.Sprintf("%s: %s has no labels", show(name), h.Recordings[i].Name()))
		}
	}
	return nil
}

func (h *HAPT) addSpan(v [5]int, line int) error {
	i, ok := slices.BinarySearchFunc(h.Recordings, v[0], func(r HAPTRecording, e int) int { return r.Experiment - e })
	if !ok {
		h.Warnings = append(h.Warnings, fmt.Sprintf("labels.txt:%d: there is no experiment %d", line, v[0]))
		return nil
	}
	r := &h.Recordings[i]
	s := span{Activity: v[2] - 1, First: v[3], Last: v[4], line: line}
	switch {
	case v[1] != r.User:
		return fmt.Errorf("experiment %d is of user %d, not %d", v[0], r.User, v[1])
	case s.Activity < 0 || s.Activity >= len(haptActivities):
		return fmt.Errorf("activity %d: want 1 to %d", v[2], len(haptActivities))
	case s.First < 1 || s.Last < s.First:
		return fmt.Errorf("samples %d to %d", s.First, s.Last)
	case len(r.spans) > 0 && s.First <= r.spans[len(r.spans)-1].Last:
		return fmt.Errorf("samples %d to %d overlap with those of line %d, or come before them", s.First, s.Last, r.spans[len(r.spans)-1].line)
	}
	r.spans = append(r.spans, s)
	return nil
}

// integers reads whole numbers with blanks between them.
func integers(dst []int, text []byte) error {
	fields := bytes.Fields(text)
	if len(fields) != len(dst) {
		return fmt.Errorf("%s, want %d", message.Count(len(fields), "number"), len(dst))
	}
	for i, f := range fields {
		v, err := strconv.Atoi(string(f))
		if err != nil {
			return fmt.Errorf("%s is no whole number", show(string(f)))
		}
		dst[i] = v
	}
	return nil
}

// Open opens recording i. Samples that no span labels have NoLabel.
func (h *HAPT) Open(i int) (*Recording, error) {
	e := h.Recordings[i]
	in, err := h.files.open(e.file)
	if err != nil {
		return nil, err
	}
	r := &Recording{closer: in, labels: newDictionary(haptActivities...)}
	r.head = Header{
		Name: e.Name(), Person: e.Person(), Rate: haptRate,
		Channels: []Channel{{"x", "g"}, {"y", "g"}, {"z", "g"}},
	}
	if s, ok := in.(samplesOf); ok { // from memory
		r.dec = &haptDecoder{spans: e.spans, source: s, rec: r}
	} else {
		r.dec = &haptDecoder{spans: e.spans, source: &haptText{newLines(e.file, in)}, rec: r}
	}
	return r, nil
}

// samplesOf gives samples of three axes, or io.EOF.
type samplesOf interface {
	sample() ([3]float32, error)
	place() string
}

// haptDecoder gives times and labels to samples.
type haptDecoder struct {
	source samplesOf
	spans  []span
	count  int // samples read
	rec    *Recording
}

func (d *haptDecoder) where(int) string { return d.source.place() }

// next implements decoder.
func (d *haptDecoder) next(b *batch) error {
	for len(b.times) < batchRows {
		v, err := d.source.sample()
		if err == io.EOF {
			if len(b.times) > 0 {
				return nil
			}
			return d.atEnd()
		}
		if err != nil {
			return err
		}
		b.times = append(b.times, float64(d.count)/haptRate)
		b.values = append(b.values, v[:]...)
		d.count++
		b.labels = append(b.labels, d.label())
	}
	return nil
}

// label returns the label of the sample that was counted last.
func (d *haptDecoder) label() int32 {
	for len(d.spans) > 0 && d.count > d.spans[0].Last {
		d.spans = d.spans[1:]
	}
	if len(d.spans) > 0 && d.count >= d.spans[0].First {
		return int32(d.spans[0].Activity)
	}
	return NoLabel
}

func (d *haptDecoder) atEnd() error {
	if d.count == 0 {
		return fmt.Errorf("motion: %s: no samples", d.rec.head.Name)
	}
	if n := len(d.spans); n > 0 && d.spans[n-1].Last > d.count {
		d.rec.notes.say("%s: labels.txt:%d labels samples up to %d, the file has %d", d.rec.head.Name, d.spans[n-1].line, d.spans[n-1].Last, d.count)
		d.spans = nil
	}
	return io.EOF
}

// haptText reads lines of three numbers.
type haptText struct{ *lines }

func (t *haptText) sample() (v [3]float32, err error) {
	text, err := t.next()
	if err != nil {
		return v, err
	}
	for i := range v {
		text = bytes.TrimLeft(text, " \t")
		end := bytes.IndexAny(text, " \t")
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			return v, t.errorf("%s, want 3", message.Count(i, "number"))
		}
		if v[i], err = number(string(text[:end])); err != nil {
			return v, t.errorf("%v", err)
		}
		text = text[end:]
	}
	if len(bytes.TrimSpace(text)) > 0 {
		return v, t.errorf("more than 3 numbers")
	}
	return v, nil
}

// lines reads a text line by line, without what is empty.
type lines struct {
	name string
	in   *bufio.Reader
	line int
}

const maxLine = 64 << 10

func newLines(name string, in io.Reader) *lines {
	return &lines{name: name, in: bufio.NewReaderSize(in, maxLine)}
}

func (l *lines) place() string { return fmt.Sprintf("%s:%d", show(l.name), l.line) }

func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("motion: %s: %s", l.place(), fmt.Sprintf(format, args...))
}

// next returns a line without its end; it is good until the next call.
func (l *lines) next() ([]byte, error) {
	for {
		text, err := l.in.ReadSlice('\n')
		l.line++
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, l.errorf("a line of more than %d KiB", maxLine>>10)
		case err != nil && err != io.EOF:
			return nil, l.errorf("%v", message.Cause(err))
		}
		if text = bytes.TrimRight(text, " \t\r\n"); len(text) > 0 {
			return text, nil
		}
		if err == io.EOF {
			return nil, io.EOF
		}
	}
}
