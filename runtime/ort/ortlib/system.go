package ortlib

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
)

// systemFolders are the usual library folders by operating system, in the order in which they are looked in. Those that are
// not there cost a failed open.
var systemFolders = map[string][]string{
	"linux": {
		"/usr/local/lib", "/usr/local/lib64", "/usr/lib", "/usr/lib64", "/lib", "/lib64",
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/opt/onnxruntime/lib", "/home/linuxbrew/.linuxbrew/lib",
	},
	"darwin": {
		"/opt/homebrew/lib", "/opt/homebrew/opt/onnxruntime/lib", "/usr/local/lib", "/usr/local/opt/onnxruntime/lib",
		"/opt/local/lib",
	},
}

// systemVariables are those in which the dynamic loader is told folders.
var systemVariables = map[string][]string{
	"linux":   {"LD_LIBRARY_PATH"},
	"darwin":  {"DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"},
	"windows": {"PATH"},
}

// systemDirs returns the library folders of this machine.
func (o Options) systemDirs() []string {
	if o.system != nil {
		return o.system
	}
	var dirs []string
	for _, name := range systemVariables[goruntime.GOOS] {
		dirs = append(dirs, filepath.SplitList(os.Getenv(name))...)
	}
	if prefix := os.Getenv("HOMEBREW_PREFIX"); prefix != "" { // `brew shellenv` sets it
		dirs = append(dirs, filepath.Join(prefix, "lib"))
	}
	dirs = append(dirs, systemFolders[goruntime.GOOS]...)
	return usable(dirs, os.Getenv("SystemRoot"))
}

// usable drops what must not be looked in: relative folders, which depend on where the program was started, repeated ones, and
// those of Windows itself, where an onnxruntime.dll lies that is older than any that can serve.
func usable(dirs []string, systemRoot string) []string {
	var kept []string
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) || within(dir, systemRoot) {
			continue
		}
		if dir = filepath.Clean(dir); !slices.Contains(kept, dir) {
			kept = append(kept, dir)
		}
	}
	return kept
}

// within tells whether dir is root or lies in it; nothing lies in "". Names are compared as Windows does, without case.
func within(dir, root string) bool {
	if root == "" {
		return false
	}
	dir, root = strings.ToLower(filepath.Clean(dir)), strings.ToLower(filepath.Clean(root))
	return dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))
}
