// Package camera decodes the JPEGs that cameras write, to the bits of the standard decoder (image/jpeg of Go 1.26) and in a fraction of its
// time: sequential Huffman coding, eight bits a sample, luma alone or with chroma of one of the usual six ratios, all of it in one scan, with or
// without restart markers.
//
// It takes a file or leaves it. Whatever else a file is, and whatever is wrong with it, it is left to the standard decoder, whose pictures
// and errors are then those of the whole program: so that the two cannot contradict each other, this one takes nothing of which it is not sure.
// A test compares them on every picture at hand, and a fuzz target on bytes of any kind.
//
// What makes it quick: bits are taken from a word of 64, one look-up gives most coefficients whole, blocks of one value are not transformed, and
// the transform of the others is done on eight rows at once where the processor has AVX2. Tables and planes are kept from picture
// to picture.
package camera
