package yasa

import (
	"math"
	goruntime "runtime"
	"sync"
)

// table computes all columns. Channels, and epochs of each, are shared out over the cores; what comes out does not depend on how many
// there are.
func (r Recording) table(epochs int) *Table {
	channels := r.present()
	t := newTable(Names(r.EOG != nil, r.EMG != nil), epochs)
	columns := make([][][]float64, len(channels))
	gaps := make([][]bool, len(channels))
	var done sync.WaitGroup
	for i, c := range channels {
		done.Go(func() { columns[i], gaps[i] = c.columns(epochs) })
	}
	done.Wait()
	at := 0
	for i, c := range channels {
		for _, column := range columns[i] {
			t.set(at, column)
			at++
		}
		if c.kind == eeg {
			t.setTime(at)
			at += 2
		}
		for epoch, gap := range gaps[i] {
			t.Gap[epoch] = t.Gap[epoch] || gap
		}
	}
	return t
}

// columns returns all features of a channel, [columns][epochs], and the epochs that it does not have.
func (c channel) columns(epochs int) (out [][]float64, gap []bool) {
	features := c.kind.features()
	raw := make([][]float64, len(features))
	for j := range raw {
		raw[j] = make([]float64, epochs)
		for i := range raw[j] {
			raw[j][i] = math.NaN()
		}
	}
	gap = make([]bool, epochs)
	for i := range gap {
		gap[i] = true
	}
	for _, s := range c.stretches(epochs) {
		clear(gap[s.first:s.end])
		s.measure(c.kind, features, raw)
	}
	for _, column := range raw {
		out = append(out, column, robustScale(triangularMean(column)), robustScale(pastMean(column)))
	}
	return out, gap
}

// measure fills in the features of the epochs of a stretch, each core a run of them.
func (s stretch) measure(k kind, features []feature, raw [][]float64) {
	n := s.end - s.first
	workers := min(goruntime.GOMAXPROCS(0), n)
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			m := newMeter(k)
			for i := s.first + w*n/workers; i < s.first+(w+1)*n/workers; i++ {
				values := m.measure(s.samples[i*epochSamples-s.start:][:epochSamples])
				for j, f := range features {
					raw[j][i] = values[f]
				}
			}
		})
	}
	done.Wait()
}

func newTable(names []string, epochs int) *Table {
	return &Table{Names: names, Epochs: epochs, Gap: make([]bool, epochs), Data: make([]float32, epochs*len(names))}
}

func (t *Table) set(column int, values []float64) {
	for i, v := range values {
		t.Data[i*len(t.Names)+column] = float32(v)
	}
}

// setTime fills the two columns of the time, of which the first is given.
func (t *Table) setTime(column int) {
	for i := range t.Epochs {
		row := t.Row(i)
		row[column] = float32(float64(epochSeconds*i) / 3600)
		row[column+1] = float32(float64(i) / float64(t.Epochs-1))
	}
}
