// Package weights is safetensors, PyTorch state dicts, npz: read, map names, write.
//
// # Contract
//
// [Open] tells a file's format by its content and lists its tensors without reading their elements, whatever the file's size. A
// [Tensor] hands out its elements as row-major little-endian bytes or as float32, however they lie in the file: strided, in Fortran
// order, big-endian, compressed. Files come from strangers, so every offset and size is checked against the file before anything is
// allocated or sliced, and no bytes make a reader panic. Opening a file allocates a few megabytes, and a few hundred bytes for each
// byte that it holds, at most. Archives that inflate to far more than trained weights do are refused, and so are elements that the
// archive's checksum does not fit.
//
// A PyTorch file is a pickle, which in Python is a program. Here it is only data: an interpreter knows the opcodes that state dicts
// use and a fixed list of names, makes tensors and dictionaries of them, and refuses everything else by name. Nothing is ever
// executed. A state dict is found under the usual keys ("state_dict", "model", ...), and the prefixes that DataParallel and torch.compile
// put before every name are taken off.
//
// [Match] maps published names to ours by a table of [Rules], and names every tensor that is missing, left over or of another shape.
// Written files have stable bytes: those of safetensors are the ones that its reference writer makes.
//
//	f, err := weights.Open("deit_small.pth")
//	...
//	defer f.Close()
//	fit, report, err := weights.Match(shapes, f, weights.TimmViT) // shapes: map[string][]int
//	...
//	if err := report.Err(); err != nil { // models/weights: missing: heads.head.bias ...
//		return err
//	}
//	values, err := fit["class_token"].Float32s()
//
// # Why no library reads these files
//
// npyio (v0.6) knows no float16, reads arrays only as a whole and in sequence, and allocates what a header asks for. gopickle (v0.2)
// reads all elements at once, has opcodes that state dicts do not need, allocates what lengths ask for, and panics on parts of old
// files. Both are good for files of one's own.
//
// Not read: TorchScript programs, quantised and sparse tensors, complex numbers and 8-bit floats, the tar format of PyTorch before 0.1.10,
// pickles of protocol 0, npy records and Python objects. Each is an error that says so.
package weights
