package datasets

import (
	"fmt"
	"strings"

	"github.com/oatta/oatta/datasets/internal/message"
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
		f.names = append(f.names, message.Show(name))
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

// choose returns the form of a word or phrase that agrees with a count.
func choose(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
