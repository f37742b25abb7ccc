package dsp

import "math"

// The low-pass of resampling: a sinc of so many periods of the slower rate to each side, under a Kaiser window of that beta.
const (
	Periods    = 10
	kaiserBeta = 5
)

// WindowedSinc returns the low-pass at x periods from its middle; share is x / Periods, rounded as the caller has it, -1 to 1.
func WindowedSinc(x, share float64) float64 {
	return sinc(x) * besselI0(kaiserBeta*math.Sqrt(max(0, 1-share*share)))
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// besselI0 is the modified Bessel function of the first kind of order 0, by its series, which converges fast up to the 5 needed here.
func besselI0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-17*sum; k++ {
		term *= x / 2 / k * (x / 2 / k)
		sum += term
	}
	return sum
}
