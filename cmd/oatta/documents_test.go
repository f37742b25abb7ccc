package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
)

// cases are inputs on which the program was wrong once.
const cases = "testdata/cases"

// md is what a reader of MegaDetector results takes from a file.
type md struct {
	Categories map[string]string `json:"classification_categories"`
	Images     []struct {
		File       string
		Detections []struct {
			Classifications [][]any
			Gate            *float64
		}
	}
}

// top returns the first class of a detection and its probability.
func (m md) top(t *testing.T, image, detection int) (string, float64) {
	t.Helper()
	first := m.Images[image].Detections[detection].Classifications[0]
	return m.Categories[first[0].(string)], first[1].(float64)
}

func filterMD(t *testing.T, name string, flags ...string) (m md, said string) {
	t.Helper()
	out, said := mustOatta(t, console.Fine, append([]string{"filter", filepath.Join(cases, name)}, flags...)...)
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatal(err)
	}
	return m, said
}

// Lists of one class: nobody's label is lost to a class of another camera, and a predictor that is not sure does not become so.
func TestListsOfOneClass(t *testing.T) {
	for _, flags := range [][]string{nil, {"--smooth"}, {"--lag", "2"}, {"--viterbi"}, {"--gate", "off"}} {
		for _, name := range []string{"md_top1_two_cameras.json", "md_top1_one_class.json"} {
			m, _ := filterMD(t, name, flags...)
			for i := range 6 {
				if label, p := m.top(t, i, 0); label != "deer" || math.Abs(p-0.35) > 0.1 {
					t.Errorf("%s %v: %s is %s %g, want deer .35", name, flags, m.Images[i].File, label, p)
				}
			}
		}
	}
	_, said := filterMD(t, "md_top1_two_cameras.json", "--labels", filepath.Join(cases, "md_top1_two_cameras.labels.csv"))
	if !strings.Contains(said, "7 items scored of 7") || !strings.Contains(said, "accuracy %  100.00   100.00") {
		t.Errorf("scores: %s", said)
	}
}

// What a camera's pictures become does not depend on which others are in the document.
func TestCamerasDoNotTouchEachOther(t *testing.T) {
	for _, flags := range [][]string{nil, {"--smooth"}, {"--gate", "ewma"}} {
		alone, _ := filterMD(t, "md_one_camera.json", flags...)
		beside, _ := filterMD(t, "md_two_cameras.json", flags...)
		at := map[string]int{}
		for i, im := range beside.Images {
			at[im.File] = i
		}
		for i, im := range alone.Images {
			label, p := alone.top(t, i, 0)
			if l, q := beside.top(t, at[im.File], 0); l != label || p != q || *im.Detections[0].Gate != *beside.Images[at[im.File]].Detections[0].Gate {
				t.Errorf("%v: %s is %s %g alone, %s %g beside another camera", flags, im.File, label, p, l, q)
			}
		}
	}
}

// One list on twelve boxes is one observation, and all of the boxes get its answer.
func TestAHerdIsOneObservation(t *testing.T) {
	m, said := filterMD(t, "md_herd.json")
	label, p := m.top(t, 0, 0)
	for k := range m.Images[0].Detections {
		if l, q := m.top(t, 0, k); l != label || p != q {
			t.Errorf("box %d: %s %g, box 0: %s %g", k, l, q, label, p)
		}
	}
	if label != "deer" || p > 0.6 || !strings.Contains(said, "each list is one observation") || !strings.Contains(said, "3 items in 2 streams") {
		t.Errorf("%s %g: %s", label, p, said)
	}
}

// species is what a reader of SpeciesNet's predictions takes from a file.
type species struct {
	Predictions []struct {
		Filepath, Prediction string
		Source               string `json:"prediction_source"`
		Adapted              string `json:"adapted_label"`
		List                 struct {
			Scores []float64
		} `json:"adapted_classifications"`
		Gate       *float64 `json:"gate"`
		Detections []struct {
			Adapted string `json:"adapted_label"`
			Said    struct{ Class, Source string }
		}
	}
}

func filterSpecies(t *testing.T, name string) (s species, said string) {
	t.Helper()
	out, said := mustOatta(t, console.Fine, "filter", filepath.Join(cases, "speciesnet", name))
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	return s, said
}

// Version 5 has its lists in the boxes; the labels are those of version 4.
func TestSpeciesNetVersions(t *testing.T) {
	four, _ := filterSpecies(t, "v4.json")
	if p := four.Predictions[1].List.Scores; len(p) != 2 || p[0] < 0.5 || p[0] > 0.7 { // .6 before; 2,496 classes that nothing speaks for take nothing from it
		t.Errorf("adapted scores %v", p)
	}
	five, _ := filterSpecies(t, "v5.json")
	for i, p := range four.Predictions {
		q := five.Predictions[i]
		if p.Adapted == "" || q.Adapted != p.Adapted || q.Filepath != p.Filepath {
			t.Errorf("%s: version 4 %q, version 5 %q", p.Filepath, p.Adapted, q.Adapted)
		}
		for _, d := range q.Detections {
			if d.Adapted == "" {
				t.Errorf("%s: a box without a label", q.Filepath)
			}
		}
	}
}

// What the geofence and the detector decided stays.
func TestSpeciesNetEnsemble(t *testing.T) {
	s, said := filterSpecies(t, "geo.json")
	for _, p := range s.Predictions {
		switch {
		case strings.HasPrefix(p.Source, "detector"):
			if p.Adapted != "" || p.Gate != nil {
				t.Errorf("%s: the detector's %s became %s", p.Filepath, p.Prediction, p.Adapted)
			}
		case p.Prediction != "" && p.Adapted != p.Prediction:
			t.Errorf("%s: %s (%s) became %s", p.Filepath, p.Prediction, p.Source, p.Adapted)
		}
	}
	if !strings.Contains(said, "ensemble's detector") {
		t.Error(said)
	}
	if _, errOut := mustOatta(t, console.Nothing, "filter", filepath.Join(cases, "speciesnet", "predonly.json")); !strings.Contains(errOut, "3 items, and none has a prediction") {
		t.Error(errOut)
	}
}
