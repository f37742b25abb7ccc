package ortlib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/runtime"
)

// obtainFrom takes a library from the file or URL that the user gives: a package, or the library itself.
func obtainFrom(ctx context.Context, o Options, down, dir string) (obtained, error) {
	file, err := localFile(ctx, o, down)
	if err != nil {
		return obtained{}, err
	}
	taken, err := takeFrom(ctx, o, file, dir)
	if err != nil {
		return obtained{}, err
	}
	main := taken[0]
	for _, e := range taken {
		if err := checkLibrary(filepath.Join(dir, e.name), o.Platform); err != nil {
			return obtained{}, fmt.Errorf("%s: %w: give another file", e.inside, err)
		}
	}
	if err := accept(ctx, o, file, taken); err != nil {
		return obtained{}, err
	}
	got := obtained{
		Method: MethodFrom, Package: redacted(o.From), Platform: o.Platform, Device: runtime.DeviceCPU,
		Version: cmp.Or(versionIn(main.name), versionIn(filepath.Base(file))), Files: map[string]string{}, dir: dir, library: main.name,
	}
	if p, ok := knownAs(main.sha256, o.Platform); ok {
		got.Version = p.version
	}
	for _, e := range taken {
		got.Files[e.name] = e.sha256
	}
	if _, ok := got.Files[providerNames(osOf(o.Platform))[0]]; ok {
		got.Device = runtime.DeviceCUDA
	}
	if o.Device == runtime.DeviceCUDA && got.Device != o.Device {
		return obtained{}, fmt.Errorf("it has no CUDA provider: want %s beside the library", providerNames(osOf(o.Platform))[0])
	}
	return got, nil
}

// localFile returns the file that From names, after a download if it is a URL.
func localFile(ctx context.Context, o Options, down string) (string, error) {
	u, err := url.Parse(o.From)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ordinaryFile(o.From)
	}
	if u.Scheme == "http" && o.Trust && !isLoopback(u.Hostname()) {
		return "", errors.New("trust over plain http: anybody on the way could replace it; give its sha256, or an https URL")
	}
	name := path.Base(u.Path)
	if name == "/" || name == "." {
		name = "package"
	}
	o.logf("from: fetching %s", redacted(o.From))
	file := filepath.Join(down, name)
	return file, download(ctx, o.Client, o.From, file, maxDownload)
}

func ordinaryFile(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("it is a folder: to use the library in it, set %s to it", EnvLibrary)
	}
	if info.Size() > maxDownload {
		return "", fmt.Errorf("it has %d bytes, want at most %d", info.Size(), int64(maxDownload))
	}
	return file, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// redacted drops what a URL may hold of secrets, for logs and records.
func redacted(from string) string {
	u, err := url.Parse(from)
	if err != nil || u.Host == "" {
		return from
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// takeFrom puts the library, first, and its CUDA providers into dir.
func takeFrom(ctx context.Context, o Options, file, dir string) ([]extracted, error) {
	header, err := readHeader(file)
	if err != nil {
		return nil, err
	}
	if _, _, err := platformOf(header); err == nil {
		return takeBare(o, file, dir)
	}
	var names []string
	err = walkPackage(ctx, file, func(name string, _ io.Reader) error {
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	main, err := pickLibrary(names, o.Platform)
	if err != nil {
		return nil, err
	}
	picks := map[string]string{main: path.Base(main)}
	providers := providerNames(osOf(o.Platform))
	if !slices.Contains(names, path.Join(path.Dir(main), providers[0])) {
		providers = nil // wheels for the CPU hold the shared part alone, which serves nothing
	}
	for _, p := range providers {
		if name := path.Join(path.Dir(main), p); slices.Contains(names, name) {
			picks[name] = p
		}
	}
	taken, err := extract(ctx, file, dir, picks)
	slices.SortFunc(taken, func(a, b extracted) int {
		return cmp.Or(cmp.Compare(indicator(b.inside == main), indicator(a.inside == main)), cmp.Compare(a.name, b.name))
	})
	return taken, err
}

// takeBare copies a library that is no package.
func takeBare(o Options, file, dir string) ([]extracted, error) {
	name := filepath.Base(file)
	if !isLibraryName(name, osOf(o.Platform)) {
		name = plainName(osOf(o.Platform))
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	hash, err := writeFile(filepath.Join(dir, name), f)
	if err != nil {
		return nil, err
	}
	return []extracted{{file, name, hash}}, ensureLicence(dir)
}

// platformWords are the ways in which packages write a platform in the names of folders, as runtimes/linux-x64/native.
var platformWords = map[string][]string{
	"linux/amd64":   {"linux-x64", "linux/x64", "linux-x86_64"},
	"linux/arm64":   {"linux-arm64", "linux/arm64", "linux-aarch64"},
	"darwin/amd64":  {"osx-x64", "osx.10.14-x64", "darwin/x64", "osx-x86_64", "osx-universal2"},
	"darwin/arm64":  {"osx-arm64", "darwin/arm64", "osx-universal2"},
	"windows/amd64": {"win-x64", "win32/x64"},
	"windows/arm64": {"win-arm64", "win32/arm64"},
}

// pickLibrary chooses the library of a platform among the names in a package. Where several fit, the name of the platform
// must tell which.
func pickLibrary(names []string, platform string) (string, error) {
	var found []string
	for _, name := range names {
		if isLibraryName(path.Base(name), osOf(platform)) {
			found = append(found, name)
		}
	}
	if len(found) > 1 {
		named := slices.DeleteFunc(slices.Clone(found), func(name string) bool { return !namesPlatform(name, platform) })
		if len(named) > 0 {
			found = named
		}
	}
	switch {
	case len(found) == 0:
		return "", fmt.Errorf("there is no %s in it", plainName(osOf(platform)))
	case len(found) > 1 && !sameFolder(found):
		return "", fmt.Errorf("it holds several libraries for %s: %s", platform, strings.Join(found, ", "))
	}
	// Several names in one folder are one library under names of more and less version: the longest has it all.
	return slices.MaxFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }), nil
}

// namesPlatform tells whether the folders of a name have a platform's word in them, as a whole or before a dash.
func namesPlatform(name, platform string) bool {
	return slices.ContainsFunc(platformWords[platform], func(word string) bool {
		return strings.Contains(name, word+"/") || strings.Contains(name, word+"-")
	})
}

func sameFolder(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return path.Dir(n) != path.Dir(names[0]) })
}

// accept decides whether libraries of the user's may be used: each must be in the table, or have a hash that the user gave,
// which may also be that of the whole package; or the user trusts them unseen. Hashes that the user gave and that fit nothing
// are an error in any case.
func accept(ctx context.Context, o Options, file string, taken []extracted) error {
	given := o.hashes()
	if len(given) > 0 {
		whole, err := hashFile(ctx, file)
		if err != nil {
			return err
		}
		if slices.Contains(given, whole) {
			return nil
		}
	}
	fits := false
	for _, e := range taken {
		_, known := knownAs(e.sha256, o.Platform)
		mine := slices.Contains(given, e.sha256)
		fits = fits || mine
		if !known && !mine && (!o.Trust || len(given) > 0) {
			return unknownError(e, len(given) > 0)
		}
	}
	if len(given) > 0 && !fits {
		return unknownError(taken[0], true)
	}
	return nil
}

func unknownError(e extracted, given bool) error {
	if given {
		return fmt.Errorf("%s has SHA-256 %s, which is not the one given", e.inside, e.sha256)
	}
	return fmt.Errorf("%s has SHA-256 %s, which is in no table of oatta's: if its source says the same, repeat with --sha256 %s (or with --trust, to use it unchecked)",
		e.inside, e.sha256, e.sha256)
}
