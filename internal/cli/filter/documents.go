package filter

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/streams"
)

// documentPass is a pass over a document, whose items come stream by stream.
type documentPass struct {
	*job
	d      *predictions.Document
	runner *streams.Runner[int]
	probs  []float64
	raw    []float64 // of an item that had to wait
	at     int       // the item in hand
	item   predictions.Item
	stream string // that of the last step
}

// document passes the items of a document.
func (r *job) document(from *predicted.Input, out *predictionOutput) error {
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
	if classes := p.d.Classes(); len(classes) > 0 {
		if err := p.begin(classes); err != nil {
			return err
		}
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
	if p.runner == nil {
		return nil
	}
	p.explained.Keep()
	err := p.runner.End()
	p.streamCount, p.times = p.runner.Streams(), p.runner.Counts()
	return err
}

// begin makes the runner.
func (p *documentPass) begin(classes []string) (err error) {
	if err := p.job.begin(len(classes), classes); err != nil {
		return err
	}
	p.probs, p.raw = make([]float64, p.Classes), make([]float64, p.Classes)
	p.runner, err = streams.New(p.job.streams, p.answer)
	return err
}

// next has item i filtered. The streams end where another begins.
func (p *documentPass) next(i int) (err error) {
	if p.item, err = p.d.Item(i, p.probs); err != nil {
		return err
	}
	if p.item.Probs == nil {
		p.Items++
		p.Unpredicted++
		return nil
	}
	rounded, err := adapt.Normalise(p.probs, p.Classes)
	if err != nil {
		return p.d.Fail(i, err)
	}
	if rounded {
		p.Rounded++
	}
	if string(p.item.Stream) != p.stream {
		p.explained.Keep() // the filter may serve another stream
		if err := p.runner.End(); err != nil {
			return predicted.Fatal(err)
		}
		p.stream = string(p.item.Stream)
	}
	p.at = i // the crops of a picture have its name and time, and are no duplicates
	if err := p.runner.Add(streams.Item[int]{Stream: p.item.Stream, ID: fmt.Appendf(nil, "%s#%d", p.item.ID, i), Time: predicted.TimeOf(&p.item), Probs: p.probs, Ref: func() int { return i }}); err != nil {
		return predicted.Fatal(err)
	}
	return nil
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
		waited, err := p.d.Item(i, p.raw)
		if err != nil {
			return err
		}
		item = &waited
	}
	p.d.Adapt(i, p.adapted(item, a.Result))
	return nil
}
