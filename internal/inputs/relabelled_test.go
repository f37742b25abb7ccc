package inputs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/pipeline"
)

func TestRelabel(t *testing.T) {
	in := &Sleep{collection: collection{noun: "epoch", labels: []string{"W", "W", ""}, items: []pipeline.Item{
		{Name: "n#0", Stream: "n", Offset: 0, Duration: 30}, {Name: "n#1", Stream: "n", Offset: 30, Duration: 30}, {Name: "n#2", Stream: "n", Offset: 60, Duration: 30},
	}}}
	for _, c := range []struct{ text, labels, notes, err string }{
		{"n#1,n,N2,30\nn#2,,R,\n", "W N2 R", "t.csv: 2 of 3 epochs have their label from there", ""},
		{"n#1,n,,30\nn#2,n,R,60\nn#9,n,R,\n", "W W R", `labels of no item here: 1, the first of "n#9" (line 4)`, ""},
		{"n#1,n,N2,45\n", "", "", "begins at second 45 there and at 30 here"},
		{"x,n,N2,\n", "", "", `no label is of an item here: its first is "x", the first here "n#0"`},
		{"n#1,n,,\n", "", "", "holds no label"},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte("file,stream,label,offset\n"+c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := datasets.ReadLabels(path)
		if err != nil {
			t.Fatal(err)
		}
		out, notes, err := Relabel(in, table)
		if err != nil || c.err != "" {
			if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		got := []string{out.Label(0), out.Label(1), out.Label(2)}
		if strings.Join(got, " ") != c.labels || !strings.Contains(strings.Join(notes, "\n"), c.notes) {
			t.Errorf("%q: %q, %q", c.text, got, notes)
		}
	}
}
