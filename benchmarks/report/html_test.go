package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// The page loads nothing and runs nothing, whatever stands in the texts.
func TestPageIsAlone(t *testing.T) {
	var b bytes.Buffer
	if err := WriteHTML(&b, `A "report" <script>alert(2)</script>`, []string{`<img src=x onerror="alert(3)">`}, sample()); err != nil {
		t.Fatal(err)
	}
	anchors, ids := []string{}, []string{}
	for _, e := range elements(t, b.Bytes()) {
		if slices.Contains([]string{"script", "link", "iframe", "object", "embed", "base", "b", "svg"}, e.Name.Local) {
			t.Errorf("the page has <%s>", e.Name.Local)
		}
		for _, a := range e.Attr {
			switch name := a.Name.Local; {
			case strings.HasPrefix(name, "on"), name == "style", name == "srcset":
				t.Errorf("<%s %s=%q>", e.Name.Local, name, a.Value)
			case name == "src" && !strings.HasPrefix(a.Value, "data:image/svg+xml;base64,"), name == "href" && !strings.HasPrefix(a.Value, "#"):
				t.Errorf("<%s %s=%q> leads elsewhere", e.Name.Local, name, a.Value)
			case name == "href":
				anchors = append(anchors, a.Value[1:])
			case name == "id":
				ids = append(ids, a.Value)
			}
		}
	}
	if !slices.Equal(anchors, []string{"controlled", "empty"}) || !slices.Equal(anchors, ids) {
		t.Errorf("contents lead to %v, sections are %v", anchors, ids)
	}
	for _, bad := range []string{"http:", "https:", "url(", "@import"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// elements lists the elements of a page.
func elements(t *testing.T, text []byte) (out []xml.StartElement) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			out = append(out, e.Copy())
		}
	}
}

func TestPageSays(t *testing.T) {
	var b strings.Builder
	if err := WriteHTML(&b, "Report", []string{"Lead."}, sample()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<th scope="col" class="paper">paper</th>`, `<td class="paper">-0.50 ±0.25**</td>`, `<td>&#43;0.00 ±0.12*</td>`, "<p><strong>Missing:</strong> the sky</p>", `<span class="tag">(missing)</span>`,
		"<code>oatta bench controlled</code>", "<dt>Seeds</dt><dd>0 to 9</dd>", "<code>resnet20 cd34</code>", "prefers-color-scheme:dark", `alt="a line"`, "&lt;script&gt;alert(1)&lt;/script&gt;",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
