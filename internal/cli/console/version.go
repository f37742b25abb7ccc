package console

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// Release is the version of this source tree, by the rules of semantic versions; it is the newest one of CHANGELOG.md.
const Release = "0.1.0"

// Build is what a program knows of how it was built.
type Build struct {
	Number   string // its version
	Revision string // as git names it, of 40 digits or 12; "": not known
	Changed  bool   // files were not those of the revision
}

// Built returns what this program knows of itself.
func Built() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return built(info)
}

var (
	tagged = regexp.MustCompile(`^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$`)
	pseudo = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})$`) // what Go calls a commit without a tag
)

// built reads what Go wrote: in a checkout the revision, and where the source came by `go install ...@version` the version, of a tag or of a
// commit without one.
func built(info *debug.BuildInfo) Build {
	b := Build{Number: Release}
	version, _, _ := strings.Cut(info.Main.Version, "+") // "+dirty" is told by vcs.modified as well
	if commit := pseudo.FindStringSubmatch(version); commit != nil {
		b.Revision = commit[1]
	} else if tag := tagged.FindStringSubmatch(version); tag != nil {
		b.Number = tag[1]
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// Version returns the version, with the revision where the build knows it.
func Version() string {
	b := Built()
	if b.Revision == "" {
		return b.Number
	}
	text := b.Number + " (" + b.Revision[:min(12, len(b.Revision))]
	if b.Changed {
		text += "+changes"
	}
	return text + ")"
}

// Revision returns the revision that the program was built from, as git names it, and whether files had been changed since; "" where the
// build does not know.
func Revision() (revision string, changed bool) {
	b := Built()
	return b.Revision, b.Changed
}
