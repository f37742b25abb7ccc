package predictions

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

const megaDetector = `{
 "info": {"format_version": "1.5", "x": [1.50, null]},
 "classification_categories": {"0": "deer", "7": "fox", "3": "never"},
 "images": [
  {"file": "cam1/img10.jpg", "detections": [
    {"category": "1", "conf": 0.9, "bbox": [0, 0, 1, 1], "classifications": [["0", 0.75], ["7", 0.25]]},
    {"category": "1", "conf": 0.05, "bbox": [0, 0, 1, 1]},
    {"category": "1", "conf": 0.3, "classifications": [ ["7", 1] ], "gate": 9}]},
  {"file": "cam1\\img9.jpg", "datetime": null, "detections": [{"conf": 1, "raw_classifications": [["0", 0.5]], "classifications": [["7", 1]]}]},
  {"file": "cam2/b.jpg", "datetime": "2024:05:01 10:00:01", "detections": [{"conf": 1, "classifications": [["0", 1]]}]},
  {"file": "cam2/a.jpg", "datetime": "2024-05-01 10:00:02", "detections": [{"conf": 1, "classifications": [["0", 1]]}]},
  {"file": "cam2/c.jpg", "detections": null, "failure": "Failure image access"},
  {"file": "d.jpg", "detections": [], "classifications": [["0", 0.5]]}
 ]
}
`

const megaDetectorWant = `{
 "info": {"format_version": "1.5", "x": [1.50, null]},
 "classification_categories": {"0": "deer", "7": "fox", "3": "never"},
 "images": [
  {"file": "cam1/img10.jpg", "detections": [
    {"category": "1", "conf": 0.9, "bbox": [0, 0, 1, 1], "classifications": [["7", 0.75], ["0", 0.25]], "raw_classifications": [["0", 0.75], ["7", 0.25]], "gate": 0.5, "adapted_mode": "filtered"},
    {"category": "1", "conf": 0.05, "bbox": [0, 0, 1, 1]},
    {"category": "1", "conf": 0.3, "classifications": [["0", 1.0]], "raw_classifications": [ ["7", 1] ], "adapted_mode": "filtered", "gate": 0.5}]},
  {"file": "cam1\\img9.jpg", "datetime": null, "detections": [{"conf": 1, "raw_classifications": [["0", 0.5]], "classifications": [["7", 0.5]], "gate": 0.5, "adapted_mode": "filtered"}]},
  {"file": "cam2/b.jpg", "datetime": "2024:05:01 10:00:01", "detections": [{"conf": 1, "classifications": [["7", 1.0]], "raw_classifications": [["0", 1]], "gate": 0.5, "adapted_mode": "filtered"}]},
  {"file": "cam2/a.jpg", "datetime": "2024-05-01 10:00:02", "detections": [{"conf": 1, "classifications": [["7", 1.0]], "raw_classifications": [["0", 1]], "gate": 0.5, "adapted_mode": "filtered"}]},
  {"file": "cam2/c.jpg", "detections": null, "failure": "Failure image access"},
  {"file": "d.jpg", "detections": [], "classifications": [["7", 0.5]], "raw_classifications": [["0", 0.5]], "gate": 0.5, "adapted_mode": "filtered"}
 ]
}
`

const speciesNet = `{"predictions": [
    {"filepath": "/x/cam1/2.jpg", "country": "USA", "classifications": {"classes": ["a;deer", "b;fox"], "scores": [0.8, 0.1]}, "model_version": "4.0.1a"},
    {"filepath": "/x/cam1/10.jpg", "failures": ["CLASSIFIER"]},
    {"filepath": "/x/cam1/1.jpg", "classifications": {"scores": [0.5], "classes": ["c;blank"], "target_logits": [1]}}
]}`

const speciesNetWant = `{"predictions": [
    {"filepath": "/x/cam1/2.jpg", "country": "USA", "classifications": {"classes": ["a;deer", "b;fox"], "scores": [0.8, 0.1]}, "adapted_classifications": {"classes": ["c;blank", "b;fox"], "scores": [0.8, 0.1]}, "adapted_label": "c;blank", "gate": 0.5, "adapted_mode": "filtered", "model_version": "4.0.1a"},
    {"filepath": "/x/cam1/10.jpg", "failures": ["CLASSIFIER"]},
    {"filepath": "/x/cam1/1.jpg", "classifications": {"scores": [0.5], "classes": ["c;blank"], "target_logits": [1]}, "adapted_classifications": {"classes": ["a;deer"], "scores": [0.5]}, "adapted_label": "a;deer", "gate": 0.5, "adapted_mode": "filtered"}
]}`

// passDocument passes a document through, and returns the output, the order of the items, and what was wrong.
func passDocument(t testing.TB, text string, f Format, o Options) (out string, order, wrong []string) {
	t.Helper()
	d, err := ReadDocument("in", strings.NewReader(text), f, o)
	if err != nil {
		return "", nil, []string{err.Error()}
	}
	for i := range d.Len() {
		item, err := d.Item(i, make([]float64, d.Space(i).Len()))
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		order = append(order, fmt.Sprintf("%s:%s", item.Stream, item.ID))
		if item.Probs != nil {
			d.Adapt(i, exchanged(d, i, &item))
		}
	}
	var b strings.Builder
	if n, err := d.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes, %v", n, err)
	}
	return b.String(), order, wrong
}

// exchanged is a filter that takes the first class for the second, and in predictions of SpeciesNet the first for the last that is listed.
func exchanged(d *Document, i int, item *Item) Adapted {
	space := d.Space(i)
	p := space.Restore(nil, item.Probs, item.Probs)
	other := min(1, len(space.Classes)-1)
	if d.Format() == FormatSpeciesNet {
		other = len(space.Classes) - 1
	}
	before, _ := d.Before(i, p)
	p[0], p[other] = p[other], p[0]
	after, _ := d.Label(i, p, -1)
	return Adapted{Label: before, AdaptedLabel: after, Probs: p, Gate: 0.5, Mode: "filtered"}
}

func TestDocuments(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
		format         Format
		order          string
	}{
		{
			"megadetector", megaDetector, megaDetectorWant, FormatMegaDetector,
			`.:d.jpg cam1:cam1\img9.jpg cam1:cam1/img10.jpg cam1:cam1/img10.jpg cam2:cam2/b.jpg cam2:cam2/c.jpg cam2:cam2/a.jpg`,
		},
		{"speciesnet", speciesNet, speciesNetWant, FormatSpeciesNet, `/x/cam1:/x/cam1/1.jpg /x/cam1:/x/cam1/2.jpg /x/cam1:/x/cam1/10.jpg`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, f := range []Format{tc.format, FormatJSON} {
				got, order, wrong := passDocument(t, tc.in, f, Options{})
				if got != tc.want || wrong != nil {
					t.Fatalf("got\n%s\nwant\n%s\n%v", got, tc.want, wrong)
				}
				if s := strings.Join(order, " "); s != tc.order {
					t.Errorf("order %s, want %s", s, tc.order)
				}
				if !json.Valid([]byte(got)) {
					t.Error("no JSON")
				}
				if again, _, wrong := passDocument(t, "\ufeff"+got, f, Options{}); again != "\ufeff"+got || wrong != nil {
					t.Errorf("the second time\n%s\n%v", again, wrong)
				}
			}
		})
	}
}

func TestDocumentOptions(t *testing.T) {
	// The pattern makes the streams; the detection of conf 0.3 is left alone.
	got, order, wrong := passDocument(t, megaDetector, FormatJSON, Options{StreamPattern: `(?:^|/)(.)[^/]*$`, MinConf: 0.5, Top: 1})
	if wrong != nil || strings.Count(got, "raw_classifications") != 5 || !strings.Contains(got, `[["7", 0.75]], "raw`) {
		t.Errorf("%s\n%q", got, wrong)
	}
	if want := `a:cam2/a.jpg b:cam2/b.jpg c:cam2/c.jpg d:d.jpg i:cam1\img9.jpg i:cam1/img10.jpg`; strings.Join(order, " ") != want {
		t.Errorf("order %q, want %s", order, want)
	}
	// Classes in an order of one's own.
	d, err := ReadDocument("in", strings.NewReader(megaDetector), FormatJSON, Options{Classes: []string{"never", "fox", "deer"}})
	if err != nil {
		t.Fatal(err)
	}
	probs := make([]float64, 3)
	if item, err := d.Item(2, probs); err != nil || probs[2] != 0.75 || probs[1] != 0.25 {
		t.Errorf("%v %v of %s", probs, err, item.ID)
	}
}

// Values that Python writes and JSON does not know are unknown, and come out as they are.
func TestDocumentUnknownNumbers(t *testing.T) {
	unknown := strings.NewReplacer("[1.50, null]", `[NaN, "NaN \"Infinity"]`, `"conf": 0.9,`, `"conf": -Infinity,`, `"datetime": null`, `"datetime": NaN`, "[0, 0, 1, 1]", "[Infinity, 0, 1, 1]")
	for _, bom := range []string{"", "\ufeff"} {
		got, order, wrong := passDocument(t, bom+unknown.Replace(megaDetector), FormatJSON, Options{})
		if want := bom + unknown.Replace(megaDetectorWant); got != want || wrong != nil || len(order) != 7 {
			t.Errorf("got\n%s\nwant\n%s\n%q %q", got, want, order, wrong)
		}
	}
	d, err := ReadDocument("in", strings.NewReader(unknown.Replace(megaDetector)), FormatJSON, Options{})
	if err != nil || strings.Join(d.Notes(), "\n") != "5 values are NaN or infinite, which JSON does not know: they are read as unknown" {
		t.Errorf("note %q, %v", strings.Join(d.Notes(), "\n"), err)
	}
	if d, err = ReadDocument("in", strings.NewReader(megaDetector), FormatJSON, Options{}); err != nil || strings.Join(d.Notes(), "\n") != "" {
		t.Errorf("note %q, %v", strings.Join(d.Notes(), "\n"), err)
	}
}

func TestDocumentMalformed(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                              "in: the text ends inside a value",
		`{}`:                             "neither MegaDetector results",
		`{"images":[],"predictions":[]}`: "neither MegaDetector results",
		`{"images":{}}`:                  "{}: want an array",
		`{"images":[3]}`:                 "images[0]: 3: want an object",
		`{"images":[]} x`:                "no JSON at byte",
		`{"images":[],"classification_categories":{"0":1}}`:                        "want a string",
		`{"images":[{"file":"a","detections":[{"classifications":[["0",NaN]]}]}]}`: "images[0].detections[0] (a): classification 0: null: want a number",
		`{"x":[NaN,Infinity,-Infinity],"images":[],}`:                              "no JSON at byte 41",
	} {
		if _, _, wrong := passDocument(t, text, FormatJSON, Options{}); len(wrong) != 1 || !strings.Contains(wrong[0], want) {
			t.Errorf("%s: %q, want %s", text, wrong, want)
		}
	}
	if _, err := ReadDocument("in", strings.NewReader(megaDetector), FormatJSON, Options{MaxDocument: 100}); err == nil {
		t.Error("a document over the limit: no error")
	}
	if _, err := ReadDocument("in", strings.NewReader(megaDetector), FormatJSON, Options{Classes: []string{"wolf"}}); err == nil {
		t.Error("a class that is no category: no error")
	}
	for list, want := range map[string]string{
		`[["0", 0.9], ["7", 0.2]]`: "scores sum to 1.1",
		`[["0", -0.9]]`:            "want 0 to 1",
		`[["0", 0.5], ["0", 0.1]]`: "listed twice",
		`[["0"]]`:                  "1 values: want a class and its score",
		`[["0", "0.9"]]`:           `"0.9": want a number`,
		`[["99", 0.9]]`:            `class "99" is none of the 3`,
		`{"0": 0.9}`:               "want an array",
	} {
		text := strings.Replace(megaDetector, `[["0", 0.75], ["7", 0.25]]`, list, 1)
		got, _, wrong := passDocument(t, text, FormatJSON, Options{})
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0], "in:6: images[0].detections[0] (cam1/img10.jpg): ") || !strings.Contains(wrong[0], want) {
			t.Errorf("%s: %q, want in:6: ... %s", list, wrong, want)
		}
		if !strings.Contains(got, `"classifications": `+list+`},`) || strings.Count(got, "raw_classifications") != 5 {
			t.Errorf("%s came out in\n%s", list, got)
		}
	}
}

// The class that stands for others never gets more than the list left to them, and less where the filter doubts it.
func TestRestore(t *testing.T) {
	space := newSpace([]int{0, 1}, 1000, 64)
	q := make([]float64, space.Len())
	if err := space.fill(q, []score{{0, 0.8}, {1, 0.1}}); err != nil {
		t.Fatal(err)
	}
	near := func(got []float64, want ...float64) bool {
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				return false
			}
		}
		return true
	}
	if got := space.Restore(nil, q, q); !near(got, 0.8, 0.1, 0.1) {
		t.Errorf("untouched: %v", got)
	}
	if got := space.Restore(nil, []float64{0.6, 0.3, 0.1}, q); !near(got, 0.6, 0.3, 0.1) {
		t.Errorf("one of many more likely: %v", got)
	}
	if got := space.Restore(nil, []float64{1 - q[2]/2, 0, q[2] / 2}, q); !near(got, 0.95, 0, 0.05) {
		t.Errorf("half as likely: %v", got)
	}
}
