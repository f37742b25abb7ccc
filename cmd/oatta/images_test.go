package main

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	imageprep "github.com/oatta/oatta/preprocess/image"
)

// result is a line of the output, as a user's program would read it.
type result struct {
	File, Stream, Time, Label, Failure string
	Prob                               float64
	AdaptedLabel                       string  `json:"adapted_label"`
	AdaptedProb                        float64 `json:"adapted_prob"`
	Mode                               string  `json:"adapted_mode"`
	Gate                               float64
	Probs, Adapted                     []float64
}

func parseLines(t testing.TB, out string) (lines []result) {
	t.Helper()
	scanner := bufio.NewScanner(strings.NewReader(out))
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var r result
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatalf("%v in %s", err, scanner.Text())
		}
		lines = append(lines, r)
	}
	return lines
}

const heron = "../../datasets/samples/heron"

// The sample pictures with the default model: what `make run` shows.
func TestSampleBurst(t *testing.T) {
	needEngine(t)
	out, _ := mustOatta(t, console.Fine, "run", "images", heron, "--metadata", heron+".csv", "--vectors", "--causal")
	lines := parseLines(t, out)
	if len(lines) != 10 {
		t.Fatalf("%d lines, want 10", len(lines))
	}
	if l := lines[0]; l.File != "20210531082538-RCNX0031.JPG" || l.Stream != "heron" || l.Time != "2021-04-11T20:43:09" || len(l.Probs) != 1000 || len(l.Adapted) != 1000 {
		t.Errorf("first line %+v", l)
	}
	// Pillow and PyTorch say pelican 0.205 for the second picture; float16 weights and another JPEG decoder differ by less than 0.01.
	if l := lines[1]; l.Label != "pelican" || l.Prob < 0.195 || l.Prob > 0.215 {
		t.Errorf("second line: %s %g, want pelican 0.205", l.Label, l.Prob)
	}
	// One bird stands there for seven seconds: the order must have made one label of the raw ones.
	for _, l := range lines[1:9] { // the last picture is taken for a goose or a shovel, and hardly for the bird
		if l.AdaptedLabel != "pelican" || l.Gate < 0.35 {
			t.Errorf("%s: adapted %s with gate %g", l.File, l.AdaptedLabel, l.Gate)
		}
	}
}

// Files that are no pictures, or barely: each is a right result or a recorded failure, and the pictures beside them lose nothing.
func TestBadFilesAmongGoodOnes(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 10)
	cam := filepath.Join(dir, "cam0")
	good := readFile(t, filepath.Join(cam, "p0003.png"))
	writeFile(t, filepath.Join(cam, "a-empty.jpg"), "")
	writeFile(t, filepath.Join(cam, "b-text.jpg"), "This is a letter.\n")
	writeFile(t, filepath.Join(cam, "c-truncated.png"), good[:len(good)/2])
	writeFile(t, filepath.Join(cam, "d-huge.png"), hugePNG(60000, 60000))
	writeFile(t, filepath.Join(cam, "e-png-named.jpg"), good)
	writePNG(t, filepath.Join(cam, "f-one.png"), image.NewGray(image.Rect(0, 0, 1, 1)))
	writePNG(t, filepath.Join(cam, "g-deep.png"), deep())
	writeFile(t, filepath.Join(cam, "h-raw.cr2"), "raw")
	out, text := mustOatta(t, console.Partial, "run", "images", dir, "--model", "resnet20-cifar10")
	got := map[string]result{}
	for _, l := range parseLines(t, out) {
		got[filepath.Base(l.File)] = l
	}
	if len(got) != 18 || !strings.Contains(text, "18 pictures in 1 stream: 5 failed") {
		t.Errorf("%d results:\n%s", len(got), text)
	}
	for file, want := range map[string]string{
		"a-empty.jpg": "empty", "b-text.jpg": "not a picture", "c-truncated.png": "PNG", "d-huge.png": "60000 x 60000", "h-raw.cr2": "not supported",
	} {
		if f := got[file].Failure; !strings.Contains(f, want) {
			t.Errorf("%s: failure %q, want %q in it", file, f, want)
		}
	}
	for _, file := range []string{"e-png-named.jpg", "f-one.png", "g-deep.png", "p0009.png"} {
		if l := got[file]; l.Failure != "" || l.Label == "" || l.AdaptedLabel == "" {
			t.Errorf("%s: %+v", file, l)
		}
	}
	if strings.Contains(out, dir) {
		t.Errorf("the results tell where the folder lies:\n%s", out)
	}
	if a, b := got["e-png-named.jpg"], got["p0003.png"]; a.Label != b.Label || a.Prob != b.Prob {
		t.Errorf("the same picture under two names: %+v and %+v", a, b)
	}
}

// hugePNG is a well-formed header that claims more than anybody has memory for.
func hugePNG(w, h uint32) string {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	head = append(binary.BigEndian.AppendUint32(head, h), 8, 2, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))) + strings.Repeat("\x00", 1<<20)
}

func deep() image.Image {
	img := image.NewNRGBA64(image.Rect(0, 0, 40, 50))
	for i := range 40 * 50 {
		img.SetNRGBA64(i%40, i/40, color.NRGBA64{uint16(i * 30), 500, 65535, 65535})
	}
	return img
}

// Every real camera-trap picture at hand, in one call.
func TestAllSharedPictures(t *testing.T) {
	needEngine(t)
	dir := testdata.Shared(t, "data", "cameratrap", "images")
	out, _ := mustOatta(t, console.Fine, "run", "images", dir, "--quiet")
	lines := parseLines(t, out)
	if len(lines) < 500 {
		t.Fatalf("%d results", len(lines))
	}
	streams, last := map[string]bool{}, ""
	for _, l := range lines {
		if l.Stream != last && streams[l.Stream] {
			t.Errorf("stream %s comes twice", l.Stream)
		}
		streams[l.Stream], last = true, l.Stream
		if l.Failure != "" {
			t.Errorf("%s: %s", l.File, l.Failure)
		}
	}
	if len(streams) < 10 {
		t.Errorf("%d streams", len(streams))
	}
}

func TestFormats(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 12)
	writeFile(t, filepath.Join(dir, "cam0", "x.jpg"), "no picture")
	base := []string{"run", "images", dir, "--model", "resnet20-cifar10", "-q"}
	for ending, check := range map[string]func(t *testing.T, out string){"csv": checkCSV, "json": checkMegaDetector, "jsonl": checkJSONLines, "txt": checkTable} {
		path := filepath.Join(t.TempDir(), "out."+ending)
		mustOatta(t, console.Partial, append(base, "-o", path)...)
		check(t, readFile(t, path))
		mustOatta(t, console.Partial, append(base, "-o", path, "--resume")...) // complete, and what it was stays said
	}
}

func checkCSV(t *testing.T, out string) {
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 14 || rows[0][0] != "file" || len(rows[1]) != 10 {
		t.Errorf("csv: %v, %d rows: %v", err, len(rows), rows)
	}
}

// checkMegaDetector holds the output against what the format's validator demands.
func checkMegaDetector(t *testing.T, out string) {
	var md struct {
		Info struct {
			FormatVersion string `json:"format_version"`
			Classifier    string
			Oatta         run.Settings
		}
		DetectionCategories      map[string]string `json:"detection_categories"`
		ClassificationCategories map[string]string `json:"classification_categories"`
		Images                   []struct {
			File       string
			Failure    *string
			Detections []struct {
				Category        string
				Conf            json.RawMessage
				BBox            []json.RawMessage
				Classifications [][]any
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &md); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if md.Info.FormatVersion != "1.6" || md.Info.Classifier != "resnet20-cifar10" || md.Info.Oatta.Mode != streams.Smoothed || len(md.ClassificationCategories) != 10 || len(md.Images) != 13 {
		t.Errorf("head %+v, %d images", md.Info, len(md.Images))
	}
	for _, im := range md.Images {
		if im.Failure != nil {
			if im.Detections != nil {
				t.Errorf("%s: failure with detections", im.File)
			}
			continue
		}
		d := im.Detections[0]
		if !strings.Contains(string(d.Conf), ".") || md.DetectionCategories[d.Category] == "" || len(d.BBox) != 4 || len(d.Classifications) != 5 {
			t.Errorf("%s: %+v", im.File, d)
		}
		if id, ok := d.Classifications[0][0].(string); !ok || md.ClassificationCategories[id] == "" {
			t.Errorf("%s: classification %v", im.File, d.Classifications[0])
		}
	}
}

func checkJSONLines(t *testing.T, out string) {
	if lines := parseLines(t, out); len(lines) != 13 || lines[0].Probs != nil || lines[0].Gate == 0 && lines[1].Gate == 0 {
		t.Errorf("jsonl: %+v", lines)
	}
}

func checkTable(t *testing.T, out string) {
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 14 || !strings.Contains(out, "failed: ") {
		t.Errorf("table: %s", out)
	}
}

func TestDryRunNeedsNoEngine(t *testing.T) {
	t.Setenv("OATTA_ORT_LIB", filepath.Join(t.TempDir(), "none.so"))
	out, _ := mustOatta(t, console.Fine, "run", "images", heron, "--metadata", heron+".csv", "--dry-run")
	if !strings.Contains(out, `stream "heron": 10 pictures, 2021-04-11 20:43:09 to 2021-04-11 20:43:15`) || !strings.Contains(out, "10 pictures in 1 stream") {
		t.Errorf("dry run:\n%s", out)
	}
}

// What is wrong is said before any work is done, with exit code 2.
func TestNothingDone(t *testing.T) {
	needEngine(t)
	dir, empty := pictures(t, 3), t.TempDir()
	broken := filepath.Join(t.TempDir(), "broken.onnx")
	writeFile(t, broken, "not a model")
	for want, args := range map[string][]string{
		"no folder or picture given":   {},
		"no such file":                 {"/no/such/folder"},
		"no pictures":                  {empty},
		"neither a file nor":           {dir, "--model", "nonesuch"},
		"broken.onnx":                  {dir, "--model", broken},
		`gate "best"`:                  {dir, "--gate", "best"},
		"setting of the paper's modes": {dir, "--gamma", "0.2"},
		"setting of the paper's gates": {dir, "--gate", "off", "--margin", "1"},
		"gamma 2: want":                {dir, "--gate", "off", "--gamma", "2"},
		"prior has 2 entries":          {dir, "--prior", "0.5,0.5"},
		"--prior x":                    {dir, "--prior", "x"},
		"no format for the ending":     {dir, "-o", filepath.Join(empty, "x.parquet")},
		"directory":                    {dir, "-o", filepath.Join(empty, "none", "x.csv")},
		"choose one":                   {dir, "-o", filepath.Join(empty, "x.csv"), "--resume", "--overwrite"},
		"only a run that writes":       {dir, "--resume"},
		"--vectors":                    {dir, "--vectors", "--format", "table"},
		"--top 0: want":                {dir, "--top", "0"},
		`format "xml"`:                 {dir, "--format", "xml"},
		"--batch -1":                   {dir, "--batch", "-1"},
		`device "tpu"`:                 {dir, "--device", "tpu"},
		"flag provided but not":        {dir, "--gammma", "1"},
	} {
		_, text := mustOatta(t, console.Nothing, append([]string{"run", "images"}, args...)...)
		if !strings.Contains(text, want) {
			t.Errorf("%v: no %q in:\n%s", args, want, text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(empty, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCUDAAskedForAndMissing(t *testing.T) {
	needEngine(t)
	if _, err := os.Stat("/dev/nvidia0"); err == nil {
		t.Skip("this machine has an accelerator")
	}
	code, _, text := oatta(t, "run", "images", heron, "--device", "cuda")
	if code != console.Nothing || !strings.Contains(strings.ToLower(text), "cuda") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	_, text = mustOatta(t, console.Fine, "run", "images", heron, "--device", "auto")
	if !strings.Contains(text, "runs on cpu: ") {
		t.Errorf("auto did not say what it chose:\n%s", text)
	}
}

// A run that cannot write says so and can be taken up again.
func TestFullDisk(t *testing.T) {
	needEngine(t)
	if _, err := os.Stat("/dev/full"); err != nil {
		testdata.Missing(t, "%v", err)
	}
	code, _, text := oatta(t, "run", "images", heron, "-o", "/dev/full", "--format", "csv", "-q")
	if code == console.Fine || !strings.Contains(text, "no space left") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
}

// Names that are no UTF-8 stay apart in an output that must be.
func TestReadableNames(t *testing.T) {
	for name, want := range map[string]string{"héron.jpg": "héron.jpg", "h\xe9ron.jpg": `h\xE9ron.jpg`, "h\xe8ron.jpg": `h\xE8ron.jpg`} {
		if got := inputs.Readable(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

// The words of manifests are those of the transform; openClassifier relies on it.
func TestManifestsSpeakTheTransformsWords(t *testing.T) {
	for _, word := range []string{models.Bilinear, models.Bicubic, models.Nearest, models.Box, models.Hamming, models.Lanczos} {
		if i, err := imageprep.ParseInterpolation(word); err != nil || i.String() != word {
			t.Errorf("interpolation %s: %v, %v", word, i, err)
		}
	}
	for _, word := range []string{models.NCHW, models.NHWC} {
		if l, err := imageprep.ParseLayout(word); err != nil || l.String() != word {
			t.Errorf("layout %s: %v, %v", word, l, err)
		}
	}
}
