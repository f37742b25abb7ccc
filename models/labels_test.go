package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseNames(t *testing.T) {
	for text, want := range map[string][]string{
		`{0: 'cat', 1: 'dog'}`:                         {"cat", "dog"},
		`{1: 'dog', 0: 'cat'}`:                         {"cat", "dog"},
		`{0: "bird's nest", 1: 'a "b"', 2: 'it\'s',}`:  {"bird's nest", `a "b"`, "it's"},
		`{0: 'a, b: c}', 1: '\xe9\u00e9\U0001f98a\\'}`: {"a, b: c}", "éé🦊\\"},
		`{"0": "cat", "1": "\ud83e\udd8a\/"}`:          {"cat", "🦊/"},
		"[\n 'cat',\t\"dog\" ]":                        {"cat", "dog"},
		`('cat', 'dog',)`:                              {"cat", "dog"},
		`[]`:                                           {},
		`{}`:                                           {},
	} {
		got, err := parseNames(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestParseNamesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                       "want a dictionary or a list",
		`cat`:                    "want a dictionary or a list",
		`{0: 'cat'`:              "want , or }",
		`{0: 'cat' 1: 'dog'}`:    "want , or }",
		`{0 'cat'}`:              "want a colon",
		`{0: cat}`:               "want a name in quotes",
		`{0: 'cat}`:              "no closing quote",
		`{0: 'cat\`:              "ends in a backslash",
		`{0: '\q'}`:              `unknown escape \q`,
		`{0: '\u12'}`:            "bad escape",
		`{0: '\u1`:               "cut off",
		`{0: '\ud83e x'}`:        "surrogate",
		`{0: '\ud83e\u0041'}`:    "surrogate",
		`{0: '\UFFFFFFFF'}`:      "bad escape",
		`{1: 'cat', 2: 'dog'}`:   "not 0 to 1",
		`{0: 'cat', 0: 'dog'}`:   "not 0 to 1",
		`{-1: 'cat'}`:            "number of a class",
		`{'a': 'cat'}`:           "number of a class",
		`{99999999999999999: 1}`: "want",
		`['cat'] and more`:       "something follows",
		`['cat', 'dog')`:         "want , or ]",
		`[['cat']]`:              "want a name in quotes",
	} {
		if got, err := parseNames(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v, want an error with %q", text, got, err, want)
		}
	}
}

func TestMetadataLabels(t *testing.T) {
	for _, c := range []struct {
		key, text string
		classes   int
		want      string
	}{
		{"names", "{0: 'cat', 1: 'dog'}", 2, "[cat dog] names []"},
		{"classes", `["cat", "dog"]`, 0, "[cat dog] classes []"},
		{"labels", "cat\ndog\n", 2, "[cat dog] labels []"},
		{"label_names", "cat, dog", 2, "[cat dog] label_names []"},
		{"model_info labels", "red_fox dog", 2, "[red_fox dog] model_info labels []"},
		{"other", "cat, dog", 2, "[]  []"},
		{"names", "{0: 'cat', 1: 'dog'}", 3, `[]  [labels: the model's metadata "names" were not used: 2 names for 3 classes]`},
		{"names", "cat", 2, `[]  [labels: the model's metadata "names" were not used: "cat" is no list of names]`},
	} {
		labels, key, notes := metadataLabels(map[string]string{c.key: c.text}, c.classes)
		if got := fmt.Sprint(labels, " ", key, " ", notes); got != c.want {
			t.Errorf("%s=%q: got %s, want %s", c.key, c.text, got, c.want)
		}
	}
}

func TestTidyLabels(t *testing.T) {
	got, notes := tidyLabels([]string{"crane", "crane", " a\tb ", "", "crane (2)", "\xffx"})
	want := []string{"crane", "crane (2)", "a b", "class_3", "crane (2) (2)", "?x"}
	if !slices.Equal(got, want) || len(notes) != 5 {
		t.Errorf("got %q and %d notes: %q", got, len(notes), notes)
	}
	if err := checkLabels(got); err != nil {
		t.Error(err)
	}
	if _, notes := tidyLabels(make([]string, 1000)); len(notes) != 11 || !strings.Contains(notes[10], "990 more") {
		t.Errorf("%d notes, the last %q", len(notes), notes[len(notes)-1])
	}
}

func TestImageNetLabels(t *testing.T) {
	labels := imageNetLabels()
	if len(labels) != 1000 || labels[0] != "tench" || labels[134] != "crane bird" || labels[517] != "crane" || labels[999] != "toilet tissue" {
		t.Errorf("%d labels, from %q to %q", len(labels), labels[0], labels[len(labels)-1])
	}
	if err := checkLabels(labels); err != nil {
		t.Error(err)
	}
}

// FuzzParseNames: whatever is read has as many names as commas allow, and reading never panics.
func FuzzParseNames(f *testing.F) {
	for _, s := range []string{
		`{0: 'cat', 1: "bird's nest"}`, `["cat", "\ud83e\udd8a"]`, `('a',)`, `{"1": "b", "0": "a"}`, `{0: '\x41\U0001f98a'}`, `{`, `['`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names, err := parseNames(text)
		if err != nil {
			return
		}
		if len(names) > strings.Count(text, ",")+1 {
			t.Fatalf("%d names from %q", len(names), text)
		}
		tidy, _ := tidyLabels(names)
		if len(tidy) >= 2 {
			if err := checkLabels(tidy); err != nil {
				t.Fatalf("%q: tidied to %q: %v", text, tidy, err)
			}
		}
	})
}

// FuzzReadManifest: a manifest that was read can be written, and reads back the same.
func FuzzReadManifest(f *testing.F) {
	f.Add([]byte(minimal))
	for _, name := range embeddedNames() {
		data, err := embeddedFile(name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(strings.Replace(minimal, `"output"`, `"prior": [0.25, 0.75], "temperature": 1.5, "output"`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := read(string(data))
		if err != nil {
			return
		}
		var first, second strings.Builder
		if err := m.Write(&first); err != nil {
			t.Fatalf("writing what was read: %v", err)
		}
		back, err := read(first.String())
		if err != nil {
			t.Fatalf("reading what was written: %v\n%s", err, &first)
		}
		back.Prior, m.Prior = nil, nil // dividing by a sum of nearly 1 a second time may change a last digit
		if err := back.Write(&second); err != nil {
			t.Fatal(err)
		}
		first.Reset()
		if err := m.Write(&first); err != nil || first.String() != second.String() {
			t.Fatalf("changed from\n%s\nto\n%s", &first, &second)
		}
	})
}
