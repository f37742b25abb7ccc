package controlled

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// pictures are made up, n of each class.
func pictures(n int) *networks.Set {
	s, random := &networks.Set{Name: "made-up pictures"}, rand.New(rand.NewPCG(5, 6))
	for i := range 10 * n {
		img := image.NewRGBA(image.Rect(0, 0, 32, 32))
		for p := range 32 * 32 {
			img.SetRGBA(p%32, p/32, color.RGBA{uint8(random.Uint32()%64) + uint8(4*i), uint8(p), uint8(p / 32 * i), 255})
		}
		s.Pictures, s.Labels = append(s.Pictures, networks.NewPicture(img)), append(s.Labels, i%10)
	}
	return s
}

func testRunner(t *testing.T, workers int) *networks.Runner {
	t.Helper()
	engine := orttest.Engine(t)
	return &networks.Runner{Folder: t.TempDir(), Workers: workers, Engine: func(context.Context) (runtime.Engine, error) { return engine, nil }}
}

func small(t *testing.T) Settings {
	t.Helper()
	net, err := networks.ResNet20()
	if err != nil {
		t.Fatal(err)
	}
	five, err := Five(net)
	if err != nil {
		t.Fatal(err)
	}
	five[4].Settings.Views.Count, five[4].Views.Augmented = 3, 3 // of MEMO: a test has no time for 32
	return Settings{Network: net, Predictors: five, Set: pictures(2), MEMOPictures: 10, Steps: 50, Seeds: 2, Rows: []Row{{"s1", datasets.S1()}, {"s2 alpha=0.90", datasets.S2(0.9)}}}
}

// text runs a study and returns all of what it found.
func text(t *testing.T, r *networks.Runner, s Settings) string {
	t.Helper()
	found, err := Run(context.Background(), r, s)
	if err != nil {
		t.Fatal(err)
	}
	section, err := found.Section(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(section, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// All five predictors of a real network, any number of workers, and a run that was killed: the same numbers.
func TestRun(t *testing.T) {
	r, s := testRunner(t, 2), small(t)
	first := text(t, r, s)
	for _, want := range append(method.Names(), "base on MEMO's items", "The predictors", "Plain → off", "Plain → ewma", "Plain → auto", "MEMO and the plain network", "s2 alpha=0.90") {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	files, err := filepath.Glob(filepath.Join(r.Folder, "*.f32"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files (%v): want one for each of four predictors and Tent's four streams", len(files), err)
	}
	for i, name := range files {
		info, err := os.Stat(name)
		if err == nil {
			err = os.Truncate(name, info.Size()-int64(100*i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if again := text(t, r, s); again != first {
		t.Error("a run that goes on found something else")
	}
	kept := *r
	kept.Engine = func(context.Context) (runtime.Engine, error) { return nil, errors.New("not kept") }
	if again := text(t, &kept, s); again != first {
		t.Error("from the folder comes something else")
	}
	if again := text(t, testRunner(t, 1), s); again != first {
		t.Error("one worker found something else")
	}
}

// Tent on the first labels of streams is Tent on streams that end there, and all others have theirs whole.
func TestTentSteps(t *testing.T) {
	long, short := small(t), small(t)
	long.Predictors = slices.DeleteFunc(long.Predictors, func(c networks.Candidate) bool { return c.Name != method.Base && c.Name != method.Tent })
	short.Predictors = long.Predictors
	long.TentSteps, short.Steps = 20, 20
	var found [2]*Result
	for i, s := range []Settings{long, short} {
		var err error
		if found[i], err = Run(context.Background(), testRunner(t, 2), s); err != nil {
			t.Fatal(err)
		}
	}
	base, tent := slices.IndexFunc(found[0].Columns, func(c Column) bool { return c.Name == method.Base }), slices.IndexFunc(found[0].Columns, func(c Column) bool { return c.Name == method.Tent })
	if a, b := found[0].Columns[base].Steps, found[0].Columns[tent].Steps; a != 50 || b != 20 {
		t.Errorf("%d steps of the plain network, %d of Tent: want 50 and 20", a, b)
	}
	for row := range found[0].Rows {
		if a, b := found[0].Rows[row].Cells[tent], found[1].Rows[row].Cells[tent]; !reflect.DeepEqual(a, b) {
			t.Errorf("row %d: %+v of long streams, %+v of short ones", row, a, b)
		}
		if a, b := found[0].Compare(row, 0).Pairs[tent], found[1].Compare(row, 0).Pairs[tent]; a.Plain != b.Plain || a.Adapted != b.Adapted {
			t.Errorf("row %d: %+v of long streams, %+v of short ones", row, a, b)
		}
	}
	section, err := found[0].Section(nil)
	if err != nil || !strings.Contains(section.Intro[0], "the first 20 labels alone") {
		t.Errorf("%q (%v)", section.Intro, err)
	}
}

// Without MEMO nothing is measured on MEMO's items.
func TestSomePredictors(t *testing.T) {
	s := small(t)
	s.Predictors = []networks.Candidate{networks.Plain()}
	got := text(t, testRunner(t, 2), s)
	if strings.Contains(got, "MEMO and the plain network") || strings.Contains(got, "base on MEMO") {
		t.Error(got)
	}
}

// Real pictures that the network knows well: on a stream that stays auto gains, and where there is no order nothing is lost.
func TestRealPictures(t *testing.T) {
	labels, err := datasets.ReadCIFARLabels(testdata.Shared(t, "data", "cifar10", "test_labels.u8"))
	if err != nil {
		t.Fatal(err)
	}
	s := small(t)
	if s.Set, err = networks.ReadSet("brightness", testdata.Shared(t, "data", "cifar10c", "brightness.png"), 0, 0, labels); err != nil {
		t.Fatal(err)
	}
	s.Predictors, s.Steps = []networks.Candidate{networks.Plain()}, 1000
	r, err := Run(context.Background(), testRunner(t, 2), s)
	if err != nil {
		t.Fatal(err)
	}
	auto := slices.Index(r.Filters, "auto")
	if p := r.Compare(0, auto).Pairs[0]; p.Plain < 80 || p.Change < -0.2 {
		t.Errorf("without order: %+v", p)
	}
	if p := r.Compare(1, auto).Pairs[0]; p.Change < 2 {
		t.Errorf("stay .9: %+v", p)
	}
	if right, claims := r.right(0), r.Columns[0].Claims; right < 80 || right > 95 || claims < right || claims > 100 {
		t.Errorf("right in %g %%, claims %g %%", right, claims)
	}
}

func TestRefusals(t *testing.T) {
	for name, change := range map[string]func(s *Settings){
		"no steps":                func(s *Settings) { s.Steps = -1 },
		"no seeds":                func(s *Settings) { s.Seeds = -1 },
		"no steps for Tent":       func(s *Settings) { s.TentSteps = -1 },
		"a class without picture": func(s *Settings) { s.Set = s.Set.First(9) },
		"too few for MEMO":        func(s *Settings) { s.MEMOPictures = 3 },
	} {
		s := small(t)
		change(&s)
		if _, err := Run(context.Background(), testRunner(t, 1), s); err == nil || !strings.HasPrefix(err.Error(), "controlled: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
