package yasa

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/floats"
)

// The band in Hz, and the widths of the transitions to it, by MNE's rule: a quarter of the edge, but no less than 2 Hz, and no more than
// there is. A Hamming window needs 3.3 samples over the width of the transition, as a share of the rate.
const (
	lowEdge, highEdge   = 0.4, 30
	lowWidth, highWidth = 0.4, 7.5
	hammingLength       = 3.3
)

// bandTaps returns the filter's impulse response, symmetric, [825]: a low-pass at the middle of the upper transition, less one at the
// middle of the lower transition, each as long as its own transition needs (mne.filter.create_filter, fir_design "firwin").
func bandTaps() []float64 {
	out := lowPass(oddLength(lowWidth), lowEdge-lowWidth/2)
	floats.Scale(-1, out)
	high := lowPass(oddLength(highWidth), highEdge+highWidth/2)
	offset := (len(out) - len(high)) / 2
	floats.Add(out[offset:offset+len(high)], high)
	return out
}

func oddLength(width float64) int {
	n := int(math.RoundToEven(hammingLength * sampleRate / width))
	return n + 1 - n%2
}

// lowPass is a sinc of n samples, n odd, of that cutoff in Hz, under a Hamming window, of gain 1 at 0 Hz, as scipy.signal.firwin.
func lowPass(n int, cutoff float64) []float64 {
	h := make([]float64, n)
	for i := range h {
		h[i] = 1
		if x := 2 * math.Pi * cutoff / sampleRate * float64(i-n/2); x != 0 {
			h[i] = math.Sin(x) / x
		}
	}
	window.Hamming(h)
	floats.Scale(1/floats.Sum(h), h)
	return h
}

// bandPass returns x, of 100 Hz, filtered without delay. Beyond its ends x is continued as reflected says.
func bandPass(x []float64) []float64 {
	h := bandTaps()
	half := len(h) / 2
	return convolve(reflected(x, half, half), h)
}

// reflected continues x by so many values before and after: its mirror image, turned about the end point, and zeros where x has no more of
// them (MNE's padding "reflect_limited").
func reflected(x []float64, before, after int) []float64 {
	n := len(x)
	out := make([]float64, before+n+after)
	copy(out[before:], x)
	for i := 1; i <= min(before, n-1); i++ {
		out[before-i] = 2*x[0] - x[i]
	}
	for i := 1; i <= min(after, n-1); i++ {
		out[before+n-1+i] = 2*x[n-1] - x[n-1-i]
	}
	return out
}

// blockSamples is the length of the transforms of convolve: the cheapest power of two for some 800 taps.
const blockSamples = 8192

// convolve returns those len(x) - len(h) + 1 values of the convolution for which all of h lies on x, block after block (overlap-save).
func convolve(x, h []float64) []float64 {
	fft := fourier.NewFFT(blockSamples)
	block := make([]float64, blockSamples)
	copy(block, h)
	response := fft.Coefficients(nil, block)
	out := make([]float64, len(x)-len(h)+1)
	step := blockSamples - len(h) + 1
	var spectrum []complex128
	for at := 0; at < len(out); at += step {
		clear(block[copy(block, x[at:]):])
		spectrum = fft.Coefficients(spectrum, block)
		for i, r := range response {
			spectrum[i] *= r / blockSamples
		}
		fft.Sequence(block, spectrum)
		copy(out[at:], block[len(h)-1:])
	}
	return out
}
