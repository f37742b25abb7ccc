//go:build !amd64

package image

// wide tells that there are kernels.
const wide = false

const sumStep = 1

func acrossWide([]uint8, []pixel, *taps)       { panic("preprocess/image: no kernel") }
func convertWide([]pixel, []uint8, []uint32)   { panic("preprocess/image: no kernel") }
func sumRows([]uint8, []uint8, []int, []int32) { panic("preprocess/image: no kernel") }

func packWide([]uint32, []uint8, []uint8) int               { return 0 }
func blendWide([]uint32, []uint32) int                      { return 0 }
func widenWide([]uint32, []uint32, uint32, uint32, int) int { return 0 }
