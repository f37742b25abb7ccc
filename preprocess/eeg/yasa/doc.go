// Package yasa computes the features from which YASA's classifiers tell stages of sleep: a table of one row for 30 seconds, of statistics,
// band powers, entropy and fractal dimensions of an EEG and, where there are any, of an EOG and an EMG.
//
// What is computed is described in Vallat and Walker, "An open-source, high-performance tool for automated sleep staging", eLife 10 (2021),
// https://doi.org/10.7554/eLife.70092, and in the documentation of YASA, https://yasa-sleep.org. The package is written anew from these
// and compared with what YASA 0.8.1, with MNE 1.13.2, antropy 0.2.3 and SciPy 1.17.1, computes on a whole night.
//
// # The contract
//
// [Features] does it all, in this order:
//
//   - signals of another rate than 100 Hz are resampled by their Fourier transform, as MNE's Raw.resample;
//   - the band of 0.4 to 30 Hz is taken by a linear-phase FIR filter of 825 taps without delay, as MNE's filter_data designs it;
//   - of each epoch of 30 seconds the measures below are taken; what is left at the end is not used;
//   - every measure is given three times: as it is, as the mean of 15 epochs around under triangular weights (_c7min_norm), and as the mean
//     of the last 4 epochs (_p2min_norm). Both means are less their median over the recording, divided by the distance between their 5th and
//     95th percentiles.
//
// The caller owns all slices; nothing is kept between calls; all functions are safe for concurrent use. Channels and epochs are shared out over
// the cores, and the numbers do not depend on how many there are: a night of 22 hours and three channels takes 3.5 seconds on one core.
//
// # Measures
//
//	std iqr skew kurt     standard deviation (uV), interquartile range (uV), skewness and excess kurtosis
//	nzc                   zero crossings
//	hmob hcomp            Hjorth's mobility and complexity
//	abspow                power in 0.4 to 30 Hz (uV^2), of Welch's periodograms of 5 seconds, averaged by their median
//	sdelta fdelta theta   shares of that power in 0.4-1, 1-4 and 4-8 Hz; not of the EMG
//	alpha sigma beta      in 8-12, 12-16 and 16-30 Hz; not of the EMG
//	dt ds db at           delta / theta, delta / sigma, delta / beta, alpha / theta; of the EEG alone
//	perm                  permutation entropy of order 3, of 0 to 1
//	higuchi petrosian     fractal dimensions
//
// Two columns are the time: time_hour, hours from the beginning, and time_norm, 0 at the first epoch and 1 at the last.
//
// # Input
//
// The classifiers were trained on whole nights that were neither filtered nor standardised; a table of a nap says little, since it is
// normalised by the recording itself. A recording with gaps, or with channels of different rates, is a [Recording].
//
// # Agreement
//
// On the night, 2,650 epochs of EEG, EOG and EMG, all 149 columns agree with YASA's to 2e-7 of the value, which is what float32 holds, but
// for those of nzc at the ends. There the continuation by a mirror image turned about the end point makes the first and the last value
// of a filtered signal 0 but for rounding, in YASA as here, so whether a zero is crossed beside them is chance: the first and the last epoch
// may have one crossing more or less, and the means over them what follows. Ten epochs resampled from 128 Hz agree to 2e-5.
//
// An epoch in which a signal does not move has no mobility, no dimension and no shares: those values are NaN, which the classifiers know as
// missing. The means leave them out.
package yasa
