// Package npy reads arrays in NumPy's format: collections (CIFAR-10.1, CIFAR-10-C) and ready predictions are published in it.
//
// The format is described in NumPy Enhancement Proposal 1 and in numpy.lib.format: a magic, a version, the length of a header, the
// header, which is a Python dictionary, and the elements. Read takes arrays of numbers in little-endian row-major order, of which it reads
// all; anything else is an error, also a file that is longer or shorter than its header says.
//
//	a, err := npy.Read(file, 1<<30)
//	if err != nil {
//		return err
//	}
//	labels, err := a.Ints()
package npy
