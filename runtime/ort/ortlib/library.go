package ortlib

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/oatta/oatta/runtime"
)

// Source says where a library was found.
type Source string

// The sources, in the order in which they are looked in.
const (
	SourceEnv    Source = "env"
	SourceCache  Source = "cache"
	SourceSystem Source = "system"
)

// Library is a shared library of ONNX Runtime on this machine.
type Library struct {
	Path    string         `json:"path"`
	Version string         `json:"version"` // "1.24.4", "1.24" where a DLL itself tells, "" where nothing does
	Source  Source         `json:"source"`
	Device  runtime.Device `json:"device"` // cuda if the CUDA provider lies beside it, else cpu
}

// minMinor is the first minor version of ONNX Runtime 1 that has the C API which runtime/ort asks for.
const minMinor = 24

// libraryNames match the file names of the library by operating system, versioned or not.
var libraryNames = map[string]*regexp.Regexp{
	"linux":   regexp.MustCompile(`^libonnxruntime\.so(\.\d+){0,3}$`),
	"darwin":  regexp.MustCompile(`^libonnxruntime(\.\d+){0,3}\.dylib$`),
	"windows": regexp.MustCompile(`(?i)^onnxruntime\.dll$`),
}

// isLibraryName tells whether a file of this name can be the library. Other systems are taken for kin of Linux.
func isLibraryName(name, goos string) bool {
	re, ok := libraryNames[goos]
	if !ok {
		re = libraryNames["linux"]
	}
	return re.MatchString(name)
}

// plainName is the library's name without a version.
func plainName(goos string) string {
	switch goos {
	case "darwin":
		return "libonnxruntime.dylib"
	case "windows":
		return "onnxruntime.dll"
	}
	return "libonnxruntime.so"
}

// providerNames returns the names of the libraries that CUDA needs beside the library itself.
func providerNames(goos string) []string {
	if goos == "windows" {
		return []string{"onnxruntime_providers_cuda.dll", "onnxruntime_providers_shared.dll"}
	}
	return []string{"libonnxruntime_providers_cuda.so", "libonnxruntime_providers_shared.so"}
}

var versionRe = regexp.MustCompile(`\d+\.\d+\.\d+`)

// versionIn returns the version that a file name tells, or "".
func versionIn(name string) string { return versionRe.FindString(name) }

// tooOld tells whether a version is known to lack the C API.
func tooOld(version string) bool {
	parts := versionNumbers(version)
	return len(parts) >= 2 && (parts[0] < 1 || parts[0] == 1 && parts[1] < minMinor)
}

func versionNumbers(version string) []int {
	var numbers []int
	for _, field := range strings.Split(version, ".") {
		n, err := strconv.Atoi(field)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// describe tells version and device of a library from its name, that of the file which it links to, the file itself, and its neighbours.
func describe(path, goos string, source Source) Library {
	lib := Library{Path: path, Version: versionIn(filepath.Base(path)), Source: source, Device: runtime.DeviceCPU}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if lib.Version == "" {
		lib.Version = versionIn(filepath.Base(real))
	}
	if lib.Version == "" && source != SourceCache { // there the folder tells it
		lib.Version = told(real, goos)
	}
	if isFile(filepath.Join(filepath.Dir(real), providerNames(goos)[0])) {
		lib.Device = runtime.DeviceCUDA
	}
	return lib
}

// isFile tells whether a path leads to a regular file.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// serves tells whether a library of this device can do what was asked: CUDA builds run on the CPU, too.
func (l Library) serves(device runtime.Device) bool {
	return device != runtime.DeviceCUDA || l.Device == runtime.DeviceCUDA
}
