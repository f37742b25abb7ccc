// Package backbonetest is what PyTorch computes with every backbone, and networks filled with the weights that it had, for tests.
//
// # Contract
//
// The reference fills each tensor by a rule from its name, so that no weights need to be stored: [Fill] does the same, to the bit.
// [Golden] builds a network as a record describes it, filled; its inputs come from [Sample] and [Tokens] by their names.
//
//	net, c := backbonetest.Golden(t, "cnn1d")                 // the network of the first record
//	x := backbonetest.Batch(c, "input.0", "input.1")          // float32 [2, 6, 100], one after the other
//	want := [][]float64{c.Logits["input.0"], c.Logits["input.1"]}
//	tent, memo := c.TentEval, c.Memo                          // losses, gradients, logits after a step
//
// [Cases] returns all records of a network, and [Build] the network of any. What the numbers mean, and how exact they can be, stands in
// the generator that made them, reference/backbone_reference.py of the shared data.
package backbonetest
