package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostVisible is how many bytes of a name, label or message are shown: a page stays small whatever the results hold.
const mostVisible = 600

// Visible is [Whole], cut where it is very long.
func Visible(s string) string {
	if len(s) <= mostVisible {
		return Whole(s)
	}
	return Whole(strings.ToValidUTF8(s[:mostVisible], "")) + "…"
}

// Whole shows what a screen or terminal would obey as text: control characters, and marks that turn the direction. Line ends become
// spaces. What is not UTF-8 becomes U+FFFD.
func Whole(s string) string {
	plain := true
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, string(utf8.RuneError)) {
		switch {
		case unicode.IsPrint(r), r == 0x200c, r == 0x200d: // joiners make one sign of several
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// Named is a label for people: of a taxon as SpeciesNet writes it, identifier;class;order;family;genus;species;name, the name.
func Named(label string) string {
	if strings.Count(label, ";") == 6 {
		if at := strings.LastIndexByte(label, ';'); at+1 < len(label) {
			return label[at+1:]
		}
	}
	return label
}
