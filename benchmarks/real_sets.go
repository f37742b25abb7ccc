package benchmarks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// streamsEnding is that of predictions, and foldsEnding that of what goes with them.
const (
	streamsEnding = ".jsonl.gz"
	foldsEnding   = ".meta.json"
)

// ReadFoldedCollections reads every NAME.jsonl.gz of a folder, by name, each with the NAME.meta.json that tells its classes, in which fold
// of the cross-validation each stream was predicted, and what the labels hold that the predictor of that fold was trained on.
func ReadFoldedCollections(folder string) ([]*Collection, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*"+streamsEnding))
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w", err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("benchmarks: %s: no *%s", folder, streamsEnding)
	}
	var out []*Collection
	for _, name := range names { // sorted
		c, err := readFolded(strings.TrimSuffix(name, streamsEnding))
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func readFolded(name string) (*Collection, error) {
	meta := filepath.Base(name) + foldsEnding
	text, err := os.ReadFile(name + foldsEnding)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w", err)
	}
	f, err := parseFolds(text)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %s: %w", meta, err)
	}
	c := &Collection{Name: filepath.Base(name), File: filepath.Base(name), Classes: len(f.Classes), Labels: f.Classes}
	c.Streams, err = readStreams(name+streamsEnding, f.Classes, func(stream string) error {
		if _, ok := f.Folds[stream]; !ok {
			return fmt.Errorf("stream %q: %s has no fold for it", stream, meta)
		}
		return nil
	})
	for _, s := range c.Streams {
		c.Others = append(c.Others, f.Population[f.Folds[s.Name]])
	}
	return c, err
}

// foldsFile is a NAME.meta.json.
type foldsFile struct {
	Classes    []string           `json:"classes"`
	Folds      map[string]string  `json:"folds"`      // of each stream
	Population map[string]*Counts `json:"population"` // of each fold
}

func parseFolds(text []byte) (*foldsFile, error) {
	f := &foldsFile{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, atLine(text, err)
	}
	if len(f.Classes) < 2 {
		return nil, fmt.Errorf("%d classes: want 2 or more", len(f.Classes))
	}
	for i, class := range f.Classes {
		if slices.Contains(f.Classes[:i], class) {
			return nil, fmt.Errorf("class %q is there twice", class)
		}
	}
	for _, stream := range slices.Sorted(maps.Keys(f.Folds)) {
		fold := f.Folds[stream]
		counts := f.Population[fold]
		if counts == nil {
			return nil, fmt.Errorf("stream %q: fold %q has no population", stream, fold)
		}
		if err := counts.check(len(f.Classes)); err != nil {
			return nil, fmt.Errorf("population of fold %q: %w", fold, err)
		}
	}
	return f, nil
}

// atLine puts the number of the line before an error of decoding.
func atLine(text []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset < 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(int(offset), len(text))], []byte("\n")), err)
}
