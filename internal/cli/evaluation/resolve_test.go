package evaluation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var (
	stages   = []string{"N1", "N2", "N3", "R", "W"}
	words    = []string{"negative", "neutral", "positive"}
	harthSix = []string{"Walking", "Running", "Static", "Lying", "Stairs", "Cycling"}
)

// classesOf resolves labels and writes the class of each, in their order: a name, - for none.
func classesOf(t *testing.T, labels, classes []string, o Options) (string, Resolution, error) {
	t.Helper()
	r, err := Resolve(labels, classes, o)
	var out []string
	for _, label := range labels {
		name := "-"
		if class, ok := r.Class[label]; !ok && err == nil {
			t.Errorf("%v: %q was left out", labels, label)
		} else if class >= 0 {
			name = classes[class]
		}
		out = append(out, name)
	}
	return strings.Join(out, " "), r, err
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name            string
		labels, classes []string
		o               Options
		want, note      string
	}{
		{"names", []string{"deer", "FOX", " boar ", "owl"}, []string{"deer", "fox", "boar"}, Options{}, "deer fox boar -", ""},
		{"names of two", []string{"crane", "deer"}, []string{"crane", "crane", "deer"}, Options{}, "- deer", ""},
		{"names that are numbers", []string{"1", "2.0", "7"}, []string{"7", "1", "2"}, Options{}, "1 2 7", ""},
		{"words and a strange number", []string{"deer", "999"}, []string{"deer", "fox"}, Options{}, "deer -", ""},
		{"YASA", []string{"0", "1", "2", "3", "4"}, stages, Options{}, "W N1 N2 N3 R", "read as YASA's codes of sleep: 0 W, 1 N1, 2 N2, 3 N3, 4 R"},
		{"YASA as floats", []string{"4.0", "0.0", "-1.0"}, stages, Options{}, "R W -", "-1 no class, 0 W, 4 R"},
		{"NSRR", []string{"0", "4", "5", "9"}, stages, Options{}, "W N3 R -", "the codes of sleep of the NSRR: 0 W, 4 N3, 5 R, 9 no class"},
		{"stages of another name", []string{"REM", "wake", "Sleep stage 2", "N3"}, []string{"W", "N1", "N2", "N3", "R"}, Options{}, "R W N2 N3", ""},
		{"stages of letters and digits", []string{"W", "1", "2", "4", "R", "9"}, stages, Options{}, "W N1 N2 N3 R -", ""},
		{"stages of Rechtschaffen and Kales", []string{"S1", "S4", "NREM2", "awake"}, stages, Options{}, "N1 N3 N2 W", ""},
		{"stages whose classes are words", []string{"R", "W", "N1"}, []string{"Wake", "N1", "REM"}, Options{}, "REM Wake N1", ""},
		{"signs", []string{"1", "0", "-1"}, words, Options{}, "positive neutral negative", "read as signs: -1 negative, 0 neutral, 1 positive"},
		{"Sentiment140", []string{"0", "4", "2"}, words, Options{}, "negative positive neutral", "Sentiment140's codes"},
		{"Sentiment140, two classes", []string{"0", "4", "2"}, []string{"negative", "positive"}, Options{}, "negative positive -", "Sentiment140's codes"},
		{"HARTH", []string{"1", "6", "8", "130"}, harthSix, Options{}, "Walking Static Lying Cycling", "HARTH's codes: 1 Walking, 6 Static, 8 Lying, 130 Cycling"},
		{"HARTH as floats", []string{"1.0", "6.0"}, harthSix, Options{}, "Walking Static", "HARTH's codes"},
		{"positions from 0", []string{"0", "2", "1.0"}, []string{"a", "b", "c"}, Options{Positions: true}, "a c b", ""},
		{"positions from 1", []string{"1", "3"}, []string{"a", "b", "c"}, Options{Positions: true, First: 1}, "a c", ""},
		{"positions before names and codes", []string{"0", "4", "N2"}, stages, Options{Positions: true}, "N1 W N2", ""},
		{"positions before numbers that are names", []string{"1", "2"}, []string{"0", "1"}, Options{Positions: true, First: 1}, "0 1", ""},
		{"a map", []string{"0", "1", "2"}, []string{"deer", "fox"}, Options{Map: func(s string) string { return map[string]string{"0": "deer", "1": "fox"}[s] }}, "deer fox -", ""},
		{"the manifest's codes", []string{"7", "3.0", "7"}, []string{"deer", "fox"}, Options{Codes: map[string]int{"deer": 3, "fox": 7}}, "fox deer fox", "3, 7 are read as the codes of the model's manifest: 3 deer, 7 fox"},
		{"the manifest's codes before others", []string{"0", "1"}, stages, Options{Codes: map[string]int{"R": 0, "W": 1}}, "R W", "the model's manifest"},
		{"the manifest's codes after names", []string{"1", "fox"}, []string{"1", "fox"}, Options{Codes: map[string]int{"fox": 1}}, "1 fox", ""},
		{"the manifest's codes beside names", []string{"7", "deer"}, []string{"deer", "fox"}, Options{Codes: map[string]int{"fox": 7}}, "fox deer", "7 fox"},
		{"numbers that are not all the manifest's", []string{"0", "4"}, stages, Options{Codes: map[string]int{"N1": 0}}, "W R", "YASA's codes"},
		{"positions before the manifest's codes", []string{"1"}, []string{"deer", "fox"}, Options{Positions: true, Codes: map[string]int{"deer": 1}}, "fox", ""},
		{"nothing", []string{""}, []string{"deer"}, Options{}, "-", ""},
	} {
		got, r, err := classesOf(t, c.labels, c.classes, c.o)
		if err != nil || got != c.want || !strings.Contains(r.Note, c.note) || c.note == "" && r.Note != "" {
			t.Errorf("%s: %s, note %q, %v; want %s, %q", c.name, got, r.Note, err, c.want, c.note)
		}
	}
}

// What numbers mean is not guessed: the message has the choices that fit, and no others.
func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct {
		labels, classes []string
		o               Options
		want            string
	}{
		{[]string{"0", "1"}, []string{"deer", "fox"}, Options{}, "0, 1, and the classes are deer, fox: --label-index 0 takes them for positions of classes, counted from 0, --label-map FILE names them"},
		{[]string{"1", "2"}, []string{"deer", "fox"}, Options{}, "1, 2, and the classes are deer, fox: --label-index 1 for positions counted from 1, --label-map"},
		{[]string{"1"}, []string{"deer", "fox"}, Options{}, "counted from 0, --label-index 1 for positions counted from 1, --label-map"},
		{[]string{"7", "8"}, []string{"deer", "fox"}, Options{Codes: map[string]int{"deer": 7}}, "7, 8, and the classes are deer, fox: --label-map FILE names them"},
		{[]string{"7"}, []string{"deer", "fox"}, Options{}, "7, and the classes are deer, fox: --label-map FILE names them"},
		{[]string{"0", "1"}, words, Options{}, "counted from 0"},
		{[]string{"0"}, words, Options{}, "counted from 0"},
		{[]string{"0", "2"}, words, Options{}, "counted from 0"},
		{[]string{"1", "2", "3", "4", "5"}, stages, Options{}, "--label-index 1 for positions counted from 1"},
		{[]string{"0", "1", "7"}, harthSix, Options{}, "--label-map"},
		{[]string{"1", "2", "3"}, []string{"0", "1", "2"}, Options{}, "3, and the classes are 0, 1, 2: --label-index 1 for"},
		{[]string{"4"}, words, Options{alone: true}, "4, and"},
	} {
		if got, _, err := classesOf(t, c.labels, c.classes, c.o); !errors.Is(err, ErrNumbers) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of %v: %s, %v, want %s", c.labels, c.classes, got, err, c.want)
		}
	}
	if _, err := Resolve([]string{"0", "5"}, stages, Options{Positions: true}); err == nil || !strings.Contains(err.Error(), "the labels 0, 5 are not all positions from 0 to 4") {
		t.Errorf("a position too far: %v", err)
	}
}

// Labels that come one by one are resolved as if they had come together, where somebody knows them all, and refused where nobody does.
func TestLabels(t *testing.T) {
	input, asked := []string{"0", "4", "0", "-1"}, 0
	all := func() ([]string, error) { asked++; return []string{"0", "4", "-1"}, nil }
	for _, r := range []*Labels{NewLabels(stages, Options{}, all), NewLabels(stages, Options{}, nil)} {
		if asked > 0 {
			if err := r.Decide(input); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, label := range input {
			class, err := r.Of(label)
			got = append(got, fmt.Sprint(class, err))
		}
		if want := []string{"4 <nil>", "3 <nil>", "4 <nil>", "-1 <nil>"}; !slices.Equal(got, want) || r.Note() == "" || r.Met() != 3 {
			t.Errorf("%v, note %q, %d met", got, r.Note(), r.Met())
		}
		if asked != 1 || !slices.Equal(r.Unknown(), []string{`"-1"`}) {
			t.Errorf("asked %d times, unknown %v", asked, r.Unknown())
		}
	}
	pipe := NewLabels([]string{"deer", "fox"}, Options{}, nil)
	if _, err := pipe.Of("1"); !errors.Is(err, ErrNumbers) {
		t.Errorf("a number of a pipe: %v", err)
	}
	if class, err := pipe.Of("fox"); class != 1 || err != nil {
		t.Errorf("a name of a pipe: %d, %v", class, err)
	}
	if class, err := pipe.Of("1"); class != -1 || err != nil {
		t.Errorf("a number among names: %d, %v", class, err)
	}
	failing := NewLabels(stages, Options{}, func() ([]string, error) { return nil, errors.New("gone") })
	if _, err := failing.Of("1"); err == nil {
		t.Error("labels that cannot be read: no error")
	}
}

// Whatever the labels, each gets a class or all are refused, and their order decides nothing.
func FuzzResolve(f *testing.F) {
	f.Add("0,1,2", "W,N1,N2,N3,R", false)
	f.Add("-1,0,1.0,x", "negative,positive", true)
	f.Add("1e3,0x1,+1,NaN,Inf", "1,2,1", false)
	f.Fuzz(func(t *testing.T, labels, classes string, positions bool) {
		l, c := strings.Split(labels, ","), strings.Split(classes, ",")
		r, err := Resolve(l, c, Options{Positions: positions})
		slices.Reverse(l)
		again, other := Resolve(l, c, Options{Positions: positions})
		if (err == nil) != (other == nil) {
			t.Fatalf("%v, and %v in another order", err, other)
		}
		if err != nil {
			return
		}
		for _, label := range l {
			class, ok := r.Class[label]
			if !ok || class < -1 || class >= len(c) || again.Class[label] != class {
				t.Errorf("%q: %d, %d in another order", label, class, again.Class[label])
			}
		}
	})
}
