package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

func TestSigned(t *testing.T) {
	for v, want := range map[float64]string{0: "+0.00", -0.001: "+0.00", -0.006: "-0.01", 12.345: "+12.35", -100: "-100.00", 10: "+10.00"} {
		if got := points(v); got != want {
			t.Errorf("points(%g) = %s, want %s", v, got, want)
		}
	}
}

func TestReadPaperTablesRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"no.json": "{", "rows.json": `{"controlled": {"streams": {"s1": {}}}}`} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPaperTables(path); err == nil {
			t.Errorf("%s passed", content)
		}
	}
}

// The whole study in small: every table has its rows, and all three formats are written.
func TestStudy(t *testing.T) {
	small := StudySettings{Controlled: ControlledSettings{Steps: 60, Seeds: 2}, ReplaySeeds: 1}
	if testing.Short() {
		t.Skip("the replays take seconds")
	}
	study, err := RunStudy(testdata.Tree(t, slices.Concat(testdata.CIFARPredictions, testdata.RealOrders, []string{"paper/tables.json"})...), small)
	if err != nil {
		t.Fatal(err)
	}
	tables := study.Tables()
	if n := len(tables[0].Rows); n != 13 {
		t.Errorf("the controlled table has %d rows: want the paper's thirteen", n)
	}
	for _, table := range tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) || strings.Contains(fmt.Sprint(row), "NaN") {
				t.Errorf("%s: row %v", table.Title, row)
			}
		}
	}
	var b bytes.Buffer
	if err := study.Write(&b, "json"); err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Sets []struct {
			Rows []struct {
				Change map[string]Cell `json:"change"`
			} `json:"streams"`
		} `json:"sets"`
	}
	if err := json.Unmarshal(b.Bytes(), &parsed); err != nil {
		t.Fatal(err)
	}
	if len(parsed.Sets) != 18 || len(parsed.Sets[0].Rows) != 12 || len(parsed.Sets[0].Rows[0].Change) != 6 {
		t.Errorf("JSON of %d sets", len(parsed.Sets))
	}
}
