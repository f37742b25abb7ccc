package datasets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
)

// PairNames pairs pictures with the names that another program gives them, as metadata of a listing is paired: equal names, then names that lead to a
// picture from a folder above, then one name that is the end of the other if nothing else is, compared as [FoldName] writes them. of holds for each
// picture the index of its name, or -1; note tells, if it is not "", which folder was taken for which where no name fits but for that. If no name is that
// of a picture as a whole, a picture that could be of several names, or a name that could be of several pictures, is an error that tells both.
func PairNames(pictures []Picture, names []string) (of []int, note string, err error) {
	mine, places, theirs := make([]string, len(pictures)), make([]string, len(pictures)), make([]string, len(names))
	for i := range pictures {
		mine[i], places[i] = pictures[i].Name, placeOf(&pictures[i])
	}
	for i, n := range names {
		theirs[i] = cleanName(n)
	}
	p := matchPlaced(mine, places, theirs)
	if p.renamed != [2]string{} {
		note = fmt.Sprintf("no name in it is of a picture here but for the folders before it: %s is taken for %s", message.Show(p.renamed[1]), message.Show(p.renamed[0]))
	}
	mine, theirs = foldNames(mine), foldNames(theirs)
	if slices.ContainsFunc(upTo(len(pictures)), func(i int) bool { return p.of[i] >= 0 && mine[i] == theirs[p.of[i]] }) {
		return p.of, note, nil
	}
	taken := takenOf(p.of)
	open, free := map[string][]int{}, map[string][]int{} // by folded name
	for i, n := range mine {
		if p.of[i] < 0 {
			open[n] = append(open[n], i)
		}
	}
	for j, n := range theirs {
		if !taken[j] {
			free[n] = append(free[n], j)
		}
	}
	picture := func(i int) string { return pictures[i].Name }
	name := func(j int) string { return names[j] }
	if err := severalEnds(open, free, picture, name); err != nil {
		return nil, "", err
	}
	if err := severalEnds(free, open, name, picture); err != nil {
		return nil, "", err
	}
	return p.of, note, nil
}

// severalEnds is the error of a file that several others end in, all of them by their folded names; nil if there is none.
func severalEnds(files, others map[string][]int, file, other func(i int) string) error {
	could := map[string][]int{}
	for name, indices := range others {
		for rest, more := name, true; more; _, rest, more = strings.Cut(rest, "/") {
			if _, ok := files[rest]; ok {
				could[rest] = append(could[rest], indices...)
			}
		}
	}
	first := "" // by name, so that the same files give the same error
	for name, indices := range could {
		if len(indices) > 1 && (first == "" || name < first) {
			first = name
		}
	}
	if first == "" {
		return nil
	}
	indices := could[first]
	slices.Sort(indices)
	return fmt.Errorf("%s could be %s or %s", message.Show(file(files[first][0])), message.Show(other(indices[0])), message.Show(other(indices[1])))
}
