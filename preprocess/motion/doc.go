// Package motion turns recordings of accelerometers into windows that a network takes: channels chosen by name, in g or m/s2, on a regular
// grid at the network's rate, filtered, standardised, float32 [channels, samples], each with the label of its majority.
//
// # The contract
//
// A [Stream] reads a [Source] from its beginning to its end and gives one window after another, in memory that does not depend on the length
// of the recording. [Scan] reads it once without keeping samples and tells which windows there will be, their labels, and the recording's
// mean and deviation.
//
// Window i begins i Hop samples after the first sample of the recording, whatever is missing before it: a grid for all of the recording, so
// that windows can be counted in time. A window that a gap touches does not exist, and its number is passed over. A gap is a time longer
// than MaxGap without a sample; a shorter one is bridged by a straight line. What is on both sides of a gap is filtered and resampled apart,
// so nothing rings over it. A sample of which a chosen channel is NaN or infinite is no sample.
//
// The order is: channels and units; the grid; the band filter, at the network's rate; standardisation; windows.
//
// # The grid
//
// Sensors' clocks are not exact and their stamps are rounded. Stamps of up to 256 samples that lie around a straight line as rounding has it are
// taken for that line. Values on the grid are then interpolated, band-limited: a sinc of 10 periods to each side under a Kaiser window of
// beta 5, at the lower of the two Nyquist frequencies, moved to where the grid falls between the samples. Its taps are made to sum to one
// at each position, so that gravity stays what it is. On regular stamps that is scipy.signal.resample_poly with padtype edge, divided by
// the same of a constant (testdata/golden.py); at the same rate, on stamps that fit the grid, it changes nothing at all.
//
// # The filter
//
// That of preprocess/dsp, run over blocks that overlap by the length of its impulse response to a ten-millionth, so that blocks cannot be
// seen in the result, and a week of zero-phase filtering needs the memory of a block.
//
// # Example
//
//	set := motion.Settings{Channels: []string{"x", "y", "z"}, Rate: 50, Samples: 128, Hop: 64, Purity: 0.5}
//	s, err := motion.NewStream(recording, set)
//	if err != nil {
//		return err
//	}
//	var w motion.Window
//	for {
//		if err := s.Next(&w); err == io.EOF {
//			break
//		} else if err != nil {
//			return err
//		}
//		in := w.Tensor() // float32 [1, channels, samples]
//		...
//	}
package motion
