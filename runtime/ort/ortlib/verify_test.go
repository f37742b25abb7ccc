package ortlib

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

// filled returns options on a cache that a fetch has filled, from a server that has the same again, and what it fetched.
func filled(t *testing.T) (Options, Library) {
	t.Helper()
	useTable(t)
	o := fixture(t)
	o.Method = MethodRelease
	o.ReleaseURL, _ = releases(t, map[string][]byte{releasePath: releaseArchive(t)})
	return o, setup(t, o)
}

// flipped returns a library of the same size and headers as the fixture's, with another content.
func flipped() []byte {
	data := bytes.Clone(library)
	data[len(data)-1] ^= 1
	return data
}

func TestOriginTellsHashAndSize(t *testing.T) {
	_, lib := filled(t)
	origin, err := readOrigin(filepath.Join(filepath.Dir(lib.Path), originName))
	name := filepath.Base(lib.Path)
	if err != nil || origin.Files[name] != hashOf(library) || origin.Sizes[name] != int64(len(library)) {
		t.Errorf("%+v, %v", origin, err)
	}
}

// TestDamagedCache damages a cached library in several ways: Find tells what it can see, Verify all, and Setup mends it.
func TestDamagedCache(t *testing.T) {
	for name, c := range map[string]struct {
		harm   func(lib string) error
		reason string
		seen   bool // by Find
	}{
		"cut":      {func(lib string) error { return os.Truncate(lib, 100) }, "has 100 bytes, want 131", true},
		"emptied":  {func(lib string) error { return os.Truncate(lib, 0) }, "has 0 bytes", true},
		"extended": {func(lib string) error { return os.WriteFile(lib, append(bytes.Clone(library), 0), 0o600) }, "has 132 bytes", true},
		"changed":  {func(lib string) error { return os.WriteFile(lib, flipped(), 0o600) }, "has SHA-256 " + hashOf(flipped()) + ", want " + hashOf(library), false},
		"record cut": {
			func(lib string) error { return os.Truncate(filepath.Join(filepath.Dir(lib), originName), 10) },
			"origin.json: unexpected end of JSON input", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, lib := filled(t)
			if err := c.harm(lib.Path); err != nil {
				t.Fatal(err)
			}
			if _, err := Find(context.Background(), o); errors.Is(err, ErrDamaged) != c.seen {
				t.Errorf("Find: %v", err)
			}
			_, err := Verify(context.Background(), o)
			expectError(t, err, lib.Path, ErrDamaged.Error(), c.reason, "`oatta setup` fetches it anew")
			if r, err := Check(context.Background(), o); err != nil || r.Found || !strings.Contains(r.Problem, c.reason) {
				t.Errorf("Check: %+v, %v", r, err)
			}
			var log []string
			o.Log = func(line string) { log = append(log, line) }
			if again := setup(t, o); again != lib {
				t.Errorf("%+v, want %+v again", again, lib)
			}
			expectError(t, errors.New(strings.Join(log, "\n")), c.reason, "is in "+filepath.Dir(lib.Path))
			expectClean(t, o, "1.24.4-linux-amd64-cpu")
			if _, err := Verify(context.Background(), o); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDamagedBeyondRepair expects the damage and why it stays, where nothing can be fetched; and nothing lost.
func TestDamagedBeyondRepair(t *testing.T) {
	o, lib := filled(t)
	write(t, lib.Path, flipped())
	o.ReleaseURL, _ = releases(t, nil)
	_, err := Setup(context.Background(), o)
	expectError(t, err, ErrDamaged.Error(), "404")
	expectClean(t, o, "1.24.4-linux-amd64-cpu")
}

// TestDamagedOther has a damaged library of the user's, which nobody can fetch again: another one takes its place.
func TestDamagedOther(t *testing.T) {
	o, first := filled(t)
	user := o
	user.Method, user.Trust = "", true
	mine, err := from(t, user, "libonnxruntime.so.1.30.0", elfOf(62, "mine"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(mine.Path, 3); err != nil {
		t.Fatal(err)
	}
	if got := setup(t, o); got != first {
		t.Errorf("%+v, want %+v", got, first)
	}
	expectClean(t, o, "1.24.4-linux-amd64-cpu")
	if got, err := Find(context.Background(), o); err != nil || got != first {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestDamagedCUDA fetches CUDA again for one that asks for no device, since it was there; its provider counts like the library.
func TestDamagedCUDA(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Device, o.Method = runtime.DeviceCUDA, MethodRelease
	o.ReleaseURL, _ = releases(t, map[string][]byte{"/v1.24.4/onnxruntime-linux-x64-gpu-1.24.4.tgz": tgzOf(t,
		member{"gpu/libonnxruntime.so.1.24.4", library}, member{"gpu/libonnxruntime_providers_cuda.so", provider})})
	lib := setup(t, o)
	beside := filepath.Join(filepath.Dir(lib.Path), "libonnxruntime_providers_cuda.so")
	if err := os.Remove(beside); err != nil {
		t.Fatal(err)
	}
	_, err := Find(context.Background(), o)
	expectError(t, err, ErrDamaged.Error(), "libonnxruntime_providers_cuda.so", "`oatta setup --device cuda`")
	o.Device = runtime.DeviceAuto
	if again := setup(t, o); again != lib || !isFile(beside) {
		t.Errorf("%+v, want %+v", again, lib)
	}
}

// TestCacheOfOlderVersions has no sizes on record, or nothing at all.
func TestCacheOfOlderVersions(t *testing.T) {
	o, lib := filled(t)
	record := filepath.Join(filepath.Dir(lib.Path), originName)
	origin, err := readOrigin(record)
	if err != nil {
		t.Fatal(err)
	}
	origin.Sizes = nil
	data, err := json.Marshal(origin)
	if err != nil {
		t.Fatal(err)
	}
	write(t, record, data)
	if _, err := Verify(context.Background(), o); err != nil {
		t.Error(err)
	}
	write(t, lib.Path, library[:100])
	_, err = Find(context.Background(), o)
	expectError(t, err, ErrDamaged.Error(), "truncated")
	write(t, lib.Path, flipped())
	_, err = Verify(context.Background(), o)
	expectError(t, err, ErrDamaged.Error(), "SHA-256")
	if err := os.Remove(record); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(context.Background(), o); err != nil {
		t.Error(err)
	}
}

func TestOriginNamesOnlyItsOwn(t *testing.T) {
	o, lib := filled(t)
	write(t, filepath.Join(filepath.Dir(lib.Path), originName), []byte(`{"files":{"../../secret":"00"}}`))
	_, err := Verify(context.Background(), o)
	expectError(t, err, ErrDamaged.Error(), `"../../secret" is no name of a file`)
}

func TestVerifyEnds(t *testing.T) {
	o, _ := filled(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ctx, o); !errors.Is(err, context.Canceled) || errors.Is(err, ErrDamaged) {
		t.Errorf("error %v", err)
	}
}

// TestFromDamaged refuses what could never be loaded, even if it is trusted.
func TestFromDamaged(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Trust = true
	_, err := from(t, o, "broken.so", library[:len(library)-1])
	expectError(t, err, "broken.so", "truncated or damaged", "give another file")
	_, err = from(t, o, "gpu.zip", zipOf(t, member{"libonnxruntime.so", library}, member{"libonnxruntime_providers_cuda.so", provider[:100]}))
	expectError(t, err, "libonnxruntime_providers_cuda.so: it is truncated or damaged")
	expectClean(t, o)
}
