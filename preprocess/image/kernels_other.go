//go:build !amd64

package image

// wide tells that there are kernels.
const wide = false

const sumStep = 1

func acrossWide([]uint8, []pixel, *taps)       { panic("preprocess/image: no kernel") }
func convertWide([]pixel, []uint8, []uint32)   { panic("preprocess/image: no kernel") }
func sumRows([]uint8, []uint8, []int, []int32) { panic("preprocess/image: no kernel") }
