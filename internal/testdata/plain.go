package testdata

import (
	goruntime "runtime"
	"strings"
	"syscall"
)

// Plain returns a text in which what Windows says of a file that is not there, or not in a folder that is there, is what other systems say.
func Plain(text string) string {
	if goruntime.GOOS != "windows" {
		return text
	}
	const absent = "no such file or directory"
	return strings.NewReplacer(syscall.ENOENT.Error(), absent, syscall.ENOTDIR.Error(), absent).Replace(text)
}
