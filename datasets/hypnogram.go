package datasets

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/datasets/internal/message"
)

// ReadHypnograms reads every *.edf of a gzipped tar archive as a stream of stages W, N1, N2, N3, R, one for each epoch of 30 seconds.
// Unscored epochs are left out, and so is wake more than 30 minutes away from sleep.
func ReadHypnograms(name string) ([]Sequence, error) {
	var out []Sequence
	err := eachInTar(name, func(entry string, r io.Reader) error {
		base := path.Base(entry)
		if !strings.EqualFold(path.Ext(base), ".edf") {
			return nil
		}
		stages, err := readStages(base, r)
		out = append(out, Sequence{Stream: strings.TrimSuffix(base, path.Ext(base)), Labels: stages})
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("datasets: %s: no hypnogram", message.Show(filepath.Base(name)))
	}
	return out, err
}

// readStages returns the stages of one file that are scored and not far from sleep.
func readStages(name string, r io.Reader) (out []string, _ error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	f, err := edf.Open(name, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	h, err := hypnogram.Read(f)
	if err != nil {
		return nil, err
	}
	from, to := hypnogram.Trim(h.Stages, hypnogram.TrimEpochs)
	for _, stage := range h.Stages[from:to] {
		if stage != hypnogram.Unscored {
			out = append(out, stage.String())
		}
	}
	return out, nil
}
