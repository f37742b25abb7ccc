package filter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/internal/streams"
)

// linePass is a pass over a format of one item a line.
type linePass struct {
	*job
	in     predictions.Lines
	out    *predictionOutput
	runner *streams.Runner[lineRef]

	item      *predictions.Item // the one that was just read
	hold      func() lineRef    // of it
	line      []byte
	done      predictions.Offset // up to where every line was answered
	committed time.Time
}

// lineRef is a line that waits: one with a prediction, or the text of one that is written as it is.
type lineRef struct {
	held predictions.Held
	text []byte
}

// lines passes one line after another.
func (r *job) lines(in predictions.Lines, from *predicted.Input, out *predictionOutput) error {
	p := &linePass{job: r, in: in, out: out, committed: time.Now()}
	p.hold = func() lineRef { return lineRef{held: in.Hold()} }
	if r.memory.ahead() { // what goes out is remembered first
		out.hold()
	}
	switch {
	case r.memory != nil && from.Pipe:
		from.Idle = p.commit
	case r.memory == nil && out.zip == nil: // flushing in the middle would spoil compression
		from.Idle = out.Flush
	}
	if r.memory.grows() {
		in.Grow()
	}
	err := p.open()
	for err == nil {
		err = p.next()
	}
	switch {
	case err == io.EOF:
		p.noteOpen()
		err = p.end()
		r.whole = err == nil
	case p.runner != nil && r.streams.Mode == streams.Lagged && (errors.As(err, new(unread)) || errors.As(err, new(*predictions.LineError))):
		err = errors.Join(err, p.end()) // what waits was read
	}
	r.NoteOf(in)
	return p.remember(err)
}

// open reads what stands before the first item, and goes to where an earlier run of the same input ended.
func (p *linePass) open() error {
	labels, err := p.in.Begin()
	if err == nil && labels != nil {
		err = p.begin(len(labels), labels)
	}
	if err != nil {
		return err
	}
	if at, ok := p.memory.resume(); ok {
		p.done = at
		if !p.C.Bool("quiet") {
			fmt.Fprintf(p.Env.Err, "oatta: %s was read to line %d before%s: it goes on from there\n", p.Name, at.Lines, p.memory.formerly())
		}
		if err := errors.Join(p.in.SkipTo(at), p.out.resume()); err != nil || p.out.kept() > 0 {
			return err
		}
	} else {
		p.done = p.in.Offset()
	}
	if p.runner != nil && p.memory != nil { // so that a run which is killed before its first commit can go on
		err = p.commit()
	}
	if err == nil {
		_, err = p.out.Write(p.in.Head(nil))
	}
	return err
}

// begin makes the runner, too.
func (p *linePass) begin(classes int, labels []string) error {
	err := p.job.begin(classes, labels)
	if err != nil {
		return err
	}
	o := p.job.streams
	if p.memory != nil {
		o.Source = p.remembered
		if o.Times != nil {
			o.Times.Restore = func(stream string) ([]byte, error) { return p.memory.store.Companion(stream) }
		}
	}
	p.runner, err = streams.New(o, p.answer)
	return err
}

// remembered returns the filter of a stream from memory, which is committed first if it can hold no more.
func (p *linePass) remembered(stream string) (*adapt.Filter, error) {
	f, err := p.memory.store.Filter(stream)
	if errors.Is(err, state.ErrFull) {
		if err = p.commit(); err == nil {
			f, err = p.memory.store.Filter(stream)
		}
	}
	return f, err
}

// next reads one line and has it answered. io.EOF is the end.
func (p *linePass) next() error {
	item, err := p.in.Next()
	var bad *predictions.LineError
	if err != nil && !errors.As(err, &bad) {
		if err != io.EOF {
			err = unread{err}
		}
		return err
	}
	if bad == nil && p.predicted(item) {
		if err = p.step(item); err == nil {
			return p.answered()
		}
		if !errors.As(err, &bad) {
			return err
		}
	}
	if err := p.Failed(err); err != nil {
		return err
	}
	if err := p.pass(); err != nil {
		return err
	}
	return p.answered()
}

// noteOpen tells of a last line whose end is still to be written.
func (p *linePass) noteOpen() {
	if p.in.Open() && !p.C.Bool("quiet") {
		fmt.Fprintf(p.Env.Err, "oatta: %s: what follows line %d has no end yet, and is left for the next run\n", p.Name, p.in.Offset().Lines)
	}
}

// unread is an error of reading on: what was answered stays.
type unread struct{ error }

func (u unread) Unwrap() error { return u.error }

// predicted tells whether there is something to filter, and counts what has no prediction.
func (p *linePass) predicted(item *predictions.Item) bool {
	if item.Probs == nil && !item.Blank {
		p.Items++
		p.Unpredicted++
	}
	return item.Probs != nil
}

// step has an item filtered. An error is a [predictions.LineError] if it is of this line only.
func (p *linePass) step(item *predictions.Item) error {
	classes := p.Classes
	if classes == 0 {
		classes = len(item.Probs)
	}
	rounded, err := adapt.Normalise(item.Probs, classes)
	if err != nil {
		return &predictions.LineError{Name: p.Name, Line: p.in.Line(), Err: err}
	}
	if rounded {
		p.Rounded++
	}
	if p.Classes == 0 {
		if err := p.begin(classes, nil); err != nil {
			return &predictions.LineError{Name: p.Name, Line: p.in.Line(), Err: predicted.Fatal(err)}
		}
		if p.memory != nil {
			if err := p.commit(); err != nil {
				return err
			}
		}
	}
	class, known, err := p.labelOf(item)
	if err != nil {
		return &predictions.LineError{Name: p.Name, Line: p.in.Line(), Err: predicted.Fatal(err)}
	}
	p.item = item
	err = p.runner.Add(streams.Item[lineRef]{Stream: item.Stream, ID: item.ID, Time: p.TimeOf(item), Probs: item.Probs, Known: known, Class: class, Ref: p.hold})
	if atLine(err) {
		err = &predictions.LineError{Name: p.Name, Line: p.in.Line(), Err: predicted.Fatal(err)}
	}
	return err
}

// atLine tells whether an error has its place in the line in hand.
func atLine(err error) bool {
	return errors.Is(err, streams.ErrStreams) || errors.Is(err, streams.ErrHeld) || errors.As(err, new(*streams.OrderError))
}

// pass writes the line in hand as it is, at its place.
func (p *linePass) pass() error {
	if p.runner == nil {
		return p.in.Unchanged(p.out)
	}
	return p.runner.Pass(func() lineRef {
		var text bytes.Buffer
		_ = p.in.Unchanged(&text) // a buffer takes everything
		return lineRef{text: text.Bytes()}
	})
}

// answer writes a line.
func (p *linePass) answer(a streams.Answer[lineRef]) (err error) {
	item := p.item
	switch {
	case a.Waited && a.Ref.text != nil:
		_, err = p.out.Write(a.Ref.text)
		return err
	case a.Waited:
		if item, err = p.in.Recall(a.Ref.held); err != nil {
			return err
		}
	}
	if a.Dropped {
		p.Items++
	}
	if a.Probs == nil {
		return p.in.Unchanged(p.out)
	}
	p.line = p.in.Append(p.line[:0], p.adapted(item, a.Result))
	_, err = p.out.Write(p.line)
	return err
}

// answered marks the line as done, and commits now and then.
func (p *linePass) answered() error {
	if p.memory == nil {
		return nil
	}
	p.done = p.in.Offset()
	if p.done.Lines%256 == 0 && time.Since(p.committed) > CommitEvery || p.out.holds() > mostHeld {
		return p.commit()
	}
	return nil
}

// CommitEvery is how much work a kill can cost. Tests set it, and wait after a commit.
var (
	CommitEvery = 2 * time.Second
	AfterCommit = func() {}
)

// mostHeld bounds the bytes of answers that wait for a commit.
const mostHeld = 4 << 20

// commit brings output and memory to the disk, the output first: what is behind the size that memory knows is cut off by the next run. Of standard
// output and of pipes nothing can be cut off: there the memory comes first.
func (p *linePass) commit() error {
	if p.runner == nil { // the classes are not known yet
		return p.out.release()
	}
	p.explained.Keep() // a filter is good until a commit
	if err := p.runner.SaveClocks(p.memory.store.SetCompanion); err != nil {
		return err
	}
	if p.memory.ahead() { // one who has seen an answer may rely on its being remembered
		if err := p.memory.commit(p.done, filtering.OutputMark{}); err != nil {
			return err
		}
		p.committed = time.Now()
		AfterCommit()
		return p.out.release()
	}
	if err := p.out.sync(); err != nil {
		return err
	}
	mark, err := filtering.MarkOf(p.memory.out, p.out.size())
	if err == nil {
		err = p.memory.commit(p.done, mark)
	}
	p.committed = time.Now()
	AfterCommit()
	return err
}

// end answers what waits.
func (p *linePass) end() error {
	if p.runner == nil {
		return nil
	}
	return p.runner.Flush()
}

// remember commits at the end of the pass, however it ended, unless it ended because something could not be written.
func (p *linePass) remember(err error) error {
	if p.runner != nil {
		p.streamCount, p.times = p.runner.Streams(), p.runner.Counts()
	}
	if p.memory == nil {
		return err
	}
	var bad *predictions.LineError
	if err == nil || errors.As(err, new(unread)) || errors.As(err, &bad) {
		err = errors.Join(err, p.commit())
	}
	return errors.Join(err, p.memory.close())
}
