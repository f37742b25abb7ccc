package megadetector

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/datasets"
)

// Match returns, for each picture, the index of its image, or -1. An image that is there twice is an error: two answers of a detector for
// one picture do not go together.
func (f *File) Match(pictures []datasets.Picture) ([]int, error) {
	at := make(map[string]int, len(f.Images))
	for i := range f.Images {
		name := cleanName(f.Images[i].File)
		if first, twice := at[name]; twice {
			return nil, fmt.Errorf("%s: images[%d] and images[%d] are of one picture: %s", f.Name, first, i, f.Images[i].File)
		}
		at[name] = i
	}
	m := matcher{at: at, taken: map[int]bool{}}
	of := make([]int, len(pictures))
	for i, p := range pictures {
		of[i] = m.take(p.Name)
	}
	for i, p := range pictures {
		if of[i] < 0 {
			of[i] = m.fromAbove(p)
		}
	}
	m.endings()
	for i, p := range pictures {
		if of[i] < 0 {
			of[i] = m.elsewhere(p.Name)
		}
	}
	return of, nil
}

// MatchName returns the image of a name, or -1.
func (f *File) MatchName(name string) int {
	for i := range f.Images {
		if cleanName(f.Images[i].File) == name {
			return i
		}
	}
	return -1
}

type matcher struct {
	at     map[string]int // image by name
	taken  map[int]bool
	ending map[string]int // image by what absolute names end in; several where more than one does
}

const several = -2

// take gives away the image of exactly that name.
func (m *matcher) take(name string) int {
	i, ok := m.at[name]
	if !ok || m.taken[i] {
		return -1
	}
	m.taken[i] = true
	return i
}

// fromAbove finds the image whose name leads to the picture from a folder above the listing's, the longest first.
func (m *matcher) fromAbove(p datasets.Picture) int {
	full, err := filepath.Abs(p.Path)
	if err != nil {
		return -1
	}
	for full = filepath.ToSlash(full); full != ""; {
		if !strings.HasSuffix(full, "/"+p.Name) {
			break // the name says more than what is left
		}
		if i := m.take(full); i >= 0 {
			return i
		}
		_, full, _ = strings.Cut(full, "/")
	}
	return -1
}

// endings lists what the absolute names end in.
func (m *matcher) endings() {
	m.ending = map[string]int{}
	for name, i := range m.at {
		if m.taken[i] || !absolute(name) {
			continue
		}
		for rest := name; ; {
			_, after, more := strings.Cut(rest, "/")
			if !more {
				break
			}
			rest = after
			if _, twice := m.ending[rest]; twice {
				m.ending[rest] = several
			} else {
				m.ending[rest] = i
			}
		}
	}
}

// elsewhere finds the one image of an absolute name, of a machine where the folder lay elsewhere, that ends in the picture's name.
func (m *matcher) elsewhere(name string) int {
	i, ok := m.ending[name]
	if !ok || i == several || m.taken[i] {
		return -1
	}
	m.taken[i] = true
	return i
}

func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// cleanName brings a name into the form of Picture.Name: slashes, none doubled, no "./" before it.
func cleanName(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return path.Clean(name)
}
