// Package train makes of a network the graph of its own training step, and takes the steps.
//
// # Contract
//
// [Build] turns a classifier into ordinary ONNX graphs that the stock ONNX Runtime runs: the forward pass as training has it, the
// cross-entropy, its gradient (models/autodiff) and the optimiser (models/optim) are one graph, Program.Step. What it learns and what the
// optimiser remembers are inputs and outputs of the graph, each one long vector:
//
//	input   the network's own      [N, ...]
//	        mask, mask_1, ...      the shape of what a Dropout takes: 0 or 1/(1-p)
//	        targets                [N, K]   the wanted probability of each class
//	        rate                   [1]      learning rate
//	        theta, theta_1         [P]      parameters that decay, and those exempt from it
//	        running                [R]      mean and variance of BatchNormalization, layer by layer
//	        step                   [1]      int64, of Adam: steps taken
//	        m, v or b, m_1, ...    [P]      what the optimiser keeps
//	output  logits                 [N, K]   of the forward pass as training has it
//	        loss, norm             scalars  the loss before the step, and the length of its gradient before it is clipped
//	        next_theta, next_...            what the inputs are to be at the next step
//
// With Settings.Accumulate the step is in two graphs: Program.Gradient adds the gradient of one batch to a sum, and Program.Apply moves
// the parameters by it. Program.Evaluate is the network with running statistics and without dropout, on the same vectors.
//
// The arithmetic is PyTorch's: CrossEntropyLoss with weights of classes and label smoothing, clip_grad_norm_, BatchNorm that normalises by
// the biased variance of the batch and moves its running statistics by 0.1 of the batch's mean and unbiased variance, and the optimisers.
//
// A [Trainer] keeps the vectors, each twice: a step reads one and writes the other, and then they change places, so that a step that
// failed has changed nothing. Nothing is random in a graph: masks follow from Settings.Seed and the number of batches seen, so that a
// trainer that was given back its [Trainer.State] goes on bit for bit. It is not safe for concurrent use.
//
// A head alone is trained fastest on features that are computed once: [Split] and [Join].
//
//	program, err := train.Build(onnx.New(net.Graph), train.Settings{Optimizer: optim.Settings{Method: optim.AdamW, Decay: 0.01}})
//	...
//	trainer, err := program.Open(engine, runtime.Config{})
//	...
//	result, err := trainer.Step(ctx, train.Batch{Inputs: []runtime.Tensor{x}, Labels: labels}, 1e-3)
//	...
//	model, err := trainer.Export()   // an ordinary network, for models/onnx to write
package train
