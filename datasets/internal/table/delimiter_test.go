package table

import "testing"

func TestDelimiter(t *testing.T) {
	for head, want := range map[string]byte{
		"":                                  ',',
		"file":                              ',',
		"file,label\n1;2;3;4":               ',',
		"file;label\r\n1,2,3,4":             ';',
		"file\tlabel":                       '\t',
		`"a,b,c";d`:                         ';',
		"\"a;\nb;c;\",d\n1;2;3":             ',',
		"a,b;c":                             ',',
		"a\tb;c":                            ';',
		"10:00;0,05;-1,00;1,25\n":           ';',
		"0,5\t0,25\t1,0":                    '\t',
		"1,2,3;4":                           ',',
		"a,1;2,b":                           ',',
		"\"a \"\", still quoted;;;\"\t;b\t": '\t',
	} {
		if got := Delimiter([]byte(head)); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}
