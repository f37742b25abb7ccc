// Package dropout finds and inserts Dropout, and rewrites it for Monte Carlo dropout (Gal and Ghahramani, Dropout as a Bayesian
// Approximation, 2016): N passes of a network with random masks in one run of one ordinary graph.
//
// # Contract
//
// [Build] turns a classifier into a graph
//
//	x [N, input...], mask [N, passes, features...]  ->  probability [N, classes]
//
// in which every Dropout is a multiplication by a mask, and masks are inputs: nothing in the graph is random, so that equal masks
// give equal results, which seeded random operators do not. An element of a mask is 0 with the probability p and 1/(1-p) otherwise;
// a mask of ones is the plain network. N and passes are chosen at each run; features are the shape of what the Dropout takes, so
// that dropout is elementwise, over channels and places alike.
//
// What does not lie behind a Dropout runs once for each item, and only the rest once for each item and pass, as one batch of
// N * passes rows. With one Dropout before the last layer, thirty passes cost about as much as one. The earlier the first Dropout,
// the shorter the part that is shared.
//
// The output is the mean over the passes of the class probabilities. With [Settings.Uncertainty] there are three more: variance [N,
// classes], of each probability over the passes; entropy [N], of the mean, in nats; and mutual_information [N], the entropy of the
// mean less the mean of the entropies, which is how far the passes disagree (BALD: Houlsby et al., Bayesian Active Learning for
// Classification and Preference Learning, 2011). The metadata of the file says what it is ([Spec], read by [Open]), so that any
// program with ONNX Runtime can use it.
//
// Exporters strip Dropout from a network in inference mode: what is not in the file cannot be found ([Find]). Either [Insert] puts one
// before the last layer, or behind nodes that are named, or the network is exported with it: in PyTorch,
//
//	net.eval()
//	for m in net.modules():
//	    if isinstance(m, torch.nn.Dropout): m.train()
//	torch.onnx.export(net, x, "net.onnx", training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False, dynamo=False)
//
// A file whose batch is fixed is opened to any batch where that can be seen to be right: the sizes that the exporter wrote into its
// reshapes are opened with it, and inference must then find the batch in the output.
//
//	m, err := onnx.Read("net.onnx")
//	if err != nil {
//		return err
//	}
//	mc, err := dropout.Build(m, dropout.Settings{P: 0.2, Uncertainty: true})
//	if err != nil {
//		return err // models/dropout: node "/fc" (Gemm): ...
//	}
//	return mc.Save("net-mc.onnx", onnx.SaveSettings{})
package dropout
