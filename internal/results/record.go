package results

import "time"

// Record is the result for one item: a prediction before and after the filter, or the reason why there is none.
type Record struct {
	File   string    // slash-separated, relative to the root of the run
	Stream string    // the stream that it belongs to
	Time   time.Time // capture time; zero: unknown
	Zoned  bool      // Time has a UTC offset; otherwise it is wall-clock time

	// Where the item lies in a recording, in seconds from its beginning. A duration of 0 says that it is no piece of one.
	Offset, Duration float64

	// Box is the part of the picture that was classified, where a detector found it; nil: all of it.
	Box *Box

	Raw, Adapted []float64 // probabilities [classes] before and after the filter; nil after a failure
	Gate         float64   // share of the adapted vector that owes itself to order, 0 to 1
	Mode         string    // how much of the stream the filter knew: filtered (its past), lagged or smoothed; or [ModeKnown]
	Path         int       // 1 + the class on the most probable path through the stream (Viterbi), which is the label then; 0: there is none
	Failure      string    // why the item has no result; "" if it has
}

// Box is a detection.
type Box struct {
	Category string
	Conf     float64
	BBox     [4]float64 // x, y, width, height in shares of the picture, from its upper left corner
}

// ModeKnown is the mode of an item whose label was known for certain and given to the filter: what it has is no answer of the filter, and no
// success of it.
const ModeKnown = "known"

// Known tells whether the label was given.
func (r *Record) Known() bool { return r.Mode == ModeKnown }

// Failed tells whether the item has no result.
func (r *Record) Failed() bool { return r.Failure != "" }

// Piece tells whether the item is a piece of a recording.
func (r *Record) Piece() bool { return r.Duration > 0 }

// Top returns the most probable class and its probability; of equals, the first.
func Top(p []float64) (class int, probability float64) {
	for i, v := range p {
		if v > p[class] {
			class = i
		}
	}
	return class, p[class]
}

// Changed tells whether the filter changed the label. One that was given it did not change.
func (r *Record) Changed() bool {
	if r.Failed() || r.Known() {
		return false
	}
	raw, _ := Top(r.Raw)
	adapted, _ := r.Label()
	return raw != adapted
}

// Label returns the class after the filter and its probability: that of the path if there is one, else the most probable.
func (r *Record) Label() (class int, probability float64) {
	if r.Path > 0 {
		return r.Path - 1, r.Adapted[r.Path-1]
	}
	return Top(r.Adapted)
}

// TimeString returns the capture time in RFC 3339, without an offset where the source had none, or "" if it is unknown.
func (r *Record) TimeString() string {
	switch {
	case r.Time.IsZero():
		return ""
	case r.Zoned:
		return r.Time.Format(time.RFC3339Nano)
	}
	return r.Time.Format("2006-01-02T15:04:05.999999999")
}
