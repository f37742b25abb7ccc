// Package preprocess holds no code; the packages under it turn one raw value of each modality into a network's input
// tensor: [github.com/oatta/oatta/preprocess/image] for pictures, and motion, eeg and text for the other three. Where several
// views of one value are wanted, image and text make them too, and augment those of windows of motion and EEG; dsp has the filters and the
// resampling of signals, and eeg/yasa the features of YASA's sleep staging. They stand
// between datasets, which reads raw values, and the predictors, which run networks; they import nothing of this module but
// package runtime and each other, keep no state between values beyond caches and scratch space, and write into tensors that the caller
// allocated. What each of them computes is stated against the program it has to equal, and tested against goldens of it.
package preprocess
