package megadetector

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets"
)

// Match returns, for each picture, the index of its image, or -1, as [datasets.PairNames] pairs them, and a note where that is not plain. failed are
// names of pictures that are there and could not be listed: what is theirs is of no other. An image that is there twice is an error: two answers of a
// detector for one picture do not go together.
func (f *File) Match(pictures []datasets.Picture, failed ...string) (of []int, note string, err error) {
	at, names := make(map[string]int, len(f.Images)), make([]string, len(f.Images))
	for i := range f.Images {
		names[i] = f.Images[i].File
		name := cleanName(names[i])
		if first, twice := at[name]; twice {
			return nil, "", fmt.Errorf("%s: images[%d] and images[%d] are of one picture: %s", f.Name, first, i, names[i])
		}
		at[name] = i
	}
	all := slices.Clone(pictures)
	for _, name := range failed {
		all = append(all, datasets.Picture{Name: name})
	}
	if of, note, err = datasets.PairNames(all, names); err != nil {
		return nil, "", fmt.Errorf("%s: %w", f.Name, err)
	}
	return of[:len(pictures)], note, nil
}

// MatchName returns the image of a name, or -1: the one of exactly that name, else the only one that is called so but for separators, case
// and the like.
func (f *File) MatchName(name string) int {
	like, n := -1, 0
	folded := datasets.FoldName(name)
	for i := range f.Images {
		if cleanName(f.Images[i].File) == name {
			return i
		}
		if datasets.FoldName(f.Images[i].File) == folded {
			like, n = i, n+1
		}
	}
	if n > 1 {
		return -1
	}
	return like
}

// cleanName brings a name into the form of Picture.Name: slashes, none doubled, no "./" before it.
func cleanName(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return path.Clean(name)
}
