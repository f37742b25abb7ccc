package datasets

import (
	"cmp"
	"strings"
)

// CompareNatural orders slash-separated names as people do: path element by path element, runs of digits by their value whatever their
// length, ASCII letters without regard to case. The digits of hexadecimal names are no such runs, and are compared as letters are: those of
// UUIDs, and of words of eight or more hexadecimal digits in which letters and digits alternate more than once, as 8b31d3be. Names that are
// equal in all this are ordered by their bytes, so only identical names compare equal. It is a total order (transitive, which a sort needs)
// and does not allocate.
func CompareNatural(a, b string) int {
	same := sharedFolders(a, b)
	x, y := reading{rest: a[same:]}, reading{rest: b[same:]}
	for x.rest != "" && y.rest != "" {
		p, q := x.token(), y.token()
		if c := p.compare(q); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(x.rest), len(y.rest)); c != 0 {
		return c // one is the beginning of the other
	}
	return strings.Compare(a, b)
}

// sharedFolders returns the length of the elements at the beginning that are the same: no word goes beyond one.
func sharedFolders(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n = i + 1
		}
	}
	return n
}

// reading is a name that is read token by token.
type reading struct {
	rest string
	word int  // bytes left of a word of letters and digits
	text bool // whose digits are no numbers
}

// token is a byte, or the digits of a number.
type token struct {
	rank   byte // of the byte, letters folded; '0' for a number
	number string
}

// token reads the next one. Numbers stand where '0' does, before digits that are no numbers.
func (r *reading) token() token {
	if r.word == 0 {
		r.word, r.text = wordOf(r.rest)
	}
	if !r.text && isDigit(r.rest[0]) {
		n := digits(r.rest)
		t := token{'0', r.rest[:n]}
		r.rest, r.word = r.rest[n:], r.word-n
		return t
	}
	t := token{rank: rank(r.rest[0])}
	r.rest, r.word = r.rest[1:], max(r.word-1, 0)
	return t
}

// compare orders tokens.
func (t token) compare(o token) int {
	switch {
	case t.number != "" && o.number != "":
		return compareNumbers(t.number, o.number)
	case t.rank != o.rank:
		return cmp.Compare(t.rank, o.rank)
	}
	return -cmp.Compare(len(t.number), len(o.number))
}

// wordOf returns the length of the word of letters and digits that s begins with, 0 if it does not, and whether it is hexadecimal. A UUID is
// one word.
func wordOf(s string) (n int, hexadecimal bool) {
	if isUUID(s) {
		return uuidLength, true
	}
	allHex, changes := true, 0
	for n < len(s) && (isDigit(s[n]) || isLetter(s[n])) {
		allHex = allHex && isHex(s[n])
		if n > 0 && isDigit(s[n]) != isDigit(s[n-1]) {
			changes++
		}
		n++
	}
	return n, allHex && n >= 8 && changes > 1
}

// uuidLength is that of 8b31d3be-21bc-11ea-a13a-137349068a90.
const uuidLength = 36

// isUUID tells whether s begins with a UUID, and nothing that could be more of the last word follows.
func isUUID(s string) bool {
	if len(s) < uuidLength || len(s) > uuidLength && (isDigit(s[uuidLength]) || isLetter(s[uuidLength])) {
		return false
	}
	for i := range uuidLength {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// compareNumbers compares runs of digits by value. Values are never converted, so a stamp of forty digits is as good as one of two.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
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

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

func isHex(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }

// digits returns how many digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
