package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/lock"
	"github.com/oatta/oatta/internal/testdata"
)

// trial is a report of made-up studies, and how often each was run.
type trial struct {
	whole
	runs map[string]int
	log  bytes.Buffer
}

func newTrial(dir string, studies ...report.Study) *trial {
	tr := &trial{runs: map[string]int{}}
	set := newFlags("all")
	tr.declare(set)
	tr.out, tr.studies = dir, studies
	return tr
}

// run returns what an error would be as an exit code.
func (tr *trial) run(ctx context.Context) (string, error) {
	var out bytes.Buffer
	err := tr.whole.run(ctx, newHost(&tr.log, false), &out)
	return out.String(), err
}

// study counts its runs.
func (tr *trial) study(name string, run report.Run) {
	tr.studies = append(tr.studies, report.Study{Name: name, Does: "made up, " + name, Declare: func(f report.Flags) report.Run {
		var seeds int
		f.Seeds(&seeds, 3, "seeds")
		return func(ctx context.Context, h report.Host) ([]report.Section, error) {
			tr.runs[name]++
			return run(ctx, h)
		}
	}})
}

func fine(id string) report.Run {
	return func(_ context.Context, h report.Host) ([]report.Section, error) {
		h.Progress("rows", 1, 1)
		t := report.Table{ID: "numbers", Title: "Numbers", Columns: []string{"row", "value"}}
		t.AddCells(report.Text("a"), report.Points(1.5).WithPaper(2))
		return []report.Section{{ID: id, Title: "Title of " + id, Tables: []report.Table{t}, Made: report.Made{Models: map[string]string{"net": "abcd"}}}}, nil
	}
}

// A report that was cut goes on: what was done is not done again, and what it then says is what it would have said.
func TestAllGoesOn(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	tr := newTrial(dir)
	cut, cancel := context.WithCancel(ctx)
	tr.study("first", fine("first"))
	tr.study("second", func(ctx context.Context, h report.Host) ([]report.Section, error) {
		if tr.runs["second"] == 1 {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return fine("second")(ctx, h)
	})
	if _, err := tr.run(cut); !errors.Is(err, context.Canceled) {
		t.Fatalf("cut: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err == nil {
		t.Error("a report of half of the studies")
	}
	out, err := tr.run(ctx)
	if err != nil || out != "3 sections in "+dir+"\n" {
		t.Fatalf("%q, %v", out, err)
	}
	if tr.runs["first"] != 1 || tr.runs["second"] != 2 {
		t.Errorf("runs: %v", tr.runs)
	}
	if !strings.Contains(tr.log.String(), "oatta: 1 of 2: first was done before\n") {
		t.Errorf("said:\n%s", tr.log.String())
	}
	before := readReport(t, dir)
	if _, err := tr.run(ctx); err != nil || tr.runs["second"] != 2 {
		t.Errorf("once more: %v, runs %v", err, tr.runs)
	}
	if after := readReport(t, dir); !bytes.Equal(before, after) {
		t.Error("the same sections make another report")
	}
}

func readReport(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writeData writes a file of the shared data.
func (tr *trial) writeData(t *testing.T, text string) {
	t.Helper()
	dir := filepath.Join(tr.passed.Lookup("shared").Value.String(), "data")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "predictions"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Kept is what has the same settings and data, and is whole.
func TestAllMakesAnew(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	tr := newTrial(dir)
	tr.study("first", fine("first"))
	for i, change := range []func(){
		func() {},
		func() { tr.fresh = true },
		func() {
			tr.fresh = false
			if err := os.WriteFile(filepath.Join(dir, "sections", "first.json"), []byte(`{"key":`), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			if err := tr.passed.Set("shared", t.TempDir()); err != nil {
				t.Fatal(err)
			}
			declare := tr.studies[0].Declare
			tr.studies[0].Declare = func(f report.Flags) report.Run {
				var shared string
				f.Shared(&shared)
				return declare(f)
			}
		},
		func() { tr.writeData(t, "a") },
		func() { tr.writeData(t, "b") },
	} {
		change()
		if _, err := tr.run(ctx); err != nil || tr.runs["first"] != i+1 {
			t.Errorf("%d: %v, runs %v", i, err, tr.runs)
		}
	}
}

// What is missing is told in its place, with the exit code of work that was not done whole, and is tried again.
func TestAllTellsWhatIsMissing(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	tr := newTrial(dir)
	there := false
	tr.study("absent", func(ctx context.Context, h report.Host) ([]report.Section, error) {
		if !there {
			return nil, &report.MissingError{What: "the moon", How: "look up"}
		}
		return fine("absent")(ctx, h)
	})
	tr.study("broken", func(context.Context, report.Host) ([]report.Section, error) { return nil, errors.New("a <b>fault</b>") })
	tr.study("last", fine("last"))
	_, err := tr.run(ctx)
	var exit console.ExitError
	if !errors.As(err, &exit) || exit.Code != console.Partial {
		t.Fatalf("%v", err)
	}
	for name, want := range map[string][]string{
		"report.md":   {"Missing: the moon; to have it: look up", "Title of last", "Not measured, or not in full: Made up, absent; Made up, broken."},
		"report.html": {"<strong>Missing:</strong> the moon; to have it: look up", "a &lt;b&gt;fault&lt;/b&gt;", "prefers-color-scheme", `<td class="paper">&#43;2.00</td>`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s has no %q:\n%s", name, w, text)
			}
		}
	}
	there, tr.studies = true, slices.Delete(tr.studies, 1, 2)
	if _, err := tr.run(ctx); err != nil || tr.runs["absent"] != 2 || tr.runs["last"] != 1 {
		t.Errorf("%v, runs %v", err, tr.runs)
	}
}

func TestAllIsAlone(t *testing.T) {
	dir := t.TempDir()
	tr := newTrial(dir)
	tr.study("first", func(ctx context.Context, h report.Host) ([]report.Section, error) {
		if _, err := newTrial(dir, tr.studies...).run(ctx); !errors.Is(err, lock.ErrBusy) {
			t.Errorf("a second run at the same time: %v", err)
		}
		return fine("first")(ctx, h)
	})
	if _, err := tr.run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAllWritesTables(t *testing.T) {
	dir := t.TempDir()
	tr := newTrial(dir)
	tr.study("first", fine("first"))
	if _, err := tr.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "tables", "first-numbers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // read only
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 2 || !slices.Equal(rows[0], []string{"row", "value", "value paper"}) || !slices.Equal(rows[1], []string{"a", "1.5", "2"}) {
		t.Errorf("%q, %v", rows, err)
	}
	sections, err := report.ReadJSON(bytes.NewReader(readReport(t, dir)))
	if err != nil || len(sections) != 2 || sections[0].Made.Command != "oatta bench first" || sections[0].Made.Versions["oatta"] == "" || sections[1].ID != "differences" {
		t.Errorf("%+v, %v", sections, err)
	}
}

func TestAllRefuses(t *testing.T) {
	for name, args := range map[string][]string{
		"--out: want a folder":      {},
		`no study "none"`:           {"--out", t.TempDir(), "--only", "none"},
		syscall.ENOTDIR.Error():     {"--out", "all_test.go", "--only", "study"},
		`unexpected argument "dir"`: {"--out", t.TempDir(), "dir"},
	} {
		if _, _, err := bench(append([]string{"all"}, args...)...); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// Every study of the plan can be made quick, and no line of the plan is of a study that is no more.
func TestPlan(t *testing.T) {
	all := chapters(studies())
	for _, s := range all {
		set := newFlags(s.Name)
		s.Declare(set)
		if c := chapterOf(s.Name); set.Lookup("quick") == nil && c.quick == nil {
			t.Errorf("%s has no flag --quick, and the plan no other way", s.Name)
		} else if err := set.Parse(c.quick); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// A quick look at every study, on all the data that are there: it ends, and its sections have their tables.
func TestAllQuick(t *testing.T) {
	testdata.Heavy(t, "all studies take two minutes on two cores")
	dir := t.TempDir()
	_, errOut, err := bench("all", "--quick", "--shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join(testdata.Root(), "..", "shared")), "--out", dir)
	var exit console.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Code != console.Partial) {
		t.Fatalf("%v\n%s", err, errOut)
	}
	sections, err := report.ReadJSON(bytes.NewReader(readReport(t, dir)))
	if err != nil || len(sections) < len(chapters(studies())) {
		t.Fatalf("%d sections, %v", len(sections), err)
	}
	for _, s := range sections {
		if len(s.Tables) == 0 && len(s.Missing) == 0 || s.Made.Command == "" && s.ID != "differences" {
			t.Errorf("%s: %d tables, command %q", s.ID, len(s.Tables), s.Made.Command)
		}
	}
}
