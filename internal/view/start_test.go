package view

import "testing"

func TestPathOf(t *testing.T) {
	for text, want := range map[string]string{
		" /data/cam 1 ":               "/data/cam 1",
		`"C:\Users\ann\cam 1"`:        `C:\Users\ann\cam 1`,
		"file:///data/cam%201":        "/data/cam 1",
		"file:///C:/Users/ann/cam%20": "C:/Users/ann/cam ",
		"file://server/share":         "file://server/share",
		"":                            "",
	} {
		if got := pathOf(text, "linux"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := pathOf("file://nas.local/camera%20traps/one", "windows"); got != `\\nas.local\camera traps\one` {
		t.Errorf("a share: %q", got)
	}
}

// What is said on the way is kept to its end, and shown as text.
func TestTail(t *testing.T) {
	var said tail
	for range 5000 {
		said.add([]byte("a line that is said\n"))
	}
	said.add([]byte("<b>last</b>\x1b[2J\r\n\n"))
	lines := said.lines()
	if len(said.text) > 2*mostSaid || len(lines) != mostLines || lines[mostLines-1] != `<b>last</b>\x1b[2J` {
		t.Errorf("%d bytes, %q", len(said.text), lines)
	}
}
