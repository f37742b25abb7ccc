package predictions

import (
	"slices"
	"strings"
)

// SpeciesNet's predictions are those of an ensemble: its detector, its classifier, a list of where species live (geofence) and the rule to say
// a genus or a class where the species is not certain (rollup). What of that is not the classifier's alone is not the filter's to change.

// classifierAlone is the source of a prediction that is the classifier's best class.
const classifierAlone = "classifier"

// decided are the last words of labels that are decisions and no taxa.
var decided = []string{"blank", "human", "vehicle", "animal", "unknown", "no cv result"}

// byDetector tells whether the detector's word went over that of the classifier, as for people and vehicles.
func (e *entry) byDetector() bool { return strings.HasPrefix(e.source, "detector") }

// kept tells whether the label of the ensemble stays whatever the filter says: a decision, or a taxon that the geofence or the rollup chose.
func (e *entry) kept() bool {
	if e.prediction == "" {
		return false
	}
	words := strings.Split(e.prediction, ";")
	return e.source != "" && e.source != classifierAlone || slices.Contains(decided, words[len(words)-1])
}

// allow notes in the space of a stream what labels the ensemble gave there by its classifier alone: the filter chooses among these. What it never
// gave, the geofence may forbid.
func (d *Document) allow(space *Space, entries []entry) {
	for i := range entries {
		e := &entries[i]
		if e.prediction == "" {
			continue
		}
		if space.allowed == nil {
			space.allowed = make([]bool, len(space.Classes))
		}
		if k, ok := space.place[d.classOf(e.prediction)]; ok && !e.kept() {
			space.allowed[k] = true
		}
	}
}

// Label returns the label that item i has by some probabilities, raw or restored: that of the most probable class that has a name and that the
// ensemble allows, or what the ensemble said. path is the class of a path that goes before the most probable one, if it is allowed; -1: there
// is none. class is the label's in the document; -1 if it is none of those.
func (d *Document) Label(i int, probs []float64, path int) (label string, class int) {
	e := &d.entries[i]
	if e.kept() {
		return e.prediction, d.classOf(e.prediction)
	}
	best := -1
	for k := range e.space.Classes {
		if e.mayBe(k) && (best < 0 || probs[k] > probs[best]) {
			best = k
		}
	}
	if path >= 0 && path < len(e.space.Classes) && e.mayBe(path) {
		best = path
	}
	if best < 0 { // an ensemble's label that its classifier's lists do not have
		return e.prediction, d.classOf(e.prediction)
	}
	class = e.space.Classes[best]
	return d.classes[class], class
}

// Before returns the label that item i came with: the ensemble's where there is one, else that of the most probable class.
func (d *Document) Before(i int, probs []float64) (label string, class int) {
	if e := &d.entries[i]; e.prediction != "" {
		return e.prediction, d.classOf(e.prediction)
	}
	return d.Label(i, probs, -1)
}

func (e *entry) mayBe(k int) bool {
	return e.space.allowed == nil || e.prediction == "" || e.space.allowed[k]
}

// classOf returns the class of a name, -1 if it is none of the document's.
func (d *Document) classOf(name string) int {
	if class, ok := d.index[name]; ok {
		return class
	}
	return -1
}
