package method

import (
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
)

// Predictor is what [Open] opens: Any or Streams, whichever the method is. It is as safe for concurrent use as that is.
type Predictor struct {
	Any     predict.Predictor       // takes items in any order; nil of a predictor of streams
	Streams predict.StreamPredictor // learns along streams, each in a lane; nil of any other

	Kind    predict.Kind    // of what it puts out
	Views   Views           // that items are prepared in; the zero value is the plain input alone
	Note    string          // what a user should know of it, "" for nothing
	Session runtime.Session // that it runs on

	classes int
}

// Close closes the session.
func (p *Predictor) Close() error { return p.Session.Close() }

// Classes returns the numbers of one prediction.
func (p *Predictor) Classes() int { return p.classes }

// InputLen returns the numbers of one item, its views among them.
func (p *Predictor) InputLen() int {
	if p.Streams != nil {
		return p.Streams.InputLen()
	}
	return p.Any.InputLen()
}

// Batch returns how many items, or how many streams, one run takes where want is asked for.
func (p *Predictor) Batch(want int) int {
	if p.Streams != nil {
		return p.Streams.Lanes(want)
	}
	return p.Any.Size(want)
}

// Device says where it runs, as "cpu" or "cuda:0".
func (p *Predictor) Device() string {
	if i, ok := p.Session.(runtime.Inspector); ok {
		return i.Device()
	}
	return string(runtime.DeviceCPU)
}

// Probabilities writes the probabilities that one raw prediction means, both [Classes], or says why it means none.
func (p *Predictor) Probabilities(dst []float64, raw []float32) error {
	return p.Kind.Probabilities(dst, raw)
}
