// Package flops is the paper's study of what adaptation costs: the operations of one step of every predictor, counted in its ONNX graph,
// those of the filter by the number of classes, and the shares of time that are measured.
//
//	oatta bench flops --shared DIR
//
// A graph is counted by a rule for each operator ([Of]): multiply-adds of convolutions and matrix products, as networks are usually
// compared by, and beside them one operation for each element that anything else computes. Zeros that pads bring are multiplied, too; what only
// moves or renames elements is free. An operator without a rule is an error. The filter is counted by running it on numbers that count
// ([Printed], [Carried]).
//
// Times are those of the process on its CPUs, on one thread, in turn and in one run, medians of some rounds: their ratios are the
// result. Counts are the same on any machine.
package flops
