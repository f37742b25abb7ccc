package hypnogram

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf"
)

// maxEpochs bounds a hypnogram: a year.
const maxEpochs = 366 * 86400 / EpochSeconds

// Hypnogram is the stages of a recording.
type Hypnogram struct {
	Start    time.Time // from which seconds count, wall clock; zero if unknown
	Offset   float64   // second at which the first epoch begins, 0 to 30: not 0 where all was scored in epochs off the start
	Stages   []Stage   // one for each epoch
	Lines    int       // stages of a list without times, one a line, which [Hypnogram.Fits] compares with the recording; 0: they have times
	Warnings []string  // of the file, its annotations and the stages
}

// Options say how hypnograms are read. The zero value is the usual way.
type Options struct {
	// Words are further texts that stand for stages, in lower case, as a laboratory may have its own. They count before all others.
	Words map[string]Stage
}

// Open reads the hypnogram of an EDF+ or BDF+ file, which may hold signals as well.
func Open(path string) (*Hypnogram, error) { return Options{}.openEDF(path) }

// Read reads the hypnogram of an open file. A file without any stage is an error that wraps [ErrNoStages].
func Read(f *edf.File) (*Hypnogram, error) { return Options{}.Read(f) }

// FromAnnotations makes a hypnogram of annotations in order of onset, counted from start.
func FromAnnotations(start time.Time, annotations []edf.Annotation) (*Hypnogram, error) {
	h, err := Options{}.fromAnnotations(start, annotations)
	if err != nil {
		return nil, fmt.Errorf("hypnogram: %w", err)
	}
	return h, nil
}

func (o Options) openEDF(path string) (*Hypnogram, error) {
	f, err := edf.OpenFile(path)
	if err != nil {
		return nil, err
	}
	h, err := o.Read(f)
	return h, errors.Join(err, f.Close())
}

// Read reads the hypnogram of an open file.
func (o Options) Read(f *edf.File) (*Hypnogram, error) {
	annotations, notes, err := f.Annotations()
	if err != nil {
		return nil, err
	}
	h, err := o.noted(f.Header().Start, annotations, notes)
	if err != nil {
		return nil, fmt.Errorf("hypnogram: %w", err)
	}
	h.Warnings = slices.Concat(f.Header().Warnings, h.Warnings)
	return h, nil
}

var (
	// ErrNoStages says that nothing in a file tells a stage.
	ErrNoStages = errors.New("no annotation of a sleep stage")
	errOverlap  = errors.New("the annotations of stages cover two years")
)

func (o Options) fromAnnotations(start time.Time, annotations []edf.Annotation) (*Hypnogram, error) {
	p := o.pick(annotations)
	if len(p.kept) == 0 || p.known == 0 {
		return nil, fmt.Errorf("%w%s", ErrNoStages, texts(annotations))
	}
	spans, cut, err := bounded(last(p.kept, p.stages), p.kept)
	if err != nil {
		return nil, err
	}
	if len(spans) == 0 {
		return nil, fmt.Errorf("all %d annotations of stages end before the start", len(p.kept))
	}
	g := lay(spans)
	h := &Hypnogram{Start: start, Offset: g.phase, Stages: g.stages, Warnings: p.warnings()}
	if cut > 0 {
		h.Warnings = append(h.Warnings, fmt.Sprintf("%d annotations of stages begin before the start: cut there", cut))
	}
	h.Warnings = append(h.Warnings, g.warnings()...)
	return h, nil
}

// texts lists the first few different texts of annotations, for messages.
func texts(annotations []edf.Annotation) string {
	var some []string
	for _, a := range annotations {
		quoted := show(a.Text)
		if slices.Contains(some, quoted) {
			continue
		}
		if len(some) == 4 {
			some = append(some, "...")
			break
		}
		some = append(some, quoted)
	}
	if some == nil {
		return ""
	}
	return fmt.Sprintf(" among %d: %s", len(annotations), strings.Join(some, ", "))
}

// show quotes a text, cut where it is long.
func show(s string) string {
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "..."
	}
	return fmt.Sprintf("%q", s)
}

// picked is the annotations of stages.
type picked struct {
	kept    []edf.Annotation
	stages  []Stage
	known   int    // of stages, Unscored among them, that are known
	strange int    // of stages that are not known, which are kept as Unscored
	first   string // of those
	bare    string // the first text that is the word alone, if such are read
}

// pick takes the annotations that can be of nothing but a stage; only if there is none, those that are the word for one alone.
func (o Options) pick(annotations []edf.Annotation) (p picked) {
	for _, a := range annotations {
		stage, ok := o.stage(a.Text)
		p.add(a, stage, ok, strange(a.Text))
	}
	if p.known > 0 {
		return p
	}
	var words picked
	scored := false
	for _, a := range annotations {
		stage, ok := bareStage(a.Text)
		if words.add(a, stage, ok, false); ok && stage != Unscored {
			scored = true
			if words.bare == "" {
				words.bare = a.Text
			}
		}
	}
	if scored {
		return words
	}
	return p
}

// stage reads a text by the words of one's own, and else as [ParseStage].
func (o Options) stage(text string) (Stage, bool) {
	if stage, ok := o.Words[strings.ToLower(strings.TrimSpace(text))]; ok {
		return stage, true
	}
	return ParseStage(text)
}

func (p *picked) add(a edf.Annotation, stage Stage, known, strange bool) {
	switch {
	case known:
		p.known++
	case strange:
		if p.strange++; p.strange == 1 {
			p.first = a.Text
		}
	default:
		return
	}
	p.kept, p.stages = append(p.kept, a), append(p.stages, stage)
}

func (p *picked) warnings() (out []string) {
	if p.strange > 0 {
		out = append(out, fmt.Sprintf("%d annotations are of stages that are not known, the first %s: not scored", p.strange, show(p.first)))
	}
	if p.bare != "" {
		out = append(out, fmt.Sprintf("%d annotations are taken for stages, the first %s", p.known, show(p.bare)))
	}
	return out
}

// bounded cuts spans at the start, which it counts, and refuses those beyond all measure.
func bounded(spans []span, kept []edf.Annotation) (out []span, cut int, err error) {
	total := 0.0 // bounds the work that a small file can ask for
	for i, s := range spans {
		if !(s.from <= s.to && s.from > -maxEpochs*EpochSeconds && s.to <= maxEpochs*EpochSeconds) { // NaN, too
			return nil, 0, fmt.Errorf("annotation %s at second %g for %g seconds", show(kept[i].Text), s.from, s.to-s.from)
		}
		if s.from < 0 {
			cut++
		}
		if s.to <= 0 && s.from < 0 {
			continue
		}
		if total += s.to - s.from; total > 2*maxEpochs*EpochSeconds {
			return nil, 0, errOverlap
		}
		out = append(out, s)
	}
	return out, cut, nil
}
