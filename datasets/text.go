package datasets

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fewNames is how many names a message tells before it only counts.
const fewNames = 3

// few collects names for a message: all are counted, the first few told. The zero value is empty.
type few struct {
	n     int
	names []string
}

// add counts a name, and keeps it if it is one of the first.
func (f *few) add(name string) {
	if f.n++; len(f.names) < fewNames {
		f.names = append(f.names, show(name))
	}
}

// String returns "a", "a, b" or "a, b, c and 17 more".
func (f *few) String() string {
	s := strings.Join(f.names, ", ")
	if more := f.n - len(f.names); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// show returns a name as one line of text: itself where it is that, quoted where it holds line breaks, control characters or bytes
// that are no UTF-8.
func show(name string) string {
	if !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	for _, r := range name {
		if !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

// count returns "1 picture" or "3 pictures".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// choose returns the form of a word or phrase that agrees with a count.
func choose(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
