// Package eeg is the place of the preprocessing of sleep recordings: 30-second epochs of EEG and other signals
// [channels, samples], filtered, resampled and standardised per recording as the network was trained, and the cutting of
// the wake hours around a night. It holds no code yet, so nothing here can be relied on; what it will promise is what the
// other preprocessing packages promise: the caller owns all slices, no state is kept between recordings, and damaged input
// is an error that names the place.
package eeg
