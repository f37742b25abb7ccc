package runs

import (
	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/models"
)

// Filter is the filter of a run of a model, as its manifest says: its prior, its temperature, and the transitions of its classes.
func Filter(m models.Manifest) (s adapt.Settings, err error) {
	s = adapt.Settings{Prior: m.Prior}
	if m.Temperature != 0 && m.Temperature != 1 {
		s = s.Calibrated(m.Temperature)
	}
	if m.Transitions != nil {
		s.Population, err = m.Transitions.For(m.Labels)
	}
	return s, err
}
