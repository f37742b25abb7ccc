package console

import (
	"bytes"
	"errors"
	"testing"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"Größe ☃\n\ttab":            "Größe ☃\n\ttab",
		"a\x1b[2Jb\r\x00\x7f":       `a\x1b[2Jb\x0d\x00\x7f`,
		"\u202egpj.exe \u200b\x9b1": `\u202egpj.exe \u200b\x9b1`,
		"\U000e0041":                `\U000e0041`,
		"":                          "",
	} {
		var b bytes.Buffer
		if n, err := Plain(Plain(&b)).Write([]byte(text)); n != len(text) || err != nil || b.String() != want {
			t.Errorf("%q became %q, want %q (%d bytes, %v)", text, b.String(), want, n, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestChecked(t *testing.T) {
	c := NewChecked(full{})
	if _, err := Plain(c).Write([]byte("x")); err == nil || c.Err() == nil || bottom(Plain(c)) != (full{}) {
		t.Errorf("%v, %v", err, c.Err())
	}
}
