package ortlib

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/runtime"
)

// ErrDamaged is what Find and Verify return, wrapped, for a library in the cache that is no longer what was put there. Setup
// fetches it anew.
var ErrDamaged = errors.New("the library in the cache is damaged")

// originName is the record of a cached library: where it came from, and hash and size of each file.
const originName = "origin.json"

// maxOrigin bounds that record, in bytes.
const maxOrigin = 1 << 20

// Verify returns what Find returns, after it held a library of the cache against the SHA-256 that was recorded when it was
// fetched; Find itself, which every start of a program waits for, compares only sizes. A difference is [ErrDamaged].
func Verify(ctx context.Context, o Options) (Library, error) {
	o, err := o.resolved()
	if err != nil {
		return Library{}, err
	}
	return verified(ctx, o)
}

func verified(ctx context.Context, o Options) (Library, error) {
	lib, err := find(ctx, o)
	if err != nil || lib.Source != SourceCache {
		return lib, err
	}
	return lib, checkCached(ctx, o, lib, true)
}

// checkCached reports what is wrong with a library of the cache: by headers and sizes, and with hashes also by these.
func checkCached(ctx context.Context, o Options, lib Library, hashes bool) error {
	err := checkEntry(ctx, filepath.Dir(lib.Path), hashes)
	if ctx.Err() != nil {
		return fmt.Errorf("ortlib: %s: %w", lib.Path, ctx.Err())
	}
	if err == nil {
		err = checkLibrary(lib.Path, o.Platform)
	}
	if err == nil {
		return nil
	}
	command := "oatta setup"
	if o.Device == runtime.DeviceCUDA {
		command += " --device cuda"
	}
	return fmt.Errorf("ortlib: %s: %w: %w; `%s` fetches it anew", lib.Path, ErrDamaged, err, command)
}

// checkEntry holds the files in a folder of the cache against its record. A folder without one was not filled by us, and one
// of an older oatta tells no sizes.
func checkEntry(ctx context.Context, dir string, hashes bool) error {
	origin, err := readOrigin(filepath.Join(dir, originName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", originName, err)
	}
	for name, want := range origin.Files {
		if filepath.Base(name) != name {
			return fmt.Errorf("%s: %q is no name of a file", originName, name)
		}
		file := filepath.Join(dir, name)
		if size, ok := origin.Sizes[name]; ok {
			if err := checkSize(file, size); err != nil {
				return err
			}
		}
		if hashes {
			if err := checkHash(ctx, file, want); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkSize(file string, want int64) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Size() != want {
		return fmt.Errorf("%s has %d bytes, want %d", filepath.Base(file), info.Size(), want)
	}
	return nil
}

func checkHash(ctx context.Context, file, want string) error {
	got, err := hashFile(ctx, file)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s has SHA-256 %s, want %s", filepath.Base(file), got, want)
	}
	return nil
}

func readOrigin(file string) (obtained, error) {
	f, err := os.Open(file)
	if err != nil {
		return obtained{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	data, err := io.ReadAll(io.LimitReader(f, maxOrigin))
	if err != nil {
		return obtained{}, err
	}
	var got obtained
	if err := json.Unmarshal(data, &got); err != nil {
		return obtained{}, err
	}
	return got, nil
}

// sizesOf returns the sizes of files in a folder, in bytes.
func sizesOf(dir string, files map[string]string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for name := range files {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		sizes[name] = info.Size()
	}
	return sizes, nil
}
