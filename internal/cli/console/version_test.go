package console

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

func TestBuilt(t *testing.T) {
	const revision = "d403ff426a4900d1d48bd8f5a4e271519d8f3d19"
	checkout := []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "false"}}
	changed := []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"}}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     Build
	}{
		{"", nil, Build{Number: Release}},
		{"(devel)", nil, Build{Number: Release}},
		{"(devel)", checkout, Build{Release, revision, false}},
		{"v0.0.0-20261129015216-d403ff426a49", checkout, Build{Release, revision, false}},
		{"v0.0.0-20261129015216-d403ff426a49+dirty", changed, Build{Release, revision, true}},
		{"v0.0.0-20261129015216-d403ff426a49", nil, Build{Release, revision[:12], false}},
		{"v0.1.1-0.20261129015216-d403ff426a49", nil, Build{Release, revision[:12], false}},
		{"v0.3.0", nil, Build{"0.3.0", "", false}},
		{"v0.3.0-rc.1", checkout, Build{"0.3.0-rc.1", revision, false}},
		{"v0.3.0+dirty", changed, Build{"0.3.0", revision, true}},
	} {
		if got := built(&debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}); got != c.want {
			t.Errorf("%q, %v: %+v, want %+v", c.version, c.settings, got, c.want)
		}
	}
}

// The changelog and the program agree which version is the newest.
func TestReleaseIsThatOfTheChangelog(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata.Root(), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, newest, found := strings.Cut(string(text), "\n## ")
	newest, _, _ = strings.Cut(newest, ",")
	if !found || newest != Release {
		t.Errorf("the newest version of CHANGELOG.md is %q, Release is %q", newest, Release)
	}
}
