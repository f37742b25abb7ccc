package view

import (
	"container/list"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/report"
)

// Inputs are what was run on: one folder, or one file. A nil Inputs has nothing to show.
type Inputs struct {
	path     string // as it was named
	root     *os.Root
	only     string // the one file of the root that may be opened; "": all below it
	tables   motion.Options
	posts    posts.Options
	pictures cache
	busy     chan struct{} // a place for each picture that is being decoded
	moving   movement
	texts    texts
}

// Reading says how tables of movement and of posts are read.
type Reading struct {
	Tables motion.Options
	Posts  posts.Options
}

// OpenInputs opens a folder or a file.
func OpenInputs(name string, r Reading) (*Inputs, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	in := &Inputs{path: name, tables: r.Tables, posts: r.Posts, busy: make(chan struct{}, 2)}
	dir := name
	if !info.IsDir() {
		dir, in.only = filepath.Split(filepath.Clean(name))
		if dir == "" {
			dir = "."
		}
	}
	in.root, err = os.OpenRoot(dir)
	return in, err
}

// Close closes what stands open. It was only read.
func (in *Inputs) Close() error {
	if in == nil {
		return nil
	}
	return errors.Join(in.moving.close(), in.texts.close(), in.root.Close())
}

// errNoInputs says why there is nothing to see.
var errNoInputs = errors.New("no folder of inputs was given")

// errElsewhere is what is wrong with a file that is not the one that was named.
var errElsewhere = errors.New("not in what was given as inputs")

// local is the name of a file below the root.
func (in *Inputs) local(name string) (string, error) {
	if in == nil {
		return "", errNoInputs
	}
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if in.only != "" {
		if path.Base(name) != in.only {
			return "", errElsewhere
		}
		name = in.only
	}
	return name, nil
}

// stat is [Inputs.local] of what is a regular file, with what the system tells of it.
func (in *Inputs) stat(name string) (string, fs.FileInfo, error) {
	name, err := in.local(name)
	if err != nil {
		return "", nil, err
	}
	info, err := in.root.Stat(name) // refuses a name or a link that leads out
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("no regular file")
	}
	return name, info, err
}

// regular returns the path of a regular file below the root, for readers that want one.
func (in *Inputs) regular(name string) (string, error) {
	name, _, err := in.stat(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(in.root.Name(), filepath.FromSlash(name)), nil
}

// What pictures look like.
const (
	thumbSide, thumbQuality = 192, 65
	largeSide, largeQuality = 1600, 85
)

// Picture returns a picture as a JPEG, small (of the box, where there is one) or large (whole).
func (in *Inputs) picture(ctx context.Context, number int, r *record, large bool) ([]byte, error) {
	key := pictureKey{number, large}
	if in == nil {
		return nil, errNoInputs
	}
	if data, ok := in.pictures.get(key); ok {
		return data, nil
	}
	select { // more at once would only take more memory
	case in.busy <- struct{}{}:
		defer func() { <-in.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	file := r.file
	if at := strings.LastIndexByte(file, '#'); at >= 0 && r.box != nil {
		file = file[:at]
	}
	name, box, side, quality := r.file, r.box, thumbSide, thumbQuality
	if large {
		name, box, side, quality = file, nil, largeSide, largeQuality
	}
	if in.only != "" {
		if _, err := in.local(file); err != nil {
			return nil, err
		}
		name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	}
	data, err := report.Picture(in.root, name, box, side, quality)
	if err == nil {
		in.pictures.put(key, data)
	}
	return data, err
}

type pictureKey struct {
	number int
	large  bool
}

// cache keeps the pictures that were last seen. The zero value is empty.
type cache struct {
	mu    sync.Mutex
	bytes int
	order list.List // of *cached, the last used first
	at    map[pictureKey]*list.Element
}

type cached struct {
	key  pictureKey
	data []byte
}

// cacheBytes is how much is kept.
const cacheBytes = 64 << 20

func (c *cache) get(k pictureKey) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[k]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).data, true
}

func (c *cache) put(k pictureKey, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.at[k]; twice {
		return
	}
	if c.at == nil {
		c.at = map[pictureKey]*list.Element{}
	}
	c.at[k] = c.order.PushFront(&cached{k, data})
	for c.bytes += len(data); c.bytes > cacheBytes; {
		last := c.order.Back()
		old := c.order.Remove(last).(*cached)
		c.bytes -= len(old.data)
		delete(c.at, old.key)
	}
}
