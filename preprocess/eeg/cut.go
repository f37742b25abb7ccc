package eeg

import (
	"errors"
	"math"
)

// maxValues bounds Data: 16 GB.
const maxValues = 1 << 32

var (
	errShort = errors.New("no whole epoch")
	errLong  = errors.New("too many epochs: the times of the samples are far apart")
)

// cut fills Data and Gap from the processed channels.
func (e *Epochs) cut(channels [][]Piece, offset float64, set Settings) error {
	end := 0.0
	for _, pieces := range channels {
		for _, p := range pieces {
			end = max(end, p.Start+float64(len(p.Samples))/set.Rate)
		}
	}
	count := math.Floor((end-offset)/set.seconds() + 1e-6)
	size := len(channels) * e.Samples
	switch {
	case !(count >= 1):
		return errShort
	case !(count*float64(size) <= maxValues):
		return errLong
	}
	e.Count = int(count)
	e.Data, e.Gap = make([]float32, e.Count*size), make([]bool, e.Count)
	for i := range e.Count {
		at := offset + float64(i)*set.seconds()
		epoch := e.Data[i*size : (i+1)*size]
		for k, pieces := range channels {
			if !copyFrom(epoch[k*e.Samples:(k+1)*e.Samples], pieces, at, set.Rate) {
				e.Gap[i] = true
			}
		}
		if e.Gap[i] {
			clear(epoch) // half an epoch would look like a whole one
		}
	}
	return nil
}

// copyFrom copies the samples from second at on, each to the nearest of its time, and tells whether one piece had them all.
func copyFrom(dst []float32, pieces []Piece, at, rate float64) bool {
	for _, p := range pieces {
		first := math.Round((at - p.Start) * rate)
		if first < 0 || first+float64(len(dst)) > float64(len(p.Samples)) {
			continue
		}
		for i, v := range p.Samples[int(first):][:len(dst)] {
			dst[i] = float32(v)
		}
		return true
	}
	return false
}
