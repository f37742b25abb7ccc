package filter

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/explain"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
)

// documentPass is a pass over a document, whose items come stream by stream.
type documentPass struct {
	*job
	d      *predictions.Document
	runner *streams.Runner[int] // of the current stream
	space  *predictions.Space   // and its classes
	stream string
	at     int // the current item
	item   predictions.Item

	probs, raw     []float64    // of the current item, and of one that had to wait
	restored, full [2][]float64 // before and after the filter: of the space, and of all classes
}

// document passes the items of a document.
func (r *job) document(from *predicted.Input, out *predictionOutput) error {
	r.Options.Also = r.known.Named
	if r.taught != nil || r.settings.Prior != nil || r.settings.Population != nil { // which are of all classes
		r.Options.Most = math.MaxInt
	}
	d, err := predictions.ReadDocument(r.Name, from, r.Format, r.Options)
	if err != nil {
		return err
	}
	r.NoteOf(d)
	p := &documentPass{job: r, d: d}
	if err := p.all(); err != nil {
		return err
	}
	r.whole = true
	_, err = d.WriteTo(out)
	return err
}

func (p *documentPass) all() error {
	if len(p.d.Classes()) > 0 {
		if err := p.begin(len(p.d.Classes()), p.d.Classes()); err != nil {
			return err
		}
		p.full = [2][]float64{make([]float64, p.Classes), make([]float64, p.Classes)}
	}
	for i := range p.d.Len() {
		select {
		case <-p.Stop:
			return predicted.ErrInterrupted
		default:
		}
		if err := p.Failed(p.next(i)); err != nil {
			return err
		}
	}
	err := p.end()
	p.addTimes()
	return err
}

// addTimes adds what the times of the streams of the runner came to.
func (p *documentPass) addTimes() {
	if p.runner != nil {
		p.times.Add(p.runner.Counts())
	}
}

// next has item i filtered. The streams end where another begins.
func (p *documentPass) next(i int) (err error) {
	space := p.d.Space(i)
	if p.item, err = p.d.Item(i, grown(&p.probs, space)); err != nil {
		return err
	}
	if p.item.Probs == nil {
		p.Items++
		p.Unpredicted++
		return nil
	}
	rounded, err := adapt.Normalise(p.item.Probs, space.Len())
	if err != nil {
		return p.d.Fail(i, err)
	}
	if rounded {
		p.Rounded++
	}
	if string(p.item.Stream) != p.stream || p.runner == nil {
		if err := p.beginStream(string(p.item.Stream), space); err != nil {
			return predicted.Fatal(err)
		}
	}
	class, known, err := p.labelOf(&p.item)
	if err != nil {
		return predicted.Fatal(err)
	}
	p.at = i // the crops of a picture have its name and time, and are no duplicates
	if err := p.runner.Add(streams.Item[int]{Stream: p.item.Stream, ID: fmt.Appendf(nil, "%s#%d", p.item.ID, i), Time: p.TimeOf(&p.item), Probs: p.item.Probs, Known: known, Class: space.Place(class), Ref: func() int { return i }}); err != nil {
		return predicted.Fatal(err)
	}
	return nil
}

func grown(x *[]float64, space *predictions.Space) []float64 {
	if n := space.Len(); cap(*x) < n {
		*x = make([]float64, n)
	}
	return (*x)[:space.Len()]
}

// beginStream ends the current stream and begins another. One that has the same classes takes over its filter.
func (p *documentPass) beginStream(stream string, space *predictions.Space) error {
	if err := p.end(); err != nil {
		return err
	}
	if p.runner == nil || p.space.Len() != space.Len() || p.space.Single != space.Single {
		p.addTimes()
		o := p.streams
		o.Classes = space.Len()
		if space.Single {
			o.Settings = o.Settings.TopOnly()
		}
		var err error
		if p.runner, err = streams.New(o, p.answer); err != nil {
			return err
		}
	}
	p.stream, p.space = stream, space
	p.streamCount++
	return p.explained.BeginStream(stream, space.Names(p.Labels))
}

// end answers what waits in the current stream.
func (p *documentPass) end() error {
	if p.runner == nil {
		return nil
	}
	p.explained.Keep() // the filter may serve another stream
	return p.runner.End()
}

// answer notes what was found for an item.
func (p *documentPass) answer(a streams.Answer[int]) (err error) {
	if a.Dropped { // it stays as it is
		p.Items++
		return nil
	}
	i, item := p.at, &p.item
	if a.Waited {
		i = a.Ref
		waited, err := p.d.Item(i, grown(&p.raw, p.space))
		if err != nil {
			return err
		}
		item = &waited
	}
	p.d.Adapt(i, p.adaptedOf(i, item, a.Result))
	return nil
}

// adaptedOf is what is written for item i, and counts it.
func (p *documentPass) adaptedOf(i int, item *predictions.Item, result streams.Result) predictions.Adapted {
	if p.space.Alone && !result.Known {
		result.Probs, result.Gate = item.Probs, 0
	}
	p.restored[0] = p.space.Restore(p.restored[0], item.Probs, item.Probs)
	p.restored[1] = p.space.Restore(p.restored[1], result.Probs, item.Probs)
	before, was := p.d.Before(i, p.restored[0])
	after, is := p.d.Label(i, p.restored[1], result.Class)
	a := predictions.Adapted{Label: before, AdaptedLabel: after, Probs: p.restored[1], Gate: result.Gate, Mode: string(p.streams.Mode)}
	if result.Known {
		return p.knownOf(item, result, a)
	}
	p.count(item, a)
	if p.space.Rest == 0 { // of classes that no list names, how sure a predictor is of them is not known
		p.starvation.Add(result.Stream, item.Probs)
	}
	truth := p.Truths.Add(item, was, is, func() (raw, adapted []float64) {
		for k := range p.full {
			p.space.Expand(p.full[k], p.restored[k])
		}
		return p.full[0], p.full[1]
	})
	p.explained.Add(&result, explain.Step{Raw: item.Probs, Adapted: result.Probs, Truth: p.space.Place(truth), Time: p.TimeAgain(item)})
	return a
}

// knownOf is what is written for an item whose label is known, and counts it. Labels that an ensemble would not give are given: somebody did.
func (p *documentPass) knownOf(item *predictions.Item, result streams.Result, a predictions.Adapted) predictions.Adapted {
	class, _ := results.Top(result.Probs)
	a.AdaptedLabel, a.Mode = p.Labels[p.space.Classes[class]], results.ModeKnown
	p.count(item, a)
	p.explained.Add(&result, explain.Step{Raw: item.Probs, Adapted: result.Probs, Truth: -1, Time: p.TimeAgain(item)})
	return a
}
