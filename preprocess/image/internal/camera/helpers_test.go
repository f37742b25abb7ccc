//go:build !amd64

package camera

func setWide(bool) {}
