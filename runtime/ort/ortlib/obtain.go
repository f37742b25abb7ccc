package ortlib

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// getters download the package of an entry into an empty folder and return the file.
var getters = map[Method]func(ctx context.Context, o Options, p pin, dir string) (string, error){
	MethodPip:     getPip,
	MethodNpm:     getNpm,
	MethodRelease: getRelease,
}

// obtain gets a library into a folder below work, and verifies it.
func obtain(ctx context.Context, o Options, m Method, work string) (obtained, error) {
	down, lib := filepath.Join(work, "package"), filepath.Join(work, "library")
	for _, dir := range []string{down, lib} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return obtained{}, err
		}
	}
	if m == MethodFrom {
		return obtainFrom(ctx, o, down, lib)
	}
	p, err := pinFor(m, o.Platform, o.Device)
	if err != nil {
		return obtained{}, err
	}
	o.logf("%s: fetching %s", m, p)
	file, err := getters[m](ctx, o, p, down)
	if err != nil {
		return obtained{}, err
	}
	return takePinned(ctx, p, file, lib)
}

// takePinned takes the files of an entry out of its package and holds them against their hashes.
func takePinned(ctx context.Context, p pin, file, dir string) (obtained, error) {
	taken, err := extract(ctx, file, dir, p.picks())
	if err != nil {
		return obtained{}, fmt.Errorf("%s: %w", p, err)
	}
	got := obtained{
		Method: p.method, Package: p.String(), Version: p.version, Platform: p.platform, Device: p.device,
		Files: map[string]string{}, dir: dir, library: path.Base(p.files[0].name),
	}
	for _, e := range taken {
		if want := p.hashOf(e.inside); e.sha256 != want {
			return obtained{}, fmt.Errorf("%s: %s has SHA-256 %s, want %s: it is not what was published", p, e.inside, e.sha256, want)
		}
		got.Files[e.name] = e.sha256
	}
	return got, nil
}

// hashOf returns the hash of a file in the package.
func (p pin) hashOf(name string) string {
	for _, f := range p.files {
		if f.name == name {
			return f.sha256
		}
	}
	return ""
}

func getRelease(ctx context.Context, o Options, p pin, dir string) (string, error) {
	file := filepath.Join(dir, p.pkg)
	return file, download(ctx, o.Client, fmt.Sprintf("%s/v%s/%s", o.ReleaseURL, p.version, p.pkg), file, maxDownload)
}
