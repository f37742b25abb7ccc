package eeg

import "math"

// Fault is what is wrong with the samples of one signal, as they were recorded. What is staged of it all the same means little.
type Fault struct {
	Label   string // of the signal; of a difference each of the two has its own
	Flat    []int  // epochs in which it does not move: nothing is connected
	Clipped []int  // epochs in which over a tenth of the samples are at an end of the range: saturated
}

const (
	// flatSteps is the most steps of the converter between least and greatest sample of an epoch that is flat.
	flatSteps = 2
	// clippedShare is the share of samples at an end of the range beyond which an epoch is clipped.
	clippedShare = 0.1
)

// inspect looks at all epochs of a signal that begin at offset or later and lie in one piece.
func (e *Epochs) inspect(c Channel, offset float64, set Settings) {
	f := Fault{Label: c.Label}
	var amplitudes []float64
	size := int(math.Round(c.Rate * set.seconds()))
	if size < 2 { // a sample cannot move
		return
	}
	for _, p := range finite(c.Pieces, c.Rate) {
		for i := max(math.Ceil((p.Start-offset)/set.seconds()-1e-6), 0); ; i++ {
			first := int(math.Round((offset + i*set.seconds() - p.Start) * c.Rate))
			if first < 0 || first+size > len(p.Samples) {
				break
			}
			x := p.Samples[first : first+size]
			switch flat, clipped := c.faulty(x); {
			case clipped:
				f.Clipped = append(f.Clipped, int(i))
			case flat:
				f.Flat = append(f.Flat, int(i))
			default:
				amplitudes = append(amplitudes, amplitude(x))
			}
		}
	}
	if f.Flat != nil || f.Clipped != nil {
		e.Faults = append(e.Faults, f)
	}
	e.weigh(c, amplitudes, set)
}

// faulty tells whether the samples of an epoch do not move, or lie at an end of the range.
func (c Channel) faulty(x []float64) (flat, clipped bool) {
	low, high := math.Inf(1), math.Inf(-1)
	ends := 0
	for _, v := range x {
		low, high = min(low, v), max(high, v)
		if c.Min < c.Max && (v <= c.Min+c.Step/2 || v >= c.Max-c.Step/2) {
			ends++
		}
	}
	return high-low <= flatSteps*c.Step, float64(ends) > clippedShare*float64(len(x))
}
