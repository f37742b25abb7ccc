package movement

import (
	"errors"
	"regexp"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/runs"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// study is a network and the windows of some people.
type study struct {
	model  *models.Model
	input  *inputs.Motion
	filter adapt.Settings
	runs   runs.Runs

	order  []int    // windows of the people by their number in the input, stream after stream
	truth  []int    // of each window of the input; -1: it is not scored
	person []string // of each window of the input
}

// choose takes the windows of some people.
func (s *study) choose(people *regexp.Regexp) error {
	items := s.input.Items()
	s.truth, s.person = make([]int, len(items)), make([]string, len(items))
	labels := 0
	for i, item := range items {
		s.truth[i] = slices.Index(s.model.Manifest.Labels, s.input.Label(i))
		if m := people.FindStringSubmatch(item.Stream); m != nil {
			s.person[i], s.order = m[1], append(s.order, i)
			if s.truth[i] >= 0 {
				labels++
			}
		}
	}
	if labels == 0 {
		return errors.New("no window of those people has a label of the network's")
	}
	return nil
}

// shuffled is the order with the windows of each recording among themselves in another one.
func (s *study) shuffled(seed uint64) []int { return runs.Shuffled(s.input.Items(), s.order, seed) }
