package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/models"
)

// Scores is what scores.json has.
type Scores struct {
	DataSHA256 string   `json:"data_sha256"`
	Split      *Split   `json:"split"`
	Best       Best     `json:"best"`
	Learned    *Learned `json:"learned"`
}

// WriteModel writes a finished model into the folder of its run: NAME.onnx with its manifest, which is given but for what training finds, a page
// about it, its scores and the curves of its training. The manifest comes last: a folder that has it is complete.
func WriteModel(folder string, data []byte, d *Data, s *Split, o *Outcome, l *Learned, m models.Manifest, c Card, hash string) (models.Manifest, error) {
	sum := sha256.Sum256(data)
	m.SHA256, m.Prior, m.Transitions, m.Temperature = hex.EncodeToString(sum[:]), l.Prior, l.Transitions, l.Temperature
	if g := m.Signal; g != nil && m.Transitions != nil && m.Transitions.Rhythm == 0 { // recordings without a date have windows without times
		m.Transitions.Rhythm = float64(g.Hop) / g.Rate
	}
	curves, err := Curves(m.Name, o.Rows)
	if err != nil {
		return m, fmt.Errorf("training: %w", err)
	}
	scored, err := json.MarshalIndent(Scores{hash, s, o.Best, l}, "", "  ")
	if err != nil {
		return m, fmt.Errorf("training: %w", err)
	}
	var page, manifest bytes.Buffer
	if err := m.Write(&manifest); err != nil {
		return m, err
	}
	c.write(&page, d, s, o, l, m, hash)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{curvesName, curves},
		{"scores.json", append(scored, '\n')},
		{"README.md", page.Bytes()},
		{m.Name + ".onnx", data},
		{m.Name + ".json", manifest.Bytes()},
	} {
		if err := replace.Bytes(filepath.Join(folder, f.name), f.data); err != nil {
			return m, err
		}
	}
	return m, nil
}
