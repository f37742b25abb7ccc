//go:build !amd64

package camera

const wide = false

func inverseWide(*uint8, int, *[64]int32) { panic("preprocess/image/internal/camera: no kernel") }
