package weights

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
)

// maxIndex bounds an index of shards; the largest published ones take a few megabytes.
const maxIndex = 64 << 20

// index is a "model.safetensors.index.json" or "pytorch_model.bin.index.json".
type index struct {
	Weights map[string]string `json:"weight_map"` // tensor to the file that holds it
}

// openShards opens every file that an index names, and checks that each holds exactly the tensors that the index says.
func openShards(path string) (*File, error) {
	idx, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	f := newFile()
	for _, shard := range slices.Compact(slices.Sorted(maps.Values(idx.Weights))) {
		if err := f.addShard(filepath.Dir(path), shard, idx); err != nil {
			return nil, errors.Join(fmt.Errorf("shard %q: %w", shard, err), f.Close())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(idx.Weights)) {
		if f.tensors[name] == nil {
			return nil, errors.Join(fmt.Errorf("shard %q: holds no tensor %q", idx.Weights[name], name), f.Close())
		}
	}
	return f, nil
}

func readIndex(path string) (idx index, err error) {
	r, err := os.Open(path)
	if err != nil {
		return idx, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxIndex+1))
	if err != nil {
		return idx, err
	}
	if len(text) > maxIndex {
		return idx, fmt.Errorf("index of more than %d bytes", maxIndex)
	}
	if err := json.Unmarshal(text, &idx); err != nil {
		return idx, err
	}
	if len(idx.Weights) == 0 {
		return idx, errors.New("an index of shards has a weight_map, this file has none")
	}
	return idx, nil
}

// addShard opens one shard. Its name must be a plain one, so that an index cannot reach outside its own folder; that a plain name is
// a symbolic link is usual (caches of downloads are made of them) and the doing of the folder's owner.
func (f *File) addShard(dir, shard string, idx index) error {
	if shard != filepath.Base(shard) || !filepath.IsLocal(shard) || shard == "." {
		return errors.New("not the plain name of a file beside the index")
	}
	s, err := openOne(filepath.Join(dir, shard))
	if err != nil {
		return err
	}
	f.closers = append(f.closers, s.closers...)
	maps.Copy(f.metadata, s.metadata)
	for _, t := range s.Tensors() {
		if idx.Weights[t.name] != shard {
			return fmt.Errorf("holds tensor %q, which the index does not place there", t.name)
		}
		if err := f.add(t); err != nil {
			return err
		}
	}
	return nil
}
