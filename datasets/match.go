package datasets

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
)

// doubt is why a picture was left alone although metadata names files like it.
type doubt byte

// The doubts.
const (
	noDoubt         doubt = iota
	severalFiles          // it could be any of several files that metadata names
	severalPictures       // the one file that it could be could be other pictures, too
	severalPlaces         // the file that it could be lies in another place than those of other pictures
	otherFolder           // the one file that has its base name, which no other picture has, lies in another folder
)

// A pairing is which name of metadata is of which picture.
type pairing struct {
	of     []int   // of each picture: the index of its name, or -1
	doubts []doubt // of each picture: why it has none, where names look like it
	// renamed is the folders before a common end that differ on the two sides, the same for all pairs: those of the pictures and those of
	// the names. Empty unless no name could be paired otherwise.
	renamed [2]string
}

// matchPlaced pairs the pictures of a listing with names that metadata uses for them. places are the folded absolute paths of the pictures,
// where they are known.
//
// Equal paths match. The rest are compared as [FoldName] writes them:
//
//   - A name that leads to a picture from a folder above the listing's matches.
//   - A name that is the end of a picture's matches, and the reverse, if no other file of either side ends so: metadata says
//     "media/cam1/IMG_1.JPG" where the folder given is media, or one below. What such names have before the picture's must be the same for
//     all: of two places, which could hold equal folders, none is taken but the one of most.
//   - Names whose folders differ from the pictures' match by a common end only if nothing matches otherwise, and if all of them differ in
//     the same: the folder was renamed.
//
// Longer ends count before shorter ones. A name without the extension of a picture matches pictures by their names without extension.
func matchPlaced(pictures, places, names []string) pairing {
	p := pairing{of: make([]int, len(pictures)), doubts: make([]doubt, len(pictures))}
	for i := range p.of {
		p.of[i] = -1
	}
	stems, above := make([]string, len(pictures)), make([]string, len(places))
	for i, name := range pictures {
		stems[i] = strings.TrimSuffix(name, path.Ext(name))
		above[i] = strings.TrimSuffix(places[i], path.Ext(places[i]))
	}
	withExt, withoutExt := splitByExtension(names)
	folded := foldNames(names)
	whole := side{foldNames(pictures), places, folded, matchExact(pictures, names, withExt, p.of)}
	bare := side{foldNames(stems), above, folded, matchExact(stems, names, withoutExt, p.of)}
	rest, other := whole.match(p.of), bare.match(p.of)
	if !slices.ContainsFunc(p.of, func(j int) bool { return j >= 0 }) {
		if p.renamed = whole.matchRenamed(p.of); p.renamed == [2]string{} {
			p.renamed = bare.matchRenamed(p.of)
		}
	}
	for i := range pictures {
		if p.of[i] < 0 {
			p.doubts[i] = cmp.Or(rest[i], other[i])
		}
	}
	return p
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

// side is folded names of pictures and of metadata that may be of each other.
type side struct {
	pictures, places, names []string
	use                     []int // those of the names
}

// match pairs what is left, and returns the doubts about pictures that stay without a name although one that nothing claims has their base
// name.
func (s side) match(of []int) map[int]doubt {
	if len(s.use) == 0 {
		return nil
	}
	above := s.matchAbove(of)
	taken := takenOf(of)
	var longer []int // pictures whose names in metadata have more folders
	s.eachEnd(func(k, i, j int) {
		mine, theirs := elements(s.pictures[i]) == k, elements(s.names[j]) == k
		if of[i] >= 0 || taken[j] || !mine && !theirs {
			return
		}
		of[i], taken[j] = j, true
		if !theirs {
			longer = append(longer, i)
		}
	})
	strays := s.onePlace(longer, above, of)
	taken = takenOf(of)
	unclaimed := slices.DeleteFunc(slices.Clone(s.use), func(j int) bool { return taken[j] })
	doubts := doubtsOf(s.pictures, ends(s.names, unclaimed, 1), of)
	for _, i := range strays {
		doubts[i] = severalPlaces
	}
	return doubts
}

// takenOf returns the names that are given away.
func takenOf(of []int) map[int]bool {
	taken := map[int]bool{}
	for _, j := range of {
		taken[j] = true
	}
	return taken
}

// matchAbove pairs pictures with names that lead to them from a folder above the listing's, the longest first. It returns what such names
// have before the pictures'.
func (s side) matchAbove(of []int) map[string]bool {
	above := map[string]bool{}
	at, taken := ends(s.names, s.use, 0), takenOf(of)
	for i, place := range s.places {
		for of[i] < 0 && len(place) > len(s.pictures[i]) {
			if j, ok := at[place]; ok && j != several && !taken[j] {
				of[i], taken[j] = j, true
				above[strings.TrimSuffix(place, s.pictures[i])] = true
			}
			_, place, _ = strings.Cut(place, "/")
		}
	}
	return above
}

// eachEnd calls f for each picture and name that share k elements at the end which no other picture and no other name ends in, for k from
// many to 1.
func (s side) eachEnd(f func(k, picture, name int)) {
	deepest := 1
	for _, p := range s.pictures {
		deepest = max(deepest, elements(p))
	}
	for k := deepest; k >= 1; k-- {
		theirs := ends(s.names, s.use, k)
		// One file each at this end, so the order of the map does not matter.
		for end, i := range ends(s.pictures, upTo(len(s.pictures)), k) {
			if j, ok := theirs[end]; ok && i != several && j != several {
				f(k, i, j)
			}
		}
	}
}

// onePlace takes the names of all places but one from pictures whose names in metadata have more folders than they. The one is where the
// pictures are known to lie, if any are, else that which most have, if there is one. It returns the pictures that it took a name from.
func (s side) onePlace(longer []int, known map[string]bool, of []int) (strays []int) {
	before := func(i int) string { return strings.TrimSuffix(s.names[of[i]], s.pictures[i]) }
	if len(known) == 0 {
		count := map[string]int{}
		for _, i := range longer {
			count[before(i)]++
		}
		known = map[string]bool{mostOf(count): true}
	}
	for _, i := range longer {
		if !known[before(i)] {
			strays = append(strays, i)
		}
	}
	for _, i := range strays {
		of[i] = -1
	}
	return strays
}

// mostOf returns what is there most often; "" if that is not one.
func mostOf(count map[string]int) (most string) {
	best := 0
	for what, n := range count {
		switch {
		case n > best:
			most, best = what, n
		case n == best:
			most = ""
		}
	}
	return most
}

// matchRenamed pairs by common ends what has different folders before them, if these differ in the same for all, and returns them.
func (s side) matchRenamed(of []int) [2]string {
	pairs := map[int]int{} // name by picture
	cuts := map[[2]string]bool{}
	s.eachEnd(func(k, i, j int) {
		if _, longer := pairs[i]; longer {
			return
		}
		end, _ := lastElements(s.pictures[i], k)
		pairs[i] = j
		cuts[[2]string{strings.TrimSuffix(s.pictures[i], "/"+end), strings.TrimSuffix(s.names[j], "/"+end)}] = true
	})
	if len(cuts) != 1 {
		return [2]string{}
	}
	for i, j := range pairs {
		of[i] = j
	}
	for cut := range cuts {
		return cut
	}
	return [2]string{}
}

// doubtsOf returns the doubts about the pictures without a name, given the unclaimed names by their base names.
func doubtsOf(pictures []string, unclaimed map[string]int, of []int) map[int]doubt {
	doubts, same := map[int]doubt{}, ends(pictures, upTo(len(pictures)), 1)
	for i, p := range pictures {
		end, _ := lastElements(p, 1)
		j, ok := unclaimed[end]
		switch {
		case of[i] >= 0 || !ok:
		case j == several:
			doubts[i] = severalFiles
		case same[end] == several:
			doubts[i] = severalPictures
		default:
			doubts[i] = otherFolder // or it would have been paired
		}
	}
	return doubts
}

// elements returns how many elements a path has.
func elements(name string) int { return 1 + strings.Count(name, "/") }

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

// ends returns which of the files in use ends in which k path elements; k 0 is whole names.
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

// lastElements returns the last k elements of a path, all of them for k 0, or false if it has fewer.
func lastElements(name string, k int) (string, bool) {
	if k == 0 {
		return name, true
	}
	i := len(name)
	for ; k > 0; k-- {
		if i < 0 {
			return "", false
		}
		i = strings.LastIndexByte(name[:i], '/')
	}
	return name[i+1:], true
}

// warnPairing tells how pictures were found in a table where that is not plain, and which the table leaves alone for doubt.
func (l *Listing) warnPairing(table string, pictures []string, p pairing) {
	if p.renamed != [2]string{} {
		l.warn("%s: no name in it is of a picture here but for the folders before it: %s is taken for %s", table, message.Show(p.renamed[1]), message.Show(p.renamed[0]))
	}
	var by [otherFolder + 1]few
	for i, d := range p.doubts {
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
	if f := by[severalPlaces]; f.n > 0 {
		l.warn("%s: names files of several folders whose contents could be here, so %s %s left without a match: %s",
			table, message.Count(f.n, "picture"), choose(f.n, "is", "are"), f.String())
	}
	if f := by[otherFolder]; f.n > 0 {
		l.warn("%s: names files of other folders that are called like %s, which %s left without a match: %s",
			table, message.Count(f.n, "picture"), choose(f.n, "is", "are"), f.String())
	}
}
