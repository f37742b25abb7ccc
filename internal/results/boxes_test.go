package results

import (
	"testing"
)

// detector stands for a file with two pictures: a, with two boxes and one between them that was not classified; and b, without any.
type detector struct{}

func (detector) AppendInfo(dst []byte) []byte { return append(dst, `{"detector":"md"`...) }

func (detector) AppendCategories(dst []byte) []byte { return append(dst, `{"1":"animal"}`...) }

func (detector) Around(n int) (before, after []byte, detection bool) {
	switch n {
	case 0:
		return []byte(`{"file":"a","detections":[{"conf":0.9`), nil, true
	case 1:
		return []byte(`{"conf":0.8},{"conf":0.7`), []byte("]}"), true
	case 2:
		return []byte(`{"file":"c","failure":"x","detections":null}`), nil, false
	}
	return nil, nil, false
}

func (detector) AppendRest(dst []byte, some bool) []byte {
	if some {
		dst = append(dst, ',')
	}
	return append(dst, "\n{\"file\":\"b\",\"detections\":[]}"...)
}

func TestMegaDetectorOfBoxes(t *testing.T) {
	p := []float64{0.5, 0.3, 0.2}
	records := []Record{
		{File: "a#0", Stream: "s", Raw: p, Adapted: p, Gate: 1, Mode: "filtered"},
		{File: "a#2", Stream: "s", Failure: `a "bad" box`},
		{File: "c", Stream: "s", Failure: "x"},
		{File: "d", Failure: "a folder that is closed"},
	}
	const want = `{
"info": {"detector":"md"},
"detection_categories": {"1":"animal"},
"classification_categories": {
  "0": "fox",
  "1": "hare, brown",
  "2": "none"
},
"images": [
{"file":"a","detections":[{"conf":0.9,"classifications":[["0",0.5],["1",0.3]],"raw_classifications":[["0",0.5],["1",0.3]],"gate":1.0,"adapted_mode":"filtered"},
{"conf":0.8},{"conf":0.7,"failure":"a \"bad\" box"}]},
{"file":"c","failure":"x","detections":null},
{"file":"d","detections":null,"failure":"a folder that is closed"},
{"file":"b","detections":[]}
]
}
`
	if got := render(t, "megadetector", Options{Top: 2, Boxes: detector{}}, records); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestJSONLinesOfBoxes(t *testing.T) {
	box := &Box{Category: "animal", Conf: 0.87, BBox: [4]float64{0, 0.25, 0.5, 0.125}}
	const want = `{"file":"a#0","stream":"s","bbox":[0,0.25,0.5,0.125],"detection_category":"animal","detection_conf":0.87,"failure":"damaged"}
`
	if got := render(t, "jsonl", Options{}, []Record{{File: "a#0", Stream: "s", Box: box, Failure: "damaged"}}); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}
