// Package npy reads the headers of arrays in NumPy's format: NumPy Enhancement Proposal 1 and numpy.lib.format. A magic, a version, the
// length of a dictionary, the dictionary as Python writes it, and the elements, whose types and order are the reader's.
package npy
