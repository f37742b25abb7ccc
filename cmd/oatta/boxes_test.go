package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
)

// boxFile writes the results of a detector for the pictures of a folder: box(i) is the detections of picture i.
func boxFile(t testing.TB, dir string, box func(i int) string) string {
	t.Helper()
	var images []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		images = append(images, fmt.Sprintf(`{"file": %q, "detections": [%s]}`, filepath.ToSlash(name), box(len(images))))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "detections.json")
	writeFile(t, path, `{"info": {"format_version": "1.3", "detector": "md_v5a"}, "images": [`+strings.Join(images, ",\n")+`]}`)
	return path
}

func oneBox(conf float64, x, y, w, h float64) string {
	return fmt.Sprintf(`{"category": "1", "conf": %g, "bbox": [%g, %g, %g, %g]}`, conf, x, y, w, h)
}

// twoBoxes gives each picture two boxes of its own.
func twoBoxes(i int) string {
	r := rand.New(rand.NewPCG(7, uint64(i)))
	return oneBox(0.4+r.Float64()/2, r.Float64()/2, r.Float64()/2, 0.5, 0.4) + ", " + oneBox(0.4+r.Float64()/2, r.Float64()/2, r.Float64()/2, 0.3, 0.5)
}

// A box that is all of the picture gives what the picture gives, exactly.
func TestBoxOfTheWholePicture(t *testing.T) {
	needEngine(t)
	args := []string{"run", "images", heron, "--metadata", heron + ".csv", "--vectors", "-q"}
	out, _ := mustOatta(t, console.Fine, args...)
	whole := parseLines(t, out)
	out, _ = mustOatta(t, console.Fine, append(args, "--boxes", boxFile(t, heron, func(int) string { return oneBox(0.9, 0, 0, 1, 1) }))...)
	boxes := parseLines(t, out)
	if len(boxes) != len(whole) || len(whole) != 10 {
		t.Fatalf("%d boxes of %d pictures", len(boxes), len(whole))
	}
	for i := range whole {
		if boxes[i].File != whole[i].File+"#0" || !slices.Equal(boxes[i].Probs, whole[i].Probs) || !slices.Equal(boxes[i].Adapted, whole[i].Adapted) {
			t.Errorf("%s differs from the picture", boxes[i].File)
		}
	}
}

// detectorsFile is results of MegaDetector, as a user's program would read them.
type detectorsFile struct {
	Info struct {
		Detector, Classifier string
		Version              string `json:"format_version"`
	}
	Images []struct {
		File, Stream, Datetime, Failure string
		Detections                      []struct {
			Category        string
			Conf            float64
			BBox            [4]float64
			Classifications [][2]any
			Raw             [][2]any `json:"raw_classifications"`
			Gate            *float64
		}
	}
}

// Several boxes of the real pictures, in every format; and the filter alone, given the raw answers, comes to the same adapted ones: the
// crops of one picture, of one time, are no duplicates.
func TestBoxesInEveryFormat(t *testing.T) {
	needEngine(t)
	boxes := boxFile(t, heron, func(i int) string {
		if i == 3 {
			return `{"category": "2", "conf": 0.9, "bbox": [0, 0, 1, 1]}`
		}
		return oneBox(0.3, 0.1, 0.1, 0.6, 0.6) + ", " + oneBox(0.8, 0.3, 0.3, 0.4, 0.5) + ", " + oneBox(0.1, 0, 0, 0.2, 0.2)
	})
	dir := t.TempDir()
	args := []string{"run", "images", heron, "--metadata", heron + ".csv", "--boxes", boxes, "--box-margin", "0.1", "-q"}
	for _, ending := range []string{"jsonl", "csv", "txt", "json"} {
		mustOatta(t, console.Fine, append(slices.Clone(args), "-o", filepath.Join(dir, "out."+ending))...)
	}
	text := readFile(t, filepath.Join(dir, "out.jsonl"))
	lines := parseLines(t, text)
	if len(lines) != 18 || lines[0].File != "20210531082538-RCNX0031.JPG#1" || lines[1].File != "20210531082538-RCNX0031.JPG#0" {
		t.Fatalf("%d lines: %s", len(lines), text)
	}
	if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, `"bbox":[0.3,0.3,0.4,0.5],"detection_category":"animal","detection_conf":0.8,`) {
		t.Errorf("first line %s", first)
	}
	for ending, want := range map[string]int{"csv": 19, "txt": 19} {
		if n := strings.Count(readFile(t, filepath.Join(dir, "out."+ending)), "\n"); n != want {
			t.Errorf("%s: %d lines, want %d", ending, n, want)
		}
	}
	checkDetections(t, readFile(t, filepath.Join(dir, "out.json")), lines)

	again, _ := mustOatta(t, console.Fine, "filter", filepath.Join(dir, "out.json"), "-q")
	checkDetections(t, again, nil)
	mustOatta(t, console.Fine, append(slices.Clone(args), "-o", filepath.Join(dir, "full.jsonl"), "--vectors")...)
	full := parseLines(t, readFile(t, filepath.Join(dir, "full.jsonl")))
	filtered, said := mustOatta(t, console.Fine, "filter", filepath.Join(dir, "full.jsonl"), "--smooth")
	if strings.Contains(said, "twice") {
		t.Errorf("crops of one picture were taken for duplicates:\n%s", said)
	}
	for i, l := range parseLines(t, filtered) {
		if !slices.Equal(l.Adapted, full[i].Adapted) {
			t.Errorf("%s: the filter alone gives other vectors", l.File)
		}
	}
}

func checkDetections(t *testing.T, text string, lines []result) {
	t.Helper()
	var f detectorsFile
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	if f.Info.Detector != "md_v5a" || f.Info.Classifier != "efficientnet-lite0" || f.Info.Version != "1.3" || len(f.Images) != 10 {
		t.Errorf("info %+v, %d images", f.Info, len(f.Images))
	}
	adapted := map[string]float64{}
	for _, l := range lines {
		adapted[l.File] = l.AdaptedProb
	}
	classified := 0
	for _, im := range f.Images {
		for _, d := range im.Detections {
			if (d.Gate != nil) != (d.Category == "1" && d.Conf >= 0.2) || (d.Classifications == nil) != (d.Gate == nil) || (d.Raw == nil) != (d.Gate == nil) {
				t.Errorf("%s: %+v", im.File, d)
			}
			if d.Gate == nil {
				continue
			}
			classified++
			k := map[float64]int{0.3: 0, 0.8: 1}[d.Conf]
			if want := adapted[fmt.Sprintf("%s#%d", im.File, k)]; lines != nil && d.Classifications[0][1] != want || im.Stream != "heron" || im.Datetime == "" {
				t.Errorf("%s: %v in %q at %q, want %g", im.File, d.Classifications[0], im.Stream, im.Datetime, want)
			}
		}
	}
	if classified != 18 {
		t.Errorf("%d detections are classified", classified)
	}
}

// A run over boxes that is killed, in the middle of a picture too, and resumed ends with the bytes of one that was left alone; and only
// the same boxes resume it.
func TestBoxesKilledAndResumed(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 60)
	boxes := boxFile(t, dir, twoBoxes)
	for name, flags := range map[string][]string{
		"out.json": {}, "out.jsonl": {"--vectors"}, "tent.json": {"--method", "tent", "--rate", "0.01"}, "ttaug.jsonl": {"--method", "ttaug", "--augment", "crops", "--views", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run", "images", dir, "--boxes", boxes, "--model", "resnet20-cifar10", "-q", "--batch", "3"}, flags...)
			whole, cut := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), name)
			mustOatta(t, console.Fine, append(args, "-o", whole)...)
			args = append(args, "-o", cut, "--resume")
			killAt(t, cut, 2500, args...)
			if name == "out.json" {
				_, said := mustOatta(t, console.Nothing, append(slices.Clone(args), "--box-margin", "0.2")...)
				if !strings.Contains(said, "preprocessing") {
					t.Errorf("another margin: %s", said)
				}
				if _, said = mustOatta(t, console.Nothing, append(slices.Clone(args), "--box-confidence", "0.3")...); !strings.Contains(said, "listing") {
					t.Errorf("another confidence: %s", said)
				}
			}
			mustOatta(t, console.Fine, args...)
			if readFile(t, cut) != readFile(t, whole) {
				t.Error("the output differs from that of an undisturbed run")
			}
		})
	}
}

// A picture's label is that of each of its boxes.
func TestEvalOfBoxes(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 10)
	labels := "file,label\n"
	for i := range 4 {
		labels += fmt.Sprintf("cam0/p%04d.png,dog\n", i)
	}
	table := filepath.Join(t.TempDir(), "labels.csv")
	writeFile(t, table, labels)
	out, _ := mustOatta(t, console.Fine, "eval", "images", dir, "--boxes", boxFile(t, dir, twoBoxes), "--labels", table, "--model", "resnet20-cifar10", "--format", "json", "-q")
	if e := parseEvaluation(t, out); e.Raw.Items != 8 || e.Items != 20 || e.Unlabelled != 12 || e.Settings.What != "crop" {
		t.Errorf("%d of %d %ss scored, %d without a label", e.Raw.Items, e.Items, e.Settings.What, e.Unlabelled)
	}
}

func TestBoxFlags(t *testing.T) {
	dir := pictures(t, 2)
	boxes := boxFile(t, dir, func(int) string { return oneBox(0.5, 0, 0, 1, 1) })
	for want, flags := range map[string][]string{
		"--box-margin is about the file of --boxes":  {"--box-margin", "0.1"},
		"confidence of boxes 2: want 0 to 1":         {"--boxes", boxes, "--box-confidence", "2"},
		`no category "cat"`:                          {"--boxes", boxes, "--box-categories", "animal, cat"},
		"no category of boxes":                       {"--boxes", boxes, "--box-categories", ","},
		"no box of 2, person with a confidence":      {"--boxes", boxes, "--box-categories", "2,person"},
		"detections.json: no images: not the result": {"--boxes", strings.Replace(boxes, "detections.json", "bad/detections.json", 1)},
	} {
		if strings.Contains(want, "no images") {
			if err := os.MkdirAll(filepath.Dir(flags[1]), 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, flags[1], "{}")
		}
		if _, said := mustOatta(t, console.Nothing, append([]string{"run", "images", dir}, flags...)...); !strings.Contains(said, want) {
			t.Errorf("%q: %s", flags, said)
		}
	}
	out, _ := mustOatta(t, console.Fine, "run", "images", dir, "--boxes", boxes, "--box-categories", "all", "--dry-run")
	if !strings.Contains(out, "    #0 animal 0.5 [0 0 1 1]\n") || !strings.Contains(out, "2 crops to classify\n") {
		t.Errorf("dry run:\n%s", out)
	}
}
