package items

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Manifest is what an output says of how it came about, as far as a reader wants it: of run and eval, or of filter.
type Manifest struct {
	Program, Command string
	Inputs           []string // names without folders
	What             string   // an item is called: picture, crop, epoch, window, post; "": not told
	Model            string
	Classes          []string
	Mode             string
	Started          time.Time
	Finished         time.Time
	Complete         bool
	Partial          bool // it is the part of the manifest that a document carries
	Warnings         []string
	Period           float64 // seconds from one window to the next; 0: not told
	Items            int     // that there should be; 0: not told
	Unpredicted      int     // of filter: items without a prediction

	Facts []Fact // all else, flat, in order; without folders of the machine, and without learned transitions

	// Transitions of other streams, from the class of the row to that of the column, if the filter was given any.
	Transitions [][]float64
}

// Fact is one setting.
type Fact struct{ Name, Value string }

// ManifestPath is where the manifest of an output lies.
func ManifestPath(output string) string { return output + ".manifest.json" }

// maxManifest bounds what is read for a manifest.
const maxManifest = 64 << 20

// readManifest returns nil and no error if there is none.
func readManifest(output string) (*Manifest, error) {
	name := ManifestPath(output)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (info.Size() > maxManifest || !info.Mode().IsRegular()) {
		err = errors.New("it is no file of a manifest's size")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// raw is both kinds of manifests.
type raw struct {
	Program  string         `json:"program"`
	Command  string         `json:"command"`
	Input    jsontext.Value `json:"input"`
	What     string         `json:"what"`
	Items    int            `json:"items"`
	Classes  []string       `json:"classes"`
	Mode     string         `json:"mode"`
	Settings *raw           `json:"settings"`
	Started  string         `json:"started"`
	Finished string         `json:"finished"`
	Complete bool           `json:"complete"`
	Warnings []string       `json:"warnings"`
	Model    struct {
		Name string `json:"name"`
	} `json:"model"`
	Prepare struct {
		Hop, Rate float64
	} `json:"preprocessing"`
	Filter struct {
		Population *struct {
			Transitions [][]float64 `json:"transitions"`
		} `json:"population"`
	} `json:"filter"`
	Summary struct {
		Unpredicted int `json:"unpredicted"`
	} `json:"summary"`
}

func parseManifest(data []byte) (*Manifest, error) {
	var all raw
	if err := json.Unmarshal(data, &all, lenient); err != nil {
		return nil, shortened(err)
	}
	s := &all
	if all.Settings != nil {
		s = all.Settings
	}
	if s.Program == "" || s.Command == "" {
		return nil, errors.New("it does not say what program wrote it: it is no manifest")
	}
	m := &Manifest{
		Program: s.Program, Command: s.Command, What: s.What, Model: s.Model.Name, Classes: s.Classes, Mode: s.Mode, Items: s.Items,
		Complete: all.Complete, Warnings: all.Warnings, Unpredicted: all.Summary.Unpredicted,
		Started: stamp(all.Started), Finished: stamp(all.Finished),
	}
	if p := s.Prepare; p.Hop > 0 && p.Rate > 0 {
		m.Period = p.Hop / p.Rate
	}
	var one string
	if json.Unmarshal(s.Input, &m.Inputs) != nil && json.Unmarshal(s.Input, &one) == nil {
		m.Inputs = []string{one}
	}
	for i := range m.Inputs {
		m.Inputs[i] = base(m.Inputs[i])
	}
	if p := s.Filter.Population; p != nil {
		m.Transitions = p.Transitions
	}
	var err error
	m.Facts, err = facts(data)
	return m, err
}

func stamp(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// base is a path's last part, whichever system wrote it.
func base(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }

// folders are the facts that tell where something lies on the machine.
var folders = []string{"input", "engine.library"}

// silent are the facts that can tell a routine, or that have a place of their own.
var silent = []string{"filter.population.transitions", "filter.population.frequencies", "classes", "warnings"}

// facts flattens a manifest.
func facts(data []byte) (out []Fact, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(data), lenient)
	err = flatten(d, "", &out)
	return out, err
}

// flatten adds the members of the value that comes, objects by their parts, lists of plain values on a line.
func flatten(d *jsontext.Decoder, name string, out *[]Fact) error {
	if d.PeekKind() != '{' {
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		if key := strings.TrimPrefix(name, "settings."); !slices.Contains(silent, key) {
			*out = append(*out, Fact{key, plainly(key, v)})
		}
		return nil
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return err
		}
		child := t.String()
		if name != "" {
			child = name + "." + child
		}
		if err := flatten(d, child, out); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// plainly is a value for people.
func plainly(name string, v jsontext.Value) string {
	var texts []text
	if v.Kind() == '[' && json.Unmarshal(v, &texts, lenient) == nil {
		words := make([]string, len(texts))
		for i, t := range texts {
			words[i] = where(name, string(t))
		}
		return strings.Join(words, ", ")
	}
	return where(name, string(asText(v)))
}

func where(name, value string) string {
	if slices.Contains(folders, name) {
		return base(value)
	}
	return value
}
