package results

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Format turns records into bytes. Every method appends to dst and returns it. Records are numbered from 0; a format keeps no
// state between calls.
type Format interface {
	Header(dst []byte) ([]byte, error)
	Record(dst []byte, n int, r *Record) ([]byte, error)
	Footer(dst []byte, n int) ([]byte, error)
}

// Options says what the formats need to know beside the records.
type Options struct {
	Labels  []string // names of the classes
	Vectors bool     // write both full probability vectors; JSON lines and CSV
	Quoted  bool     // CSV: a cell that a spreadsheet would take for a formula begins with an apostrophe
	Pieces  bool     // items are pieces of recordings: CSV gets columns for offset and duration, the table shows offsets
	Top     int      // classes that MegaDetector classifications list; 0 means 5
	Info    any      // the run's manifest, for the "info" of MegaDetector JSON; may be nil
	Boxes   Boxes    // of the detector whose boxes are the items, for MegaDetector JSON; nil: the items are whole pictures
	Files   []string // names that will come, to size the table's columns; may be nil
}

// Names lists the formats.
func Names() []string { return []string{"jsonl", "csv", "megadetector", "table"} }

// New returns the format of a name.
func New(name string, o Options) (Format, error) {
	if o.Top == 0 {
		o.Top = 5
	}
	if o.Top < 0 {
		return nil, fmt.Errorf("results: top %d: want at least 1", o.Top)
	}
	switch name {
	case "jsonl":
		return jsonLines{o}, nil
	case "csv":
		return commaSeparated{o}, nil
	case "megadetector":
		return megaDetector{o}, nil
	case "table":
		return newTable(o), nil
	}
	return nil, fmt.Errorf("results: format %q: want one of %s", name, strings.Join(Names(), ", "))
}

// byEnding maps the endings of output files to formats.
var byEnding = map[string]string{
	".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".json": "megadetector", ".txt": "table",
}

// FromPath returns the name of the format that the ending of a file chooses.
func FromPath(path string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if name, ok := byEnding[ending]; ok {
		return name, nil
	}
	endings := make([]string, 0, len(byEnding))
	for e := range byEnding {
		endings = append(endings, e)
	}
	slices.Sort(endings)
	return "", fmt.Errorf("results: %s: no format for the ending %q: want one of %s, or --format", path, ending, strings.Join(endings, " "))
}

// six is a number that is written with six significant digits: enough for a probability that somebody reads. Full vectors are
// written exactly.
type six float64

func (v six) MarshalJSON() ([]byte, error) { return v.append(nil), nil }

func (v six) append(dst []byte) []byte { return strconv.AppendFloat(dst, float64(v), 'g', 6, 64) }
