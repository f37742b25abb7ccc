// Package dsp holds what signals of any kind go through before a network: Butterworth filters, resampling, and the check of the numbers
// by which they are standardised.
//
// # Filter
//
// [Band.Design] gives a [Filter] in second-order sections. [Filter.Both] runs it forward and backward, without delay; [Filter.Forward]
// forward alone, as a live stream must. Both start from the steady state of the first value.
//
// # Resampling
//
// [Resample] brings a whole signal to another rate, in the ratio that [Ratio] finds. [WindowedSinc] is its low-pass, for who interpolates
// at places of their own.
//
// gonum has Fourier transforms and windows (gonum.org/v1/gonum/dsp), but neither recursive filters and their design nor resampling nor the
// Kaiser window; those are here, equal to scipy.signal's butter, sosfilt, sosfiltfilt and resample_poly, which testdata/golden.py runs.
//
// # Contract
//
// The caller owns all slices; nothing is kept between calls; all functions are safe for concurrent use.
package dsp
