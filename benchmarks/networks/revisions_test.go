package networks

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
)

var update = flag.Bool("update", false, "write testdata/revisions.json anew")

// otherModel is another network of ten classes: what the first says of noise, but for the name, is all that its hash is about.
func otherModel(t *testing.T) *models.Model {
	t.Helper()
	net := testNetwork(t)
	graph, err := net.Model.Network()
	if err != nil {
		t.Fatal(err)
	}
	graph.Graph.Name += "-other"
	m, err := models.New(graph, net.Model.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type revision struct {
	Revision int       `json:"revision"`
	Says     []float64 `json:"says"` // of the last of a few made-up pictures
}

// Predictions of now are those of the revision that is noted: who changes a predictor raises its number, and writes this anew by -update.
func TestRevisions(t *testing.T) {
	name, want := filepath.Join("testdata", "revisions.json"), map[string]revision{}
	b, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(b, &want)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	got := map[string]revision{}
	for _, name := range method.Names() {
		got[name] = revision{revisions[name], says(t, name)}
	}
	if *update {
		b, err := json.MarshalIndent(got, "", " ")
		if err == nil {
			err = os.WriteFile(name, append(b, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	for name := range maps.Keys(got) {
		if got[name].Revision != want[name].Revision {
			t.Errorf("%s: revision %d, noted %d", name, got[name].Revision, want[name].Revision)
		}
		for i, v := range got[name].Says {
			if math.Abs(v-want[name].Says[i]) > 1e-3 { // machines round otherwise, and MEMO multiplies that
				t.Errorf("%s says %.4f, noted for its revision %d is %.4f", name, got[name].Says, want[name].Revision, want[name].Says)
				break
			}
		}
	}
}

func says(t *testing.T, name string) []float64 {
	t.Helper()
	r, net, set := testRunner(t), testNetwork(t), noise("clean", 1)
	c, err := Default(name, net)
	if err != nil {
		t.Fatal(err)
	}
	if !c.AlongStreams() {
		set.Pictures, set.Labels = set.Pictures[9:], set.Labels[9:]
		return predicted(t, r, net, c, set)[0]
	}
	c.Settings.Tent.Rate = 1e-3 // at the default it hardly moves
	q, err := r.Along(context.Background(), net, c, [][]*Stream{{{Set: set, Name: "all", Items: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}}})
	if err != nil {
		t.Fatal(err)
	}
	return q[0][0][9]
}
