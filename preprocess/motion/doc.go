// Package motion is the place of the preprocessing of motion recordings: windows of accelerometer samples
// [channels, samples] cut from a recording of known rate, resampled and standardised as the network was trained, and the
// label of a window by majority. It holds no code yet, so nothing here can be relied on; what it will promise is what the
// other preprocessing packages promise: the caller owns all slices, no state is kept between recordings, and damaged input
// is an error that names the place.
package motion
