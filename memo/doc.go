// Package memo holds the predictor that makes the mean prediction over augmented views of one input certain by one gradient step,
// on an ordinary ONNX graph that models/autodiff generates, and forgets the step with the input.
//
// The method is MEMO (Zhang, Levine and Finn, "MEMO: Test Time Robustness via Adaptation and Augmentation", NeurIPS 2022;
// https://github.com/zhangmarvin/memo).
//
// # Contract
//
// [Build] writes one graph that does for an item, in one run, what the method says: with f the network at its parameters theta,
//
//	p      = mean over views v of softmax f(v; theta)
//	H      = -sum over classes of p log p
//	theta' = theta - rate dH/dtheta          or one step of AdamW; all parameters, or those of normalisations
//	output = f(plain input; theta')          of the network's own kind: logits, probabilities, log-probabilities
//
// The source's parameters are constants of the graph, so that every run begins at them: runs share nothing, and their order does not
// matter. Nothing in the graph is random. Views are made before, by whoever knows what the input is.
//
// # The file
//
//	inputs    those of the network, under its names, [1+V, ...]: row 0 is the plain input, rows 1 to V are its views
//	outputs   the network's, under its name, [1, classes]: the prediction after the step
//	          with Settings.Report also "entropy", H before the step, and "gradient.NAME" for each parameter
//	metadata  oatta.graph=memo, the settings as oatta.memo.views, .method, .rate, .decay, .parameters, .prior and .output,
//	          and what the network's file said
//
// Any program that runs ONNX files can run it. [Open] takes it, or one made elsewhere, and [Predictor] runs it for items whose inputs lie
// one after the other as rows 0 to V do.
//
//	s, err := memo.Preset("cifar")
//	...
//	m, err := memo.Build(network, s)
//	...
//	err = m.Save("memo.onnx", onnx.SaveSettings{})
//	...
//	p, s, err := memo.Open(engine, "memo.onnx", runtime.Config{})
//	...
//	err = p.Predict(ctx, dst, src, nil) // src: [plain, view 1, ..., view V] for each item
//
// # What it costs
//
// The pass over the views runs with each BatchNormalization folded into the convolution before it, as the plain network does in the
// engine; what the step needs of scales and biases follows from the gradients of the folded weights, with nothing kept between
// convolution and normalisation. Statistics that are part batch (Settings.Prior) rule that out. Measured on one core, one thread of
// ONNX Runtime 1.24, ResNet-18 on 32 pictures of 32 x 32, in units of the plain forward pass of these 32: all parameters 3.3 (3.4 on a
// busy machine), those of normalisations 2.3. The ideal is 3 and a little, as a backward pass costs two forward ones.
package memo
