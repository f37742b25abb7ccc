package datasets

import (
	"cmp"
	"strings"
)

// CompareNatural orders slash-separated names as people do: path element by path element, runs of digits by their value whatever their
// length, ASCII letters without regard to case. Names that are equal in all this are ordered by their bytes, so only identical names
// compare equal. It is a total order (transitive, which a sort needs) and does not allocate.
func CompareNatural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		var c int
		if isDigit(x[0]) && isDigit(y[0]) {
			c, x, y = compareNumbers(x, y)
		} else {
			c, x, y = cmp.Compare(rank(x[0]), rank(y[0])), x[1:], y[1:]
		}
		if c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(x), len(y)); c != 0 {
		return c // one is the beginning of the other
	}
	return strings.Compare(a, b)
}

// compareNumbers compares the digits at the beginning of both and returns what follows them. Values are never converted, so a stamp
// of forty digits is as good as one of two.
func compareNumbers(a, b string) (c int, restA, restB string) {
	i, j := digits(a), digits(b)
	x, y := strings.TrimLeft(a[:i], "0"), strings.TrimLeft(b[:j], "0")
	if c = cmp.Compare(len(x), len(y)); c == 0 {
		c = strings.Compare(x, y)
	}
	return c, a[i:], b[j:]
}

// rank is the place of a byte: the separator before everything, which keeps a folder together, then bytes with letters folded.
func rank(b byte) byte {
	switch {
	case b == '/':
		return 0
	case 'A' <= b && b <= 'Z':
		return b + 'a' - 'A'
	}
	return b
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// digits returns how many digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
