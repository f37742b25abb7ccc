package yasa

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Upsample returns a whole signal as n samples of the same time, n no less than there are: its Fourier series, as if it went on from its
// end with its beginning, as MNE's reader of EDF brings a channel to the highest rate of a file. An envelope of an EMG, recorded at 1 Hz,
// comes so to the rate of the EEG.
func Upsample(x []float64, n int) ([]float64, error) {
	if len(x) == 0 || n < len(x) {
		return nil, fmt.Errorf("yasa: %d samples from %d: want no fewer, of one at the least", n, len(x))
	}
	return periodic(x, n), nil
}

// resample brings x from one rate to another by its Fourier transform: continued at both ends up to a power of two, as reflected has it,
// the spectrum cut or continued by zeros, and what was put to the ends taken away (mne.filter.resample with npad "auto"). Lengths are
// rounded, as there: where a power of two is not whole at the other rate, times are off by up to a sample.
func resample(x []float64, to, from float64) []float64 {
	n, ratio := len(x), to/from
	padded := powerOfTwo(n + 2*min(n/8, 100))
	before := (padded - n) / 2
	long := reflected(x, before, padded-n-before)
	y := periodic(long, scaled(padded, ratio))
	first := int(math.RoundToEven(ratio * float64(before)))
	return y[first : first+resampledLen(n, to, from)]
}

// resampledLen is how many samples resample returns of n.
func resampledLen(n int, to, from float64) int { return scaled(n, to/from) }

func scaled(n int, ratio float64) int { return max(1, int(math.RoundToEven(ratio*float64(n)))) }

func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// periodic returns n samples of the period of which x is so many: the same waves, sampled otherwise, without those that n cannot carry
// (scipy.signal.resample).
func periodic(x []float64, n int) []float64 {
	spectrum := fourier.NewFFT(len(x)).Coefficients(nil, x)
	bins := make([]complex128, n/2+1)
	copy(bins, spectrum)
	// The wave at half the slower rate stands for two, of the positive and of the negative frequency, at one of the two rates alone.
	if slower := min(len(x), n); slower%2 == 0 && n != len(x) {
		if n < len(x) {
			bins[slower/2] *= 2
		} else {
			bins[slower/2] /= 2
		}
	}
	y := inverse(bins, n)
	for i := range y {
		y[i] /= float64(len(x))
	}
	return y
}

// maxFactor is the largest prime factor of a length up to which gonum's transform, whose work grows with it, is quick.
const maxFactor = 200

// inverse returns the n real samples that have such a spectrum, [n/2+1], times n.
func inverse(bins []complex128, n int) []float64 {
	if largestFactor(n) <= maxFactor {
		return fourier.NewFFT(n).Sequence(nil, bins)
	}
	return chirp(bins, n)
}

func largestFactor(n int) int {
	for f := 2; f*f <= n; f++ {
		for n%f == 0 && n > f {
			n /= f
		}
	}
	return n
}

// chirp is inverse by Bluestein's algorithm: 2jk = j^2 + k^2 - (j-k)^2 makes the transform a convolution, whose length may be a power of
// two.
func chirp(bins []complex128, n int) []float64 {
	size := powerOfTwo(n + len(bins))
	a, b := make([]complex128, size), make([]complex128, size)
	for k, v := range bins {
		if k > 0 && 2*k < n {
			v *= 2 // of the negative frequency, too: the real part is taken below
		}
		a[k] = v * turn(k, n)
		b[(size-k)%size] = cmplx.Conj(turn(k, n))
	}
	a[0] = complex(real(a[0]), 0)
	for j := range n {
		b[j] = cmplx.Conj(turn(j, n))
	}
	fft := fourier.NewCmplxFFT(size)
	fft.Coefficients(a, a)
	fft.Coefficients(b, b)
	for i := range a {
		a[i] *= b[i] / complex(float64(size), 0)
	}
	fft.Sequence(a, a)
	out := make([]float64, n)
	for j := range out {
		out[j] = real(a[j] * turn(j, n))
	}
	return out
}

// turn is exp(i pi k^2 / n). The angle is reduced in whole numbers: k^2 has more digits than a float64.
func turn(k, n int) complex128 {
	return cmplx.Rect(1, math.Pi*float64(k*k%(2*n))/float64(n))
}
