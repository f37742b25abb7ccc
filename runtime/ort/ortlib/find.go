package ortlib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/oatta/oatta/runtime"
)

// ErrNotFound is what Find returns, wrapped, where no library is to be found; Setup fetches one then.
var ErrNotFound = errors.New("no ONNX Runtime library found")

// Find returns the library that a program should load: of OATTA_ORT_LIB, of the cache, or of the system. It returns
// [ErrNotFound] with the places where it looked and what it passed over there, [ErrDamaged] if the library of the cache is not
// as it was put there, or an error if OATTA_ORT_LIB is set to what cannot serve.
func Find(ctx context.Context, o Options) (Library, error) {
	o, err := o.resolved()
	if err != nil {
		return Library{}, err
	}
	return find(ctx, o)
}

func find(ctx context.Context, o Options) (Library, error) {
	if err := ctx.Err(); err != nil {
		return Library{}, fmt.Errorf("ortlib: find: %w", err)
	}
	here := o.Platform == hostPlatform()
	if value := os.Getenv(EnvLibrary); value != "" && here {
		return findEnv(o, value)
	}
	seen := cached(o)
	if lib, ok := best(seen, o.Device); ok {
		return lib, checkCached(ctx, o, lib, false)
	}
	if !here {
		return Library{}, notFound(o, nil, seen)
	}
	dirs := o.systemDirs()
	for _, dir := range dirs {
		libs := inFolder(dir, osOf(o.Platform), SourceSystem)
		seen = append(seen, libs...)
		whole := slices.DeleteFunc(libs, func(l Library) bool { return checkLibrary(l.Path, o.Platform) != nil })
		if lib, ok := best(whole, o.Device); ok {
			o.tellPassedOver(seen)
			return lib, nil
		}
	}
	return Library{}, notFound(o, dirs, seen)
}

// tellPassedOver logs which libraries will not do, of those that were seen before one was found that does.
func (o Options) tellPassedOver(seen []Library) {
	for _, lib := range seen {
		if tooOld(lib.Version) || !lib.serves(o.Device) || checkLibrary(lib.Path, o.Platform) != nil {
			o.logf("passed over: %v", o.refusal(lib))
		}
	}
}

// notFound tells where nothing was found, and for each library that was seen there why it will not do.
func notFound(o Options, dirs []string, seen []Library) error {
	places := slices.Clone(dirs)
	if o.noCache == nil {
		places = slices.Insert(places, 0, o.store())
	}
	var reasons strings.Builder
	for _, lib := range seen {
		fmt.Fprintf(&reasons, "\n  passed over: %v", o.refusal(lib))
	}
	if o.noCache != nil {
		fmt.Fprintf(&reasons, "\n  not looked in: %v", o.noCache)
	}
	return fmt.Errorf("ortlib: %s, %s: %w in %s%s", o.Platform, o.Device, ErrNotFound, strings.Join(places, ", "), reasons.String())
}

// findEnv takes what the variable names, or says why it cannot.
func findEnv(o Options, value string) (Library, error) {
	path, err := filepath.Abs(value)
	if err != nil {
		return Library{}, fmt.Errorf("ortlib: %s: %w", EnvLibrary, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Library{}, fmt.Errorf("ortlib: %s: %w", EnvLibrary, err)
	}
	candidates := []Library{describe(path, osOf(o.Platform), SourceEnv)}
	if info.IsDir() {
		candidates = inFolder(path, osOf(o.Platform), SourceEnv)
	}
	if len(candidates) == 0 {
		return Library{}, fmt.Errorf("ortlib: %s: folder %s holds no %s", EnvLibrary, path, plainName(osOf(o.Platform)))
	}
	if lib, ok := best(candidates, o.Device); ok {
		return lib, nil
	}
	// The least to be wrong with any of them is that it is for the CPU: that is told, if it is so.
	i := max(0, slices.IndexFunc(candidates, func(l Library) bool { return !tooOld(l.Version) }))
	return Library{}, fmt.Errorf("ortlib: %s: %w", EnvLibrary, o.refusal(candidates[i]))
}

// refusal says why a library will not do: it is too old, it has no CUDA, or it cannot be loaded at all.
func (o Options) refusal(lib Library) error {
	switch {
	case tooOld(lib.Version):
		return fmt.Errorf("%s is of version %s: want 1.%d or later", lib.Path, lib.Version, minMinor)
	case !lib.serves(o.Device):
		return fmt.Errorf("%s is a CPU library: CUDA needs %s beside it", lib.Path, providerNames(osOf(o.Platform))[0])
	}
	return fmt.Errorf("%s: %v", lib.Path, checkLibrary(lib.Path, o.Platform))
}

// best picks the library for a device: one that can serve it, on the device itself rather than on another, of the highest
// version.
func best(libs []Library, device runtime.Device) (Library, bool) {
	libs = slices.DeleteFunc(slices.Clone(libs), func(l Library) bool { return tooOld(l.Version) || !l.serves(device) })
	if len(libs) == 0 {
		return Library{}, false
	}
	want := device
	if want == runtime.DeviceAuto {
		want = runtime.DeviceCUDA
	}
	return slices.MaxFunc(libs, func(a, b Library) int {
		return cmp.Or(
			cmp.Compare(indicator(a.Device == want), indicator(b.Device == want)),
			slices.Compare(versionNumbers(a.Version), versionNumbers(b.Version)),
			// of two names for one file the longer has the version in it
			cmp.Compare(len(a.Path), len(b.Path)),
			cmp.Compare(a.Path, b.Path),
		)
	}), true
}

func indicator(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inFolder lists the libraries that lie in a folder. One that cannot be read holds none.
func inFolder(dir, goos string, source Source) []Library {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var libs []Library
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); isLibraryName(e.Name(), goos) && isFile(path) {
			libs = append(libs, describe(path, goos, source))
		}
	}
	return libs
}

// folderRe takes the name of a cached library's folder apart: version, operating system, architecture, device.
var folderRe = regexp.MustCompile(`^(.+)-([a-z0-9]+)-([a-z0-9]+)-(cpu|cuda)$`)

// unknownVersion stands in a folder's name for a version that nobody told.
const unknownVersion = "custom"

func folderName(version, platform string, device runtime.Device) string {
	return fmt.Sprintf("%s-%s-%s", cmp.Or(version, unknownVersion), strings.ReplaceAll(platform, "/", "-"), device)
}

// cached lists the libraries in the cache that are for the platform. The folder's name tells version and device.
func cached(o Options) []Library {
	if o.noCache != nil {
		return nil
	}
	entries, err := os.ReadDir(o.store())
	if err != nil {
		return nil // no cache yet
	}
	var libs []Library
	for _, e := range entries {
		m := folderRe.FindStringSubmatch(e.Name())
		if m == nil || m[2]+"/"+m[3] != o.Platform {
			continue
		}
		for _, lib := range inFolder(filepath.Join(o.store(), e.Name()), m[2], SourceCache) {
			if lib.Device = runtime.Device(m[4]); m[1] != unknownVersion {
				lib.Version = m[1]
			}
			libs = append(libs, lib)
		}
	}
	return libs
}
