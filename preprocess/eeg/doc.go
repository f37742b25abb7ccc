// Package eeg turns recordings of sleep into epochs that a network takes: channels chosen by name, in microvolts, filtered, resampled,
// standardised, float32 [channels, samples].
//
// # The contract
//
// [Prepare] does it all, one channel after another, in this order: the channel is found by name ([Find]); values that are not finite become
// gaps; volts become microvolts; the band filter runs at the channel's own rate; the result is resampled to the network's rate; all values
// of the recording give mean and standard deviation, unless the settings do; epochs are cut. A stretch between two gaps is filtered and
// resampled on its own, so nothing rings over a gap. An epoch that a gap touches in any channel is marked in [Epochs].Gap and holds zeros.
// Stretches shorter than an epoch give none and are left out from the beginning.
//
// What is recorded but means little is told: epochs in which a signal does not move or is saturated are in [Epochs].Faults, and a unit that
// is no voltage, or in which a signal would be far weaker or stronger than any of a sleeper, in [Epochs].Warnings, unless [Settings].Unit says
// what it is.
//
// The caller owns all slices; nothing is kept between calls; all functions are safe for concurrent use.
//
// # Features
//
// With [Settings].Features an epoch is a row of the features of package yasa in the place of samples, for classifiers that are no networks.
// They are normalised by the whole recording and are means over minutes: so all of it is read, whatever the offset, and less than five
// minutes are an error. [PrepareView] changes the recording first, by a gain, a shift and noise.
//
// # Filter
//
// A Butterworth filter of package dsp, run forward and backward: no delay, twice the order, as MNE and most of the literature do
// with whole nights. A live stream cannot look ahead: a causal band runs it forward alone, with its delay. A network must be fed as it was
// trained; the manifest says which. Both start from the steady state of the first value, so a night does not begin with a step.
//
// # Example
//
//	set := eeg.Settings{Channels: []string{"EEG Fpz-Cz"}, Rate: 100, Band: dsp.Band{Low: 0.3, High: 35, Order: 4}, Standardise: true}
//	epochs, err := eeg.Prepare(recording, 0, set)
//	if err != nil {
//		return err
//	}
//	for i := range epochs.Count {
//		if !epochs.Gap[i] {
//			in := epochs.Tensor(i) // float32 [1, channels, samples]
//			...
//		}
//	}
package eeg
