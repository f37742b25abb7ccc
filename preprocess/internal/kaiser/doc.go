// Package kaiser is the window by which package eeg and package motion resample.
package kaiser

// BesselI0 is the modified Bessel function of the first kind of order 0, by its series, which converges fast up to the 5 needed here.
func BesselI0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-17*sum; k++ {
		term *= x / 2 / k * (x / 2 / k)
		sum += term
	}
	return sum
}
