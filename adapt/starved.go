package adapt

import (
	"fmt"
	"slices"
)

// Starvation watches the predictions of a run for over-confidence, without labels: a predictor that is sure of nearly everything,
// and contradicts itself from one item to the next, starves the filter, whose prior cannot overrule it.
//
// Sticky chains of labels, p_t ~ (a p_{t-1} + (1-a) mu) L_t for a few a, follow up to four streams at a time at the filter's temperature and at
// hotter ones, L = q^(1/T)/rho. What counts at each temperature is how much better the mixture of the chains predicts the next item
// than the marginal mu alone, in nats an item: by how much order explains the predictions. L is first divided by its own running mean,
// and the marginal is learned by EM as in [Auto], so that a bias of the predictor is no order. Where the order is explained clearly
// better at a temperature hotter than those that the filter tries, q claims more than it knows, and [Starvation.Warning] says so.
//
// A stream without order, or whose order is not that of labels that stay (a cycle), gives no evidence and no warning. Nor do errors
// that come in runs: a hotter temperature would not mend them.
//
// Measured by `oatta bench detection` on 17 sets of CIFAR-10 predictions in 8 controlled orders and three real
// collections, in order and shuffled; a cell is 4000 items or a collection:
//
//	                                                     auto    off
//	warned, where some hotter T gains more than a point   8/29   19/29   following the warning: +1.9, +5.0 points
//	warned, where it gains up to a point                  3/68    2/9    +0.6, +0.5
//	warned, where none gains                              0/45    0/104
//	warned, streams without order                         0/20    0/20
//	warned, predictions calibrated by their own labels    0/142   0/142
//
// The two thresholds were chosen on these cells; on others drawn from the same sets (-steps 500 -seeds 3) the rates are alike.
//
// The watch ends by itself after 16,000 followed items (fewer over 250 classes), so that it costs nothing in a long run, and its memory does not depend on the
// number of streams. Adding allocates nothing. A Starvation is not safe for concurrent use.
type Starvation struct {
	settings Settings
	inv      []float64 // 1/rho or nil
	hot      int       // index of the first temperature beyond those of the filter
	clear    float64   // nats an item by which a hotter one must be better
	temps    []float64
	gain     []float64 // nats of order over the marginal, by temperature
	logq     []float64 // [K] scratch
	slots    [4]followed
	budget   int // items to follow
	clock    int // items given
	steps    int // items followed
	certain  int // of them, those with all mass on one class
	flickers int // of the certain ones, those between two certain ones of another class that agree
}

// The watch's constants. starvedFactors are multiples of the temperature; the second is what auto tries by default.
var (
	starvedFactors = []float64{1, 5. / 3, 2.5, 4, 6}
	starvedChains  = []float64{0.4, 0.7, 0.87, 0.95}
)

const (
	starvedBudget   = 16_000 // items followed in all, for up to 250 classes; fewer for more, since each costs as many steps as there are classes
	starvedPatience = 1024   // items of other streams after which a stream gives its place to another
	starvedLeast    = 300    // items followed before anything is said

	// A clear difference, in nats an item. The gate auto has a choice of temperatures and loses little by a step between them; the
	// paper's modes have one, and gain from a hotter one only where order is strong.
	starvedClearAuto  = 0.06
	starvedClearPaper = 0.2
)

// NewStarvation returns a watch over predictions that go to filters with the given settings.
func NewStarvation(classes int, s Settings) (*Starvation, error) {
	s, err := s.resolved(classes)
	if err != nil {
		return nil, err
	}
	w := &Starvation{
		settings: s, inv: inverse(s.divided()), clear: starvedClearPaper, gain: make([]float64, len(starvedFactors)), logq: make([]float64, classes),
		budget: max(min(starvedBudget, 250*starvedBudget/classes), 2*starvedLeast),
	}
	most := 1.0
	if s.Gate == GateAuto {
		most, w.clear = slices.Max(s.Auto.Temperatures), starvedClearAuto
	}
	for _, f := range starvedFactors {
		w.temps = append(w.temps, s.Temperature*f)
		if f <= most*(1+1e-9) {
			w.hot++
		}
	}
	for i := range w.slots {
		w.slots[i] = newFollowed(classes, len(w.temps))
	}
	return w, nil
}

// Add is given each prediction of a run, in the order of its stream. q must pass [Check]; stream is not retained.
func (w *Starvation) Add(stream string, q []float64) {
	if w.steps == w.budget || len(q) == 1 {
		return
	}
	w.clock++
	slot := w.slotOf(stream)
	if slot == nil {
		return
	}
	w.steps++
	slot.used = w.clock
	w.notice(slot, q)
	logs(w.logq, q)
	for i := range slot.at {
		c := &slot.at[i]
		likelihood(c.like, q, w.logq, w.inv, w.temps[i])
		w.gain[i] += c.step(slot.steps)
	}
	slot.steps++
}

// slotOf returns the place of a stream, the longest unused one if it is new; nil if none is free.
func (w *Starvation) slotOf(stream string) *followed {
	oldest := &w.slots[0]
	for i := range w.slots {
		s := &w.slots[i]
		if s.used > 0 && string(s.stream) == stream {
			return s
		}
		if s.used < oldest.used {
			oldest = s
		}
	}
	if oldest.used > 0 && w.clock-oldest.used < starvedPatience {
		return nil
	}
	oldest.begin(stream)
	return oldest
}

// notice counts predictions with all mass on one class, which no temperature changes, and those of them that their neighbours contradict.
func (w *Starvation) notice(s *followed, q []float64) {
	class := -1
	for i, v := range q {
		if v == 0 {
			continue
		}
		if class >= 0 {
			class = -1
			break
		}
		class = i
	}
	if class >= 0 {
		w.certain++
	}
	if class >= 0 && class == s.before[0] && s.before[1] >= 0 && s.before[1] != class {
		w.flickers++
	}
	s.before = [2]int{s.before[1], class}
}

// Hotter returns the temperature at which order explains the predictions best, how many nats an item that is better than the best of
// the filter's, and over how many items. ok tells that the difference is clear. Few items, or no order, make it false.
func (w *Starvation) Hotter() (temperature, nats float64, items int, ok bool) {
	if w.hot == len(w.temps) || w.steps == 0 {
		return 0, 0, w.steps, false
	}
	best := w.hot
	for i := range w.gain {
		if i >= w.hot && w.gain[i] > w.gain[best] {
			best = i
		}
	}
	nats = (w.gain[best] - slices.Max(w.gain[:w.hot])) / float64(w.steps)
	return w.temps[best], nats, w.steps, w.steps >= starvedLeast && nats > w.clear
}

// Warning returns the evidence and the remedy in words, or "" if there is nothing to warn of.
func (w *Starvation) Warning() string {
	if w.steps >= starvedLeast && 2*w.certain > w.steps && 100*w.flickers > w.certain {
		return fmt.Sprintf("of %d predictions followed, %d have all mass on one class, and %d of them contradict both neighbours: "+
			"no prior and no temperature can move those; write logits, or probabilities with all their digits", w.steps, w.certain, w.flickers)
	}
	temperature, nats, items, ok := w.Hotter()
	if !ok {
		return ""
	}
	return fmt.Sprintf("the predictions look over-confident: over %d of them, order explains them better at temperature %.3g than at "+
		"those that the filter tries, by %.2f nats an item; it can hardly overrule them. Try --temperature %.2g, or fit it to labels by `oatta calibrate`",
		items, temperature, nats, w.Remedy())
}

// Remedy returns the setting of the temperature that brings the filter to what [Starvation.Hotter] found, as [Settings.Calibrated] does.
func (w *Starvation) Remedy() float64 {
	t, _, _, _ := w.Hotter()
	return w.settings.Calibrated(t).Temperature
}
