// Package torch times forward passes, Tent and MEMO against PyTorch eager (torch_peer.py), on the same weights and inputs, in turn and in one
// run, each on one thread. It writes a table: milliseconds of process CPU time for one step, medians over rounds, and what that is
// beside a plain forward pass of the same engine and batch.
//
// It needs Python with PyTorch and NumPy: OATTA_PYTHON, else python3; and a system that tells the CPU time of a process as Unix does.
//
//	oatta bench torch
//	oatta bench torch --weights ../shared/models/cifar10-resnet18/balanced.fp16.safetensors
//	oatta bench torch --net resnet50 --methods forward,tent3 --tune --json times.json
//
// A step that does not give PyTorch's prediction is an error: what is timed against each other computes the same.
package torch
