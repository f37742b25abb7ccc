package testdata

import (
	goruntime "runtime"
	"strings"
	"syscall"
)

// Plain returns a text in which what Windows says of a file that is not there, or not in a folder that is there, and of a full disk, is what other
// systems say.
func Plain(text string) string {
	if goruntime.GOOS != "windows" {
		return text
	}
	const absent, full = "no such file or directory", syscall.Errno(112) // ERROR_DISK_FULL
	return strings.NewReplacer(syscall.ENOENT.Error(), absent, syscall.ENOTDIR.Error(), absent, full.Error(), "no space left on device").Replace(text)
}
