package datasets

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/table"
)

// labelSet is what observations say of one picture: nothing, one label, or several.
type labelSet struct {
	label   string
	some    bool // at least one observation
	several bool
	machine bool // a machine classified it
}

// add takes one more observation. Two of one species are one label: a count is not asked for.
func (s *labelSet) add(label string, machine bool) {
	s.several = s.several || s.some && s.label != label
	s.label, s.some, s.machine = label, true, s.machine || machine
}

// event is an observation about all pictures of a deployment in a stretch of time, both ends included.
type event struct {
	start, end time.Time
	latest     time.Time // latest end of this and all earlier events, in order of start
	label      string
	machine    bool
}

// readObservations reads what the pictures show, at the level of media or of events.
func (c *camtrapReader) readObservations(name string, r io.Reader) error {
	columns := []string{
		"observationType", "scientificName", "mediaID", "deploymentID",
		"eventStart", "eventEnd", "observationLevel", "classificationMethod",
	}
	return c.eachRow(name, r, 4, columns, func(t *table.Reader, v []string) {
		label, ok := observedLabel(v[0], v[1])
		if !ok {
			return
		}
		machine := v[7] == "machine"
		if v[6] == "media" || v[6] == "" && v[2] != "" {
			if i, ok := c.byMedia[v[2]]; ok {
				c.labels[i].add(label, machine)
			}
			return
		}
		start, _, ok1 := parseTime(v[4], c.fields.TimeLayout)
		end, _, ok2 := parseTime(v[5], c.fields.TimeLayout)
		if !ok1 || !ok2 {
			c.md.badTimes.add(fmt.Sprintf("event (%s)", t.Place()))
			return
		}
		c.events[v[3]] = append(c.events[v[3]], event{start: start, end: end, label: label, machine: machine})
	})
}

// observedLabel returns the label of an observation, "" for something that could not be told, and false for what nobody has looked at.
func observedLabel(kind, species string) (string, bool) {
	switch kind {
	case "animal":
		if species != "" {
			return species, true
		}
		return kind, true
	case "human", "vehicle", "blank":
		return kind, true
	case "unknown":
		return "", true
	}
	return "", false // unclassified
}

// finish turns observations into labels. What is said of a picture itself counts before what is said of its event.
func (c *camtrapReader) finish(name string) {
	for _, events := range c.events {
		sortEvents(events)
	}
	for i := range c.md.records {
		rec, set := &c.md.records[i], c.labels[i]
		if !set.some && !rec.time.IsZero() {
			set = eventLabels(c.events[c.deployment[i]], rec.time)
		}
		switch {
		case set.several:
			c.md.ambiguous.add(rec.file)
		case set.label != "":
			rec.label = set.label
			if set.machine {
				c.machine.add(rec.file)
			}
		}
	}
	if c.machine.n > 0 {
		c.md.warnings = append(c.md.warnings,
			fmt.Sprintf("%s: %s with a label that a machine gave: %s", message.Show(name), message.Count(c.machine.n, "picture"), c.machine.String()))
	}
}

// sortEvents orders events by their start, and notes for each how late any event so far ends, so that a look-up can stop early.
func sortEvents(events []event) {
	slices.SortStableFunc(events, func(a, b event) int { return a.start.Compare(b.start) })
	var latest time.Time
	for i := range events {
		if events[i].end.After(latest) {
			latest = events[i].end
		}
		events[i].latest = latest
	}
}

// eventLabels returns what the events at a time say.
func eventLabels(events []event, at time.Time) (set labelSet) {
	n, _ := slices.BinarySearchFunc(events, at, func(e event, at time.Time) int {
		if e.start.After(at) {
			return 1
		}
		return -1
	})
	for i := n - 1; i >= 0 && !events[i].latest.Before(at); i-- {
		if !events[i].end.Before(at) {
			set.add(events[i].label, events[i].machine)
		}
	}
	return set
}
