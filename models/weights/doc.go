// Package weights is safetensors, PyTorch state dicts, npz: read, map names, write.
//
// # Contract
//
// A reader will return named tensors with type and shape, and check every offset and size of a file before it allocates or slices; a
// PyTorch file's pickle is interpreted for the few opcodes that a state dict needs and never executed. Names are mapped by a table
// per architecture, and a weight that is missing, left over or of another shape is an error that names it. Written files have stable
// bytes. The package imports nothing of this module and holds no code yet.
package weights
