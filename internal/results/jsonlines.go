package results

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// jsonLines writes one object a line. Its fields are those that `oatta filter` reads and writes.
type jsonLines struct{ Options }

type line struct {
	File         string    `json:"file"`
	Stream       string    `json:"stream"`
	Time         string    `json:"time,omitempty"`
	Offset       *float64  `json:"offset,omitempty"`   // seconds from the recording's beginning
	Duration     float64   `json:"duration,omitempty"` // seconds
	BBox         []float64 `json:"bbox,omitempty"`     // x, y, width, height in shares of the picture
	Detected     string    `json:"detection_category,omitempty"`
	Conf         *float64  `json:"detection_conf,omitempty"`
	Label        *string   `json:"label,omitempty"`
	Prob         *six      `json:"prob,omitempty"`
	AdaptedLabel *string   `json:"adapted_label,omitempty"`
	AdaptedProb  *six      `json:"adapted_prob,omitempty"`
	Gate         *six      `json:"gate,omitempty"`
	Mode         string    `json:"adapted_mode,omitempty"`
	Classes      []string  `json:"classes,omitempty"` // of the vectors, in the first line
	Probs        []float64 `json:"probs,omitempty"`
	Adapted      []float64 `json:"adapted,omitempty"`
	Failure      string    `json:"failure,omitempty"`
}

func (f jsonLines) Header(dst []byte) ([]byte, error) { return dst, nil }

func (f jsonLines) Footer(dst []byte, _ int) ([]byte, error) { return dst, nil }

func (f jsonLines) Record(dst []byte, n int, r *Record) ([]byte, error) {
	l := line{File: r.File, Stream: r.Stream, Time: r.TimeString(), Failure: r.Failure}
	if r.Piece() {
		l.Offset, l.Duration = &r.Offset, r.Duration
	}
	if r.Box != nil {
		l.BBox, l.Detected, l.Conf = r.Box.BBox[:], r.Box.Category, &r.Box.Conf
	}
	if n == 0 && f.Vectors {
		l.Classes = f.Labels
	}
	if !r.Failed() {
		raw, p := Top(r.Raw)
		adapted, a := r.Label()
		prob, adaptedProb, gate := six(p), six(a), six(r.Gate)
		l.Label, l.Prob = &f.Labels[raw], &prob
		l.AdaptedLabel, l.AdaptedProb, l.Gate, l.Mode = &f.Labels[adapted], &adaptedProb, &gate, r.Mode
		if f.Vectors {
			l.Probs, l.Adapted = r.Raw, r.Adapted
		}
	}
	return appendJSON(dst, l)
}

// appendJSON appends v and a line feed, with <, > and & as they are: file names are not HTML.
func appendJSON(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, fmt.Errorf("results: %w", err)
	}
	return buf.Bytes(), nil
}
