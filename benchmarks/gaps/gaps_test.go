package gaps

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/testdata"
)

// bursts draws a camera's stream: ten pictures of one class, one a second, then an hour of nothing.
func bursts(r *rand.Rand, count int) timed {
	s, now := timed{}, time.Unix(0, 0)
	for range count {
		y := r.IntN(4)
		for range 10 {
			q := []float64{1, 1, 1, 1}
			q[y], q[r.IntN(4)] = 2, q[r.IntN(4)]+1
			sum := q[0] + q[1] + q[2] + q[3]
			for i := range q {
				q[i] /= sum
			}
			s.q, s.truth, s.times = append(s.q, q), append(s.truth, y), append(s.times, now)
			now = now.Add(time.Second)
		}
		now = now.Add(time.Hour)
	}
	return s
}

// Where bursts of one class each are hours apart, it must be worth much to know; where nothing is missing, nothing may change.
func TestTellingGapsPays(t *testing.T) {
	s, auto := bursts(rand.New(rand.NewPCG(1, 2)), 60), method{adapt.Settings{Gate: adapt.GateAuto}, false}
	told, untold := s.change(auto, timeline.Settings{}), s.change(auto, timeline.Settings{Gaps: timeline.GapsOff})
	if told <= untold {
		t.Errorf("%+.2f points with gaps, %+.2f without", told, untold)
	}
	auto.smooth = true
	if told, untold := s.change(auto, timeline.Settings{}), s.change(auto, timeline.Settings{Gaps: timeline.GapsOff}); told < untold {
		t.Errorf("in hindsight %+.2f points with gaps, %+.2f without", told, untold)
	}
	auto.smooth = false
	for i := range s.times {
		s.times[i] = time.Unix(int64(i), 0)
	}
	if even := s.change(auto, timeline.Settings{}); even != untold {
		t.Errorf("%+.2f points at even times, %+.2f without times", even, untold)
	}
}

func TestLossesTakeWhatTheySay(t *testing.T) {
	for i, want := range [][2]float64{{0, 0}, {0.07, 0.13}, {0.45, 0.55}, {0.3, 0.65}} {
		gone, n := losses[i].gone(rand.New(rand.NewPCG(3, 4)), 2000), 0.0
		for _, g := range gone {
			if g {
				n++
			}
		}
		if share := n / 2000; share < want[0] || share > want[1] {
			t.Errorf("%s: %.2f are gone, want %v", losses[i].name, share, want)
		}
	}
}

func TestTables(t *testing.T) {
	c := &benchmarks.Collection{Name: "one", Classes: 4}
	for seed := range uint64(2) {
		s := bursts(rand.New(rand.NewPCG(seed, 5)), 3)
		c.Streams = append(c.Streams, &benchmarks.Stream{Q: s.q, Truth: s.truth})
	}
	other := *c
	other.Name = "other"
	var conditions []condition
	for _, l := range losses {
		conditions = append(conditions, l.of(c, 2), l.of(&other, 1))
	}
	for details, columns := range map[bool]int{false: 1 + len(losses), true: 1 + 2*len(losses)} {
		table := tabulate(method{adapt.Settings{Gate: adapt.GateOff}, details}, gather(conditions, details), 2)
		var b strings.Builder
		if err := table.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		if len(table.Columns) != columns || len(table.Rows) != 1+len(choices()) {
			t.Errorf("details %t: %d columns and %d rows in\n%s", details, len(table.Columns), len(table.Rows), &b)
		}
	}
}

// The camera's times are read, and are those of its labels.
func TestReadTimes(t *testing.T) {
	name, want := filepath.Join(t.TempDir(), "camera.csv"), 2
	if testdata.Have(t, "data", "cameratrap", "iwildcam2019_cct_loc46_labels.csv") {
		name, want = testdata.Shared(t, "data", "cameratrap", "iwildcam2019_cct_loc46_labels.csv"), 6145
	} else if err := os.WriteFile(name, []byte("id,location,date_captured\na,46,2011-05-03 12:07:19\nb,46,2011-05-03 12:07:20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	times, err := readTimes(name)
	if err != nil || len(times) != want || times[0] != time.Date(2011, 5, 3, 12, 7, 19, 0, time.UTC) {
		t.Fatalf("%d times, %v", len(times), err)
	}
	bad := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(bad, []byte("id,location,date_captured\na,1,soon\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readTimes(bad); err == nil || !strings.Contains(err.Error(), `row 2: time "soon"`) {
		t.Errorf("a time that is none: %v", err)
	}
}
