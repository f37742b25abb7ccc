// Package method goes from a model and settings to a predictor: the one way to the plain network, test-time augmentation, Monte Carlo
// dropout, Tent and MEMO, for the commands, the studies and whatever else runs a model.
//
// # Contract
//
// [Settings] name a predictor and say all that decides what it computes. Their JSON is what a run's manifest records. [Default] has what
// a model of some kind gets where nobody asks for other numbers; a file that holds a predictor's graph has its settings already, see [Of].
//
//	s, err := method.Default(method.Tent, m.Manifest)
//	...
//	p, err := method.Open(engine, m, s, method.Options{})
//	...
//	defer p.Close()
//
// A [Predictor] is one of two interfaces of package predict: Any, which takes items in any order, or Streams, which holds a lane for each
// stream that it learns along. [Predictor.Probabilities] turns what either puts out into probabilities.
package method
