package datasets

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
)

// maxElements is how many elements from the end of a path are compared.
const maxElements = 16

// doubt is why a picture was left alone although metadata names files like it.
type doubt byte

// The doubts.
const (
	noDoubt         doubt = iota
	severalFiles          // it could be any of several files that metadata names
	severalPictures       // the one file that it could be could be other pictures, too
)

// matchFiles pairs the pictures of a listing with names that metadata uses for them: of[i] is the index of the name for picture i, or -1.
// doubts[i] is why picture i has none, where names look like it.
//
// Equal paths match. The rest match by the most path elements from the end that the two have in common, the base name at the least,
// provided that no other file of either side ends so: metadata says "media/cam1/IMG_1.JPG" where the folder given is media, or one
// below. A name without the extension of a picture matches pictures by their names without extension.
func matchFiles(pictures, names []string) (of []int, doubts []doubt) {
	of, doubts = make([]int, len(pictures)), make([]doubt, len(pictures))
	for i := range of {
		of[i] = -1
	}
	withExt, withoutExt := splitByExtension(names)
	left := matchExact(pictures, names, withExt, of)
	stems := make([]string, len(pictures))
	for i, p := range pictures {
		stems[i] = strings.TrimSuffix(p, path.Ext(p))
	}
	rest := matchSuffix(pictures, names, left, of)
	bare := matchSuffix(stems, names, matchExact(stems, names, withoutExt, of), of)
	for i := range pictures {
		if of[i] < 0 {
			doubts[i] = cmp.Or(rest[i], bare[i])
		}
	}
	return of, doubts
}

// splitByExtension returns the indices of names with and without the extension of a picture.
func splitByExtension(names []string) (with, without []int) {
	for i, n := range names {
		if ext := strings.ToLower(path.Ext(n)); pictureExtensions[ext] || unsupportedExtensions[ext] {
			with = append(with, i)
		} else {
			without = append(without, i)
		}
	}
	return with, without
}

// matchExact pairs equal paths, and returns the names to go on with: all of them, or none if no picture is left.
func matchExact(pictures, names []string, use, of []int) []int {
	at := make(map[string]int, len(use))
	for _, j := range use {
		if _, ok := at[names[j]]; !ok { // of equal ones the first: the caller has seen to it that they agree
			at[names[j]] = j
		}
	}
	open := false
	for i, p := range pictures {
		if j, ok := at[p]; ok && of[i] < 0 {
			of[i] = j
		}
		open = open || of[i] < 0
	}
	if !open {
		return nil
	}
	return use
}

// matchSuffix pairs what is left by common ends, the longest first. It returns the doubts about pictures that stay without a name although
// one that nothing claims has their base name.
func matchSuffix(pictures, names []string, use, of []int) map[int]doubt {
	if len(use) == 0 {
		return nil
	}
	taken := map[int]bool{}
	for _, j := range of {
		taken[j] = true
	}
	for k := depth(pictures); k >= 1; k-- {
		theirs := ends(names, use, k)
		// One file each at this end, so the order of the map does not matter.
		for end, i := range ends(pictures, upTo(len(pictures)), k) {
			if j, ok := theirs[end]; ok && i != several && j != several && of[i] < 0 && !taken[j] {
				of[i], taken[j] = j, true
			}
		}
	}
	unclaimed := slices.DeleteFunc(slices.Clone(use), func(j int) bool { return taken[j] })
	return doubtsOf(pictures, ends(names, unclaimed, 1), of)
}

// doubtsOf returns the doubts about the pictures without a name, given the unclaimed names by their base names.
func doubtsOf(pictures []string, unclaimed map[string]int, of []int) map[int]doubt {
	doubts := map[int]doubt{}
	for i, p := range pictures {
		end, _ := lastElements(p, 1)
		j, ok := unclaimed[end]
		switch {
		case of[i] >= 0 || !ok:
		case j == several:
			doubts[i] = severalFiles
		default:
			doubts[i] = severalPictures // or it would have been paired
		}
	}
	return doubts
}

// depth returns how many path elements the deepest picture has, at most maxElements.
func depth(pictures []string) int {
	n := 1
	for _, p := range pictures {
		n = max(n, 1+strings.Count(p, "/"))
	}
	return min(n, maxElements)
}

// upTo returns 0 to n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// several stands in the place of an index where more than one file has the same end.
const several = -1

// ends returns which of the files in use ends in which k path elements.
func ends(names []string, use []int, k int) map[string]int {
	m := make(map[string]int, len(use))
	for _, i := range use {
		end, ok := lastElements(names[i], k)
		if !ok {
			continue
		}
		if _, twice := m[end]; twice {
			i = several
		}
		m[end] = i
	}
	return m
}

// lastElements returns the last k elements of a path in lower case, or false if it has fewer. Case is folded because tools change the case
// of extensions; where two files differ by case alone, both are "several" and only exact matches count.
func lastElements(name string, k int) (string, bool) {
	i := len(name)
	for ; k > 0; k-- {
		if i < 0 {
			return "", false
		}
		i = strings.LastIndexByte(name[:i], '/')
	}
	return strings.ToLower(name[i+1:]), true
}

// cleanName brings a file name of metadata into the form of Picture.Name: Windows' separators, "./" and a leading slash go.
func cleanName(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

// warnDoubts tells which pictures a table leaves alone for doubt.
func (l *Listing) warnDoubts(table string, pictures []string, doubts []doubt) {
	var by [severalPictures + 1]few
	for i, d := range doubts {
		by[d].add(pictures[i])
	}
	if f := by[severalFiles]; f.n > 0 {
		l.warn("%s: %s could be any of several files that it names, and %s none: %s",
			table, message.Count(f.n, "picture"), choose(f.n, "matches", "match"), f.String())
	}
	if f := by[severalPictures]; f.n > 0 {
		l.warn("%s: files that it names could be any of several pictures, so %s %s left without a match: %s",
			table, message.Count(f.n, "picture"), choose(f.n, "is", "are"), f.String())
	}
}
