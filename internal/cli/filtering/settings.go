package filtering

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/files"
)

// SettingsOf reads the settings of the filter from --settings, else from the flags; a prior and a temperature that no flag gives are the
// model's.
func SettingsOf(c *cli.Context, prior []float64, temperature float64) (adapt.Settings, error) {
	file := c.String("settings")
	if file == "" {
		return filterSettings(c, prior, temperature)
	}
	for _, f := range filterFlags() {
		if name := f.Names()[0]; c.IsSet(name) && name != "transitions" && name != "settings" {
			return adapt.Settings{}, fmt.Errorf("--settings and --%s: want one or the other", name)
		}
	}
	data, err := files.ReadBounded(file, maxSettings)
	if err != nil {
		return adapt.Settings{}, err
	}
	s, err := parseSettings(data)
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// maxSettings bounds the bytes of a file of settings, which can hold a matrix of other streams, and maxNumbers those of a file of numbers.
const (
	maxSettings = 64 << 20
	maxNumbers  = 4 << 20
)

// parseSettings reads JSON of [adapt.Settings]. What is not named keeps its default; what is misspelt is an error, and so is a section that
// the gate does not read.
func parseSettings(data []byte) (adapt.Settings, error) {
	p := adapt.DefaultPaper()
	s := adapt.Settings{Paper: &p}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return s, errors.New("there is more text behind the settings")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return s, err
	}
	auto := s.Gate == "" || s.Gate == adapt.GateAuto
	if _, ok := given["paper"]; ok && auto {
		return s, errors.New("paper holds settings of the gates off, ewma and window, and the gate is auto")
	}
	if _, ok := given["auto"]; ok && !auto {
		return s, fmt.Errorf("auto holds settings of the gate auto, and the gate is %s", s.Gate)
	}
	return s, nil
}
