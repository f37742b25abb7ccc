package console

import "runtime/debug"

// Release is the version of this source tree.
const Release = "0.1.0"

// Version returns the release, with the revision where the build knows it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Release
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if revision == "" {
		return Release
	}
	return Release + " (" + revision + dirty + ")"
}
