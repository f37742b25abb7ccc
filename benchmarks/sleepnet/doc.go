// Package sleepnet is the study of a small network for sleep on people whom it has not seen, and of the filter behind it: 20 recordings of
// Sleep-EDF, two nights of each of ten people, as 72 spectral features of each epoch of 30 seconds.
//
//	oatta bench sleepnet --shared ../shared
//
// The network, a perceptron of two hidden layers, sees an epoch and its neighbours on both sides, each feature standardised by the recording.
// Scored are the epochs from 30 minutes before sleep to 30 minutes after. In each fold two people are the test and one is the validation, which
// gives the temperature; the network is that of the last step, so that nothing is chosen by either. Loop, prior, transitions and scores are
// those of `oatta train` (package training). A network that knows later epochs is causal in the filter alone: answers wait for them.
//
// The negative control has the epochs of each recording of the test in an order without meaning, with the transitions of the training
// recordings as they were: a filter has nothing to gain there.
package sleepnet
