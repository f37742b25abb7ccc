package camera

import "golang.org/x/sys/cpu"

// wide tells that the processor and the system have AVX2.
var wide = cpu.X86.HasAVX2

// spread are the factors, each eight times, in the order in which the kernel has them.
var spread = func() (k [14][8]int32) {
	for i, v := range [...]int32{
		rowCos6, rowLess6, rowMore6, rowRoot, cos3, less3, more3, cos1, less1, more1, colCos6, colLess6, colMore6, colRoot,
	} {
		for j := range k[i] {
			k[i][j] = v
		}
	}
	return k
}()

// inverseWide is inverse, on eight rows or columns at once.
func inverseWide(dst *uint8, stride int, b *[64]int32) { inverseRows(dst, stride, b, &spread) }

//go:noescape
func inverseRows(dst *uint8, stride int, b *[64]int32, k *[14][8]int32)
