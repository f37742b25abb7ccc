package state

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state/live"
	"github.com/oatta/oatta/internal/state/vault"
)

// Options says what a store holds. The zero value opens any unsealed store to look at it or to forget streams.
type Options struct {
	// Classes and Settings are those of every filter in the store. With 0 classes there are no live filters: Filter is an error,
	// and Load takes a state of any settings.
	Classes  int
	Settings adapt.Settings

	// Key of adapt.KeySize bytes seals what is stored; nil stores it in the clear. A store is sealed or not from its first commit.
	Key []byte

	// Cache is how many filters may be in memory, at least 1; 0 means as many as Memory allows.
	Cache int
	// Memory is about how many bytes the filters in memory and a commit of them all may take together; 0 means 1 GiB, but 16 filters in any case.
	Memory int64

	// Wait is how long Open waits for another process to close the file; 0 means one second.
	Wait time.Duration
}

// Position is where the reader of the input goes on after a commit: an offset, a set of them, a name with either. The store keeps
// the bytes and does not read them.
type Position []byte

// MaxPosition and MaxName are the greatest lengths of a position and of a stream's name, in bytes.
const (
	MaxPosition = 1 << 20
	MaxName     = 4096
)

// Errors that a caller may branch on.
var (
	ErrFull    = errors.New("all filters in memory wait for a commit")
	ErrUnknown = errors.New("no such stream")
)

// Store is a file of filters. Its methods may be called from several goroutines.
type Store struct {
	path    string
	options Options // settings resolved
	vault   vault.Vault

	mu       sync.Mutex
	db       *bbolt.DB
	file     *os.File // that of db
	position Position
	live     live.Cache
	census   census
	broken   error // the damage that ended the store
}

// Open opens the store at path, which is created if absent, readable by its owner only. It is an error if another process has it
// open, if the file is something else, damaged, or of a newer version, if it is sealed and Options has no key or another one (or the
// reverse), and if the first stored state was made under other settings.
func Open(path string, o Options) (*Store, error) {
	s, err := open(path, o)
	if err != nil {
		return nil, fmt.Errorf("state: %s: %w", path, err)
	}
	return s, nil
}

func open(path string, o Options) (*Store, error) {
	o, err := o.Resolved()
	if err != nil {
		return nil, err
	}
	v, err := vault.New(o.Key)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, options: o, vault: v, live: live.New(o.Cache)}
	err = s.guard(func() error {
		if err := s.openFile(); err != nil {
			return err
		}
		if err := s.db.Update(s.begin); err != nil {
			return err
		}
		return s.finishForgetting()
	})
	if err != nil {
		return nil, errors.Join(err, s.shut())
	}
	return s, nil
}

// Resolved fills in the defaults.
func (o Options) Resolved() (Options, error) {
	if o.Wait == 0 {
		o.Wait = time.Second
	}
	o.Key = slices.Clone(o.Key)
	if o.Cache < 0 || o.Memory < 0 {
		return o, fmt.Errorf("cache of %d filters, memory of %d bytes: want at least 1, or 0 for the default", o.Cache, o.Memory)
	}
	if o.Classes == 0 {
		return o, nil
	}
	settings, err := o.Settings.Resolved(o.Classes)
	if err != nil {
		return o, err
	}
	o.Settings = settings
	if o.Cache == 0 {
		o.Cache, err = cacheFor(o.Memory, o.Classes, settings)
	}
	return o, err
}

// cacheFor returns how many filters go into so many bytes, a sixth of which is theirs: the rest is for a commit, and what it leaves.
func cacheFor(memory int64, classes int, s adapt.Settings) (int, error) {
	size, err := FilterBytes(classes, s)
	if memory == 0 {
		return int(max(16, 256<<20/size)), err
	}
	return int(max(1, memory/6/size)), err
}

// FilterBytes returns about how many bytes a live filter takes, by the length of a snapshot: see Memory in the package's comment.
func FilterBytes(classes int, s adapt.Settings) (int64, error) {
	f, err := adapt.New(classes, s)
	if err != nil {
		return 1, err
	}
	data, err := f.MarshalBinary()
	if err != nil {
		return 1, err
	}
	return int64(len(data)*9/8 + 6<<10), nil
}

// Close closes the file without a commit: filters stepped since the last one are as if they had not been.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = live.New(0)
	if err := s.shut(); err != nil {
		return fmt.Errorf("state: %s: close: %w", s.path, err)
	}
	return nil
}

// shut lets go of the file. After damage bbolt may hold locks of its own for ever, so the file is closed under it.
func (s *Store) shut() (err error) {
	switch {
	case s.file == nil:
	case s.broken != nil:
		err = abandon(s.file)
	case s.db != nil:
		err = s.db.Close()
	}
	s.db, s.file = nil, nil
	if s.broken == nil {
		s.broken = errors.New("closed")
	}
	return err
}

// guard runs f, in which bbolt meets what is in the file. On a damaged page it panics, and a file cut short under its memory map
// faults; both end the store with an error. f must hold no call that could panic for another reason.
func (s *Store) guard(f func() error) (err error) {
	if s.broken != nil {
		return s.broken
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			s.broken = fmt.Errorf("damaged: %v", cause)
			err = s.broken
		}
	}()
	return f()
}

// Position returns the position of the last commit, nil before the first.
func (s *Store) Position() Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.position)
}
