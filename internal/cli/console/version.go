package console

import "runtime/debug"

// Release is the version of this source tree, by the rules of semantic versions.
const Release = "0.1.0"

// Version returns the release, with the revision where the build knows it.
func Version() string {
	revision, changed := Revision()
	if revision == "" {
		return Release
	}
	text := Release + " (" + revision[:min(12, len(revision))]
	if changed {
		text += "+changes"
	}
	return text + ")"
}

// Revision returns the revision that the program was built from, as git names it, and whether files had been changed since; "" where the
// build does not know.
func Revision() (revision string, changed bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return revision, changed
}
