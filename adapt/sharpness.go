package adapt

import "math"

// Predictions that claim less than they know, as those of networks trained with smoothed or mixed labels do, mislead the mixture: under
// a flat L any small bias of the predictor looks like a class that stays, which sticky learns sooner than mu, and a stream without order
// loses whatever it had. Over-confident ones do no such harm, and cost some of the gain at most. So those that are flatter than
// [Auto].Confidence are sharpened: q becomes q^b, normalised, with b >= 1 such that the greatest entry is Confidence on average.
//
// Which label q favours stays, and so do all results for predictors that are as confident by themselves. A temperature over 1 in the
// settings is meant to flatten: confidence is looked at before it. One below 1 sharpens already, and is looked at after it.

// sharpness finds the exponent b as the stream goes, by steps on its logarithm that begin large.
type sharpness struct {
	target   float64 // 0: b is always 1
	claimed  float64 // exponent that the settings' temperature makes, if it sharpens; else 1
	exponent float64 // b
	age      int     // steps so far, up to settled
}

const (
	maxSharpness  = 16
	sharpenRate   = 0.1 // of log b for each unit of confidence that is missing
	sharpenFirst  = 1   // more of it at the start,
	sharpenSoon   = 20  // which is halved after as many steps
	sharpenAgeMax = 1 << 20
)

func newSharpness(s Settings) sharpness {
	return sharpness{target: s.Auto.Confidence, claimed: 1 / min(s.Temperature, 1), exponent: 1}
}

func (s *sharpness) reset() { s.exponent, s.age = 1, 0 }

// follow moves the exponent after a step at which the greatest entry of q^b was confidence.
func (s *sharpness) follow(confidence float64) {
	rate := sharpenRate + sharpenFirst/(1+float64(s.age)/sharpenSoon)
	s.exponent = max(1, min(s.exponent*math.Exp(rate*(s.target-confidence)), maxSharpness))
	s.age = min(s.age+1, sharpenAgeMax)
}

// confidence returns the greatest entry of q^power, normalised.
func confidence(logq []float64, power float64) float64 {
	top, total := greatest(logq), 0.0
	for _, v := range logq {
		total += exponential((v - top) * power)
	}
	return 1 / total
}

// confidenceAt is confidence for a q that is zero outside of the list.
func confidenceAt(list []int32, logq []float64, power float64) float64 {
	top := math.Inf(-1)
	for _, i := range list {
		top = max(top, logq[i])
	}
	total := 0.0
	for _, i := range list {
		total += exponential((logq[i] - top) * power)
	}
	return 1 / total
}

// whole returns the exponent for a recording: the one that gives the target over all of its items, by halving.
func (s sharpness) whole(q [][]float64) float64 {
	if s.target == 0 || len(q) == 0 {
		return 1
	}
	logq := make([]float64, len(q[0]))
	mean := func(b float64) (c float64) {
		for _, v := range q {
			logs(logq, v)
			c += confidence(logq, b*s.claimed) / float64(len(q))
		}
		return c
	}
	lo, hi := 1.0, float64(maxSharpness)
	if mean(lo) >= s.target {
		return lo
	}
	if mean(hi) <= s.target {
		return hi
	}
	for range 12 { // to a thousandth
		if middle := math.Sqrt(lo * hi); mean(middle) < s.target {
			lo = middle
		} else {
			hi = middle
		}
	}
	return hi
}

// find returns the exponent for which mean, which grows with it, is the target: by regula falsi on the logarithm, after Illinois, to some 1e-13.
func (s sharpness) find(mean func(b float64) float64) float64 {
	if s.target == 0 {
		return 1
	}
	lo, hi := 0., math.Log(maxSharpness)
	below, above := mean(1)-s.target, 0.
	if below >= 0 {
		return 1
	}
	if above = mean(maxSharpness) - s.target; above <= 0 {
		return maxSharpness
	}
	middle, side := lo, 0
	for range 100 {
		before := middle
		middle = (lo*above - hi*below) / (above - below)
		if math.Abs(middle-before) < 1e-13 {
			break
		}
		if f := mean(math.Exp(middle)) - s.target; f < 0 {
			if lo, below = middle, f; side < 0 {
				above /= 2
			}
			side = -1
		} else {
			if hi, above = middle, f; side > 0 {
				below /= 2
			}
			side = 1
		}
	}
	return math.Exp(middle)
}
