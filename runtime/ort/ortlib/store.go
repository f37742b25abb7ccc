package ortlib

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	files "github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/runtime"
)

// tempPrefix begins the names of folders in which a library is prepared. No name of a cached library begins so.
const tempPrefix = ".fetch-"

// store is the folder of libraries in the cache, locked.
type store struct {
	options Options
	lock    *flock.Flock
}

// openStore creates the folder if need be and waits for its lock. Whoever holds it is the only one that fetches, so what lies
// about from earlier fetches was interrupted, and goes.
func openStore(ctx context.Context, o Options) (*store, error) {
	if err := os.MkdirAll(o.store(), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(o.store(), ".lock"))
	if ok, err := lock.TryLock(); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	} else if !ok {
		o.logf("waiting for another program that fetches a library")
		if _, err := lock.TryLockContext(ctx, 200*time.Millisecond); err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
	}
	s := &store{o, lock}
	if err := s.sweep(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *store) sweep() error {
	left, err := filepath.Glob(filepath.Join(s.options.store(), tempPrefix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// close gives the lock back. The lock's file stays: removing it would let two programs lock two files of one name.
func (s *store) close() { _ = s.lock.Unlock() } // the system gives it back at the end of the process in any case

// attempt fetches by one method: package, contents, verification, and the move to the final place.
func (s *store) attempt(ctx context.Context, m Method) (Library, error) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	work, err := os.MkdirTemp(s.options.store(), tempPrefix)
	if err != nil {
		return Library{}, err
	}
	defer func() { _ = os.RemoveAll(work) }() // what cannot be removed now, the next fetch sweeps away
	got, err := obtain(ctx, s.options, m, work)
	if err != nil {
		return Library{}, err
	}
	return s.install(got, work)
}

// obtained is a verified library in a folder of its own, ready to be installed.
type obtained struct {
	Method   Method            `json:"method"`
	Package  string            `json:"package"`
	Version  string            `json:"version"`
	Platform string            `json:"platform"`
	Device   runtime.Device    `json:"device"`
	Files    map[string]string `json:"files"` // name: SHA-256
	Sizes    map[string]int64  `json:"sizes"` // name: bytes; filled in when it is installed

	dir, library string // where it is, and the name of the library there
}

// install records where the library came from and renames its folder into place. An older one of the same name goes.
func (s *store) install(got obtained, work string) (Library, error) {
	var err error
	if got.Sizes, err = sizesOf(got.dir, got.Files); err != nil {
		return Library{}, err
	}
	record, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		return Library{}, err
	}
	if _, err := writeFile(filepath.Join(got.dir, originName), strings.NewReader(string(record)+"\n")); err != nil {
		return Library{}, err
	}
	syncDir(got.dir)
	final := filepath.Join(s.options.store(), folderName(got.Version, got.Platform, got.Device))
	if err := replace(got.dir, final, filepath.Join(work, "replaced")); err != nil {
		return Library{}, err
	}
	syncDir(s.options.store())
	s.options.logf("%s: %s is in %s", got.Method, got.Package, final)
	return Library{filepath.Join(final, got.library), got.Version, SourceCache, got.Device}, nil
}

// replace renames a folder to final. What is there goes aside first, since no system renames over a folder with files in it,
// and comes back if that fails.
func replace(dir, final, aside string) error {
	err := files.Rename(final, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	was := err == nil
	if err = files.Rename(dir, final); err != nil && was {
		err = errors.Join(err, files.Rename(aside, final))
	}
	return err
}

// dropDamaged removes what else in the cache is damaged, lest [Find] prefer it to what was fetched in its stead.
func (s *store) dropDamaged(ctx context.Context) error {
	for _, lib := range cached(s.options) {
		err := checkCached(ctx, s.options, lib, true)
		if !errors.Is(err, ErrDamaged) {
			continue
		}
		s.options.logf("removing %s: %v", filepath.Dir(lib.Path), err)
		aside, err := os.MkdirTemp(s.options.store(), tempPrefix) // one rename, so that it is there whole or not at all
		if err == nil {
			err = files.Rename(filepath.Dir(lib.Path), filepath.Join(aside, "damaged"))
		}
		if err == nil {
			err = os.RemoveAll(aside)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// syncDir puts a folder's list of names on disk. Windows has no such call, and some file systems refuse it; the rename is
// atomic all the same.
func syncDir(dir string) {
	if goruntime.GOOS == "windows" {
		return
	}
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
