package datasets

import (
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// cleanName brings a file name of metadata into the form of Picture.Name: Windows' separators, "./" and a leading slash go.
func cleanName(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

// FoldName writes a file name in the form in which names of different programs and systems are compared: slashes for Windows' separators,
// also where both stand in one name; no drive, leading slash or "./"; letters and their marks composed (macOS takes them apart, Unicode's
// NFC and NFD) and in lower case, since tools change the case of extensions. Two files may have one folded name.
func FoldName(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
	if len(name) > 2 && name[1] == ':' && name[2] == '/' { // E:/
		name = name[3:]
	}
	return strings.ToLower(norm.NFC.String(name))
}

// foldNames folds all of some names.
func foldNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = FoldName(n)
	}
	return out
}

// placeOf returns the folded absolute path of a picture, which a name that leads to it from a folder above the listing's ends; "" if the
// path does not end in the picture's name.
func placeOf(p *Picture) string {
	full, err := filepath.Abs(p.Path)
	if err != nil {
		return ""
	}
	full = FoldName(filepath.ToSlash(full))
	if !strings.HasSuffix(full, "/"+FoldName(p.Name)) {
		return ""
	}
	return full
}
