package motion

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/preprocess/dsp"
)

// kernel holds the taps of the interpolation for each position between two samples, in steps fine enough to be interpolated themselves.
type kernel struct {
	half   int         // samples to each side
	phases int         // steps from one sample to the next
	taps   [][]float64 // [phases+1][2 half], each row of sum 1; tap e is for sample e-half+1 from the one before the position
	plain  bool        // positions on a sample give that sample
}

// newKernel returns the kernel between two rates. The number of phases is a multiple of those that regular samples have, so that these are
// exact.
func newKernel(from, to float64) (kernel, error) {
	if ratio := max(from/to, to/from); !(ratio <= maxRatio) {
		return kernel{}, fmt.Errorf("from %v to %v Hz: more than a factor of %d", from, to, maxRatio)
	}
	const fine = 256
	up := phasesOf(from, to)
	k := kernel{phases: up * ((fine + up - 1) / up), plain: to >= from}
	slow := min(1, to/from) // the lower rate in those of the source
	k.half = int(math.Ceil(dsp.Periods/slow - 1e-9))
	for p := range k.phases + 1 {
		k.taps = append(k.taps, row(float64(p)/float64(k.phases), k.half, slow))
	}
	return k, nil
}

// phasesOf returns how many positions between samples a regular grid has: the smallest number that makes the ratio whole, or 1.
func phasesOf(from, to float64) int {
	for up := 1; up <= 1000; up++ {
		if down := float64(up) * from / to; math.Abs(down-math.Round(down)) < 1e-9*down {
			return up
		}
	}
	return 1
}

// row returns the taps for position f, 0 to 1, between two samples.
func row(f float64, half int, slow float64) []float64 {
	taps := make([]float64, 2*half)
	sum := 0.0
	for e := range taps {
		x := (f - float64(e-half+1)) * slow // in periods of the slower rate
		share, whole := x/dsp.Periods, math.Round(x)
		switch {
		case math.Abs(share) > 1+1e-12:
		case math.Abs(x-whole) >= 1e-12:
			taps[e] = dsp.WindowedSinc(x, share)
		case whole == 0: // at other whole numbers exactly 0, as it must be for samples to stay what they are
			taps[e] = dsp.WindowedSinc(0, share)
		}
		sum += taps[e]
	}
	for e := range taps {
		taps[e] /= sum
	}
	return taps
}

// exact is how near to a step a position must be to be taken for it, in steps: far above what rounding does to times in weeks.
const exact = 1e-4

// at interpolates x, whose sample before the position is number k, at position f behind it.
func (kn kernel) at(x []float32, k int, f float64) float32 {
	p := f * float64(kn.phases)
	step := int(p)
	part := p - float64(step)
	if part > 1-exact {
		step, part = step+1, 0
	}
	if part < exact {
		if kn.plain && step == 0 {
			return x[k]
		}
		if kn.plain && step == kn.phases {
			return x[k+1]
		}
		return float32(dot(kn.taps[step], x[k-kn.half+1:]))
	}
	part64 := part
	near := x[k-kn.half+1:]
	return float32((1-part64)*dot(kn.taps[step], near) + part64*dot(kn.taps[step+1], near))
}

func dot(taps []float64, x []float32) float64 {
	x = x[:len(taps)]
	sum := 0.0
	for i, w := range taps {
		sum += w * float64(x[i])
	}
	return sum
}
