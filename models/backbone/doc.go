// Package backbone is the networks by name: each is built as a graph from a few lines of description, and takes its published weights
// or a fresh start.
//
// # Contract
//
// [New] builds a network in float32 with a batch "N" that is open: one input "input" [N, C, H, W] for pictures or [N, C, T] for
// signals, or "input_ids", "attention_mask" and, where the network has them, "token_type_ids" [N, L] of int64 for texts, whose length
// "L" is open too; one output "logits" [N, K] (or, with Options.Embed, "embedding"). Tensors have the names of the implementation that
// published the weights: torchvision's for pictures, Hugging Face's for texts, akamaster's for the small ResNets of CIFAR-10; ours for
// cnn1d and tcn. What training learns is marked as a parameter ([graph.Graph.IsParam]); running statistics are plain constants.
// Normalisations stay operators of their own, so that Tent finds them, and dropout before the head is a Dropout node in its inference
// form, which does nothing until someone gives it masks.
//
// A network begins with a fresh initialisation, as its reference implementation does it, of Options.Seed: tensors are made when they
// are first read, each from the seed and its own name. [Net.Load] takes the tensors of a file by name; what is missing, unexpected or
// of another shape is told in one error, and then nothing has changed. The head alone may be missing or made for another number of
// classes: it stays fresh, and the [Report] says so. Position tables of vision transformers for another size of picture are
// interpolated, as torchvision does.
//
//	net, err := backbone.New("resnet50", backbone.Options{Classes: 5})
//	...
//	f, err := weights.Open("resnet50-11ad3fa6.pth")
//	...
//	report, err := net.Load(f) // report.Fresh: fc.weight, fc.bias
//	...
//	return onnx.New(net.Graph).Save("resnet50.onnx", onnx.SaveSettings{})
//
// [Names] lists the networks and [Describe] tells of each what it takes and how pictures are prepared for its published weights. Tests
// of other packages find filled networks and what PyTorch computes with them in package backbonetest.
package backbone
