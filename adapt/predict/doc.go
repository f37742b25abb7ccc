// Package predict holds the predictors that need no gradient: [Base] runs the network once and returns its probabilities. MC
// dropout and test-time augmentation join it here; Tent and MEMO have packages of their own.
//
// A predictor turns inputs into q_t, the probability vector that the filter of package adapt takes. It is wrapped, never changed,
// by the filter: predictor and filter are two independent choices.
package predict
