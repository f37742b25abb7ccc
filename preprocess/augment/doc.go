// Package augment makes augmented views of windows of signals, movement or EEG: jitter, scaling, magnitude warp, time shift,
// rotation of axes, channels that fall silent, stretches that do.
//
// # The contract
//
// A window is float32 [channels, samples], prepared as the network takes it. A [Viewer] writes [views, channels, samples]: the
// window itself first, bit for bit, and then as many changed copies as [Views] asks for. What is random in view i depends on the
// seed and on i alone. The caller owns all slices; a wrong length panics; nothing is allocated or kept; a Viewer is safe for
// concurrent use. Values that are not finite count for no mean and no deviation; they stay not finite where no silence falls on
// them, move with a shift, and spread to the other axes of their sample where axes are rotated.
//
// # What is done to a view, in this order
//
//   - Shift: the window moves in time by up to a share of its length, either way. Where the caller has more of the recording
//     ([Viewer.Piece]) the neighbourhood moves in, else what leaves at one end comes in at the other.
//   - Rotate: each triple of axes is turned about a random axis in space by up to an angle, as if the sensor were worn askew (Um
//     et al. 2017, who turn by any angle; that takes lying for standing, so here the angle is a setting). The channels of an
//     EEG are no axes: it must have no triples.
//   - Scale: each channel is multiplied by a factor from N(1, Scale²) (Um et al. 2017).
//   - Warp: each channel is multiplied by a smooth curve about 1, a cubic spline (not-a-knot, as SciPy's) through Knots + 2
//     points from N(1, Warp²), evenly spaced (Um et al. 2017).
//   - Jitter: noise from N(0, (Jitter s)²) is added to each sample, where s is the standard deviation of the channel in the
//     window (Um et al. 2017, there of standardised data).
//   - Drop: each channel falls silent with this probability; one always stays.
//   - Mask: a stretch of up to a share of the window, the same in all channels, falls silent (SpecAugment's time masking, Park et
//     al. 2019).
//
// What falls silent is flat at the channel's mean in the window: 0 for standardised data, and no fall of gravity to zero for an
// accelerometer in units of g.
//
// [Movement] and [EEG] are defaults within the ranges of Um et al. (Data augmentation of wearable sensor data for Parkinson's
// disease monitoring using convolutional neural networks, ICMI 2017) and of the survey of Iwana and Uchida (An empirical survey of
// data augmentation for time series classification with neural networks, PLoS ONE 2021), which found jitter, scaling, warping of
// magnitude and cutting of windows safe on most data, and permutation, reversal and flipped signs harmful on much; these last are
// not offered.
//
// # Example
//
//	viewer, err := augment.New(augment.Movement([3]int{0, 1, 2}, [3]int{3, 4, 5}), 6, 250)
//	...
//	x := make([]float32, viewer.Len()) // [17, 6, 250]
//	viewer.Window(x, window, seed)
package augment
