package charts

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
)

// Inline returns the figure as an element for a page, as wide as there is room, within what its letters bear, with a name for those who do not see it.
func (f Figure) Inline(name string) (string, error) {
	svg, err := f.Encode("svg")
	if err != nil {
		return "", err
	}
	at := bytes.Index(svg, []byte("<svg"))
	end := bytes.IndexByte(svg[max(at, 0):], '>')
	if at < 0 || end < 0 {
		return "", fmt.Errorf("charts: figure %q: no SVG", name)
	}
	box := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %.5g" role="img" style="min-width:%.0fpx;max-width:%.0fpx" aria-label="%s"`,
		f.Width.Points(), f.Height.Points(), least*f.Width.Points(), largest*f.Width.Points(), html.EscapeString(printable(name)))
	out := box + string(svg[at+end:])
	return comments.ReplaceAllString(out, ""), nil
}

// least and largest are how many pixels of a page a point takes: fewer, and its letters cannot be read; more, and they shout.
const least, largest = 1.1, 1.75

var comments = regexp.MustCompile(`(?s)<!--.*?-->\s*`)
