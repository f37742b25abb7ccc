package report

import (
	"encoding/json"
	"time"
)

// Section is what a study found out. Texts are plain: no writer takes them for markup.
type Section struct {
	ID      string          `json:"id"` // unique in a report, of a-z, 0-9 and -
	Title   string          `json:"title"`
	Intro   []string        `json:"intro,omitempty"`   // paragraphs before the tables: what was done
	Missing []string        `json:"missing,omitempty"` // what could not be measured, why, and how it could be
	Tables  []Table         `json:"tables,omitempty"`
	Figures []Figure        `json:"figures,omitempty"`
	Notes   []string        `json:"notes,omitempty"` // paragraphs behind them: where the setting is not the paper's
	Made    Made            `json:"made"`
	Details json.RawMessage `json:"details,omitempty"` // all that was measured, in the study's own form; nil: the tables have it all
}

// Figure is a drawing and the numbers in it.
type Figure struct {
	ID      string `json:"id"` // unique in its section
	Caption string `json:"caption"`
	Alt     string `json:"alt"` // what is to be seen, for who does not see it
	SVG     []byte `json:"svg"` // a whole document
	Data    Table  `json:"data"`
}

// Made says where numbers come from.
type Made struct {
	Command  string            `json:"command,omitempty"`  // as it is typed
	Settings string            `json:"settings,omitempty"` // hash of the value of every flag
	Seeds    string            `json:"seeds,omitempty"`    // such as "0 to 9", or of what
	Models   map[string]string `json:"models,omitempty"`   // name to SHA-256 of its bytes
	Versions map[string]string `json:"versions,omitempty"` // of the program and the libraries that numbers depend on
	Machine  string            `json:"machine,omitempty"`
	Began    time.Time         `json:"began,omitzero"`
	Took     time.Duration     `json:"took_ns,omitempty"`
}
