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
	m := matcher{at: at, folded: foldedOf(at), taken: map[int]bool{}}
	of := make([]int, len(pictures))
	for i := range of {
		of[i] = -1
	}
	for _, find := range []func(p datasets.Picture) int{
		func(p datasets.Picture) int { return m.take(p.Name) },
		func(p datasets.Picture) int { return m.takeFolded(datasets.FoldName(p.Name)) },
		m.fromAbove,
		func(p datasets.Picture) int { return m.elsewhere(datasets.FoldName(p.Name)) }, // of what is left
	} {
		for i, p := range pictures {
			if of[i] < 0 {
				of[i] = find(p)
			}
		}
	}
	return of, nil
}

// foldedOf returns the images by names as package datasets compares them; several where such a name is of more than one.
func foldedOf(at map[string]int) map[string]int {
	folded := make(map[string]int, len(at))
	for name, i := range at {
		name = datasets.FoldName(name)
		if _, twice := folded[name]; twice {
			i = several
		}
		folded[name] = i
	}
	return folded
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

type matcher struct {
	at     map[string]int // image by name
	folded map[string]int // image by folded name
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

// takeFolded gives away the only image of that folded name.
func (m *matcher) takeFolded(name string) int {
	i, ok := m.folded[name]
	if !ok || i == several || m.taken[i] {
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
	name := datasets.FoldName(p.Name)
	for full = datasets.FoldName(filepath.ToSlash(full)); full != ""; {
		if !strings.HasSuffix(full, "/"+name) {
			break // the name says more than what is left
		}
		if i := m.takeFolded(full); i >= 0 {
			return i
		}
		_, full, _ = strings.Cut(full, "/")
	}
	return -1
}

// endings lists what the absolute names that are left end in.
func (m *matcher) endings() {
	m.ending = map[string]int{}
	for name, i := range m.at {
		if m.taken[i] || !absolute(name) {
			continue
		}
		for rest := datasets.FoldName(name); ; {
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

// elsewhere finds the one image of an absolute name, of a machine where the folder lay elsewhere, that ends in the picture's folded name.
func (m *matcher) elsewhere(name string) int {
	if m.ending == nil {
		m.endings()
	}
	i, ok := m.ending[name]
	if !ok || i == several || m.taken[i] {
		return -1
	}
	m.taken[i] = true
	return i
}

// absolute tells whether a cleaned name begins at the top of a file system or drive.
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
