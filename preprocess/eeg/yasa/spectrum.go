package yasa

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
)

// Segments of 5 seconds, half of each in the next; so bins are 0.2 Hz wide.
const (
	segmentSamples = 5 * sampleRate
	segmentStep    = segmentSamples / 2
	segments       = (epochSamples-segmentSamples)/segmentStep + 1
	binsPerHz      = 5
)

// bands are the bins from first to last, both counted, of 0.4-1, 1-4, 4-8, 8-12, 12-16 and 16-30 Hz.
var bands = [...]struct {
	feature     feature
	first, last int
}{
	{slowDelta, firstBin, 1 * binsPerHz},
	{fastDelta, 1 * binsPerHz, 4 * binsPerHz},
	{theta, 4 * binsPerHz, 8 * binsPerHz},
	{alpha, 8 * binsPerHz, 12 * binsPerHz},
	{sigma, 12 * binsPerHz, 16 * binsPerHz},
	{beta, 16 * binsPerHz, lastBin},
}

const firstBin, lastBin = 2, 30 * binsPerHz // 0.4 and 30 Hz

// welch estimates power densities of epochs; it holds scratch space.
type welch struct {
	fft      *fourier.FFT
	window   []float64 // Hamming, scaled so that squares of the transform are densities
	freqs    []float64 // of the bins, Hz
	segment  []float64
	spectrum []complex128
	powers   [segmentSamples/2 + 1][segments]float64
	psd      []float64
	bias     float64 // of the median against the mean
}

func newWelch() *welch {
	w := &welch{fft: fourier.NewFFT(segmentSamples), segment: make([]float64, segmentSamples), bias: medianBias(segments)}
	w.psd, w.freqs = make([]float64, len(w.powers)), make([]float64, len(w.powers))
	for i := range w.freqs {
		w.freqs[i] = float64(i) / binsPerHz
	}
	// Periodic: of a symmetric window of one more, the last is left out.
	w.window = make([]float64, segmentSamples+1)
	floats.AddConst(1, w.window)
	w.window = window.Hamming(w.window)[:segmentSamples]
	floats.Scale(1/math.Sqrt(sampleRate*floats.Dot(w.window, w.window)), w.window)
	return w
}

// medianBias is the expected median of n exponential variates of mean 1, n odd (scipy.signal.welch, average "median").
func medianBias(n int) float64 {
	bias := 1.0
	for k := 2; k < n; k += 2 {
		bias += 1/float64(k+1) - 1/float64(k)
	}
	return bias
}

// density returns the power density of an epoch, uV^2/Hz, [251], valid until the next call.
func (w *welch) density(x []float64) []float64 {
	for s := range segments {
		copy(w.segment, x[s*segmentStep:])
		floats.AddConst(-stat.Mean(w.segment, nil), w.segment)
		floats.Mul(w.segment, w.window)
		w.spectrum = w.fft.Coefficients(w.spectrum, w.segment)
		for i, c := range w.spectrum {
			w.powers[i][s] = real(c)*real(c) + imag(c)*imag(c)
		}
	}
	for i := range w.psd {
		slices.Sort(w.powers[i][:])
		w.psd[i] = w.powers[i][segments/2] / w.bias
		if i > 0 && i < len(w.psd)-1 {
			w.psd[i] *= 2 // of the negative frequency, too
		}
	}
	return w.psd
}

// power is that in the whole band, uV^2, by the trapezoidal rule.
func (w *welch) power(psd []float64) float64 {
	return integrate.Trapezoidal(w.freqs[firstBin:lastBin+1], psd[firstBin:lastBin+1])
}

// shares sets the parts that the bands have in the power, both by Simpson's rule. Bands share the bins at their edges.
func (w *welch) shares(psd []float64, out *[featureCount]float64) {
	total := w.simpson(psd, firstBin, lastBin)
	for _, b := range bands {
		out[b.feature] = w.simpson(psd, b.first, b.last) / total
	}
}

func (w *welch) simpson(psd []float64, first, last int) float64 {
	return integrate.Simpsons(w.freqs[first:last+1], psd[first:last+1])
}
