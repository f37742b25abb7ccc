package timeline

import (
	"fmt"
	"slices"
	"time"
)

// Policy says what becomes of items that are late or duplicates.
type Policy string

// The policies. The empty string is PolicyError.
const (
	PolicyError   Policy = "error"   // the first one is an error
	PolicyDrop    Policy = "drop"    // they are left out
	PolicyReorder Policy = "reorder" // a Reorder before the Keeper puts late ones in place; what is late all the same is left out
	PolicyRestart Policy = "restart" // an item that is late starts its stream anew; duplicates are left out
	PolicyKeep    Policy = "keep"    // they are taken as they come, as if they had no time
)

// Policies lists the policies by name, for messages and help texts.
func Policies() []Policy {
	return []Policy{PolicyError, PolicyDrop, PolicyReorder, PolicyRestart, PolicyKeep}
}

// Action says what to do with an item.
type Action int

// The actions.
const (
	Take    Action = iota // step, after the gap
	Drop                  // leave it out
	Restart               // reset the filter, then step
)

// Counts sums up what a Keeper saw, for the summary of a run.
type Counts struct {
	Items      int `json:"items"`
	Untimed    int `json:"without_time"` // of Items
	Late       int `json:"late"`         // of Items
	Duplicates int `json:"duplicates"`   // of Items
	Dropped    int `json:"dropped"`      // of Late and Duplicates
	Restarts   int `json:"restarts"`     // of Late
	Reordered  int `json:"reordered"`    // by a Reorder before
	Gaps       int `json:"gaps"`         // items with missed steps before them
	Missed     int `json:"missed_steps"` // in all
	Breaks     int `json:"breaks"`       // items after a long gap
	// Mixed counts the streams in which times with a zone and without came together.
	Mixed int `json:"mixed_streams,omitempty"`
}

// Add adds the counts of another stream.
func (c *Counts) Add(o Counts) {
	c.Items, c.Untimed, c.Late, c.Duplicates = c.Items+o.Items, c.Untimed+o.Untimed, c.Late+o.Late, c.Duplicates+o.Duplicates
	c.Dropped, c.Restarts, c.Reordered = c.Dropped+o.Dropped, c.Restarts+o.Restarts, c.Reordered+o.Reordered
	c.Gaps, c.Missed, c.Breaks, c.Mixed = c.Gaps+o.Gaps, c.Missed+o.Missed, c.Breaks+o.Breaks, c.Mixed+o.Mixed
}

// Keeper is a Clock with a policy, and counts. Make it with [NewKeeper].
type Keeper struct {
	clock  *Clock
	policy Policy
	counts Counts
}

// NewKeeper returns a keeper at the start of a stream, or the error of a setting out of range.
func NewKeeper(s Settings, p Policy) (*Keeper, error) {
	if p == "" {
		p = PolicyError
	}
	if !slices.Contains(Policies(), p) {
		return nil, fmt.Errorf("timeline: policy %q: want one of %v", p, Policies())
	}
	clock, err := NewClock(s)
	if err != nil {
		return nil, err
	}
	return &Keeper{clock: clock, policy: p}, nil
}

// Clock returns the keeper's clock, to be marshalled, restored or reset.
func (k *Keeper) Clock() *Clock { return k.clock }

// Counts returns the counts so far.
func (k *Keeper) Counts() Counts { return k.counts }

// Next takes the time and the id of the next item, as [Clock.Next], and says what to do with it. The error is that of PolicyError.
func (k *Keeper) Next(t time.Time, id []byte) (Action, Gap, error) {
	was := k.clock.Mixed()
	gap := k.clock.Next(t, id)
	k.noteMixed(was)
	action := k.policy.judge(gap.Order)
	k.counts.note(gap, action)
	switch {
	case action == Restart:
		k.clock.Reset()
		k.clock.Next(t, id)
	case k.policy == PolicyError && gap.Order >= Late:
		return Drop, gap, fmt.Errorf("timeline: item %q of %s is %s", id, t.Format(time.RFC3339Nano), k.fault(gap))
	case action == Take && gap.Order >= Late && gap.Since != 0: // the one of the last item's time is of the same moment
		k.clock.Next(time.Time{}, nil) // it takes a step of the rhythm all the same
	}
	return action, gap, nil
}

// Mix is [Clock.Mix].
func (k *Keeper) Mix() {
	was := k.clock.Mixed()
	k.clock.Mix()
	k.noteMixed(was)
}

// noteMixed counts a stream whose times are of both kinds now.
func (k *Keeper) noteMixed(was bool) {
	if !was && k.clock.Mixed() {
		k.counts.Mixed++
	}
}

// judge returns what becomes of an item.
func (p Policy) judge(o Order) Action {
	switch {
	case o < Late || p == PolicyKeep:
		return Take
	case o == Late && p == PolicyRestart:
		return Restart
	}
	return Drop
}

func (k *Keeper) fault(gap Gap) string {
	if gap.Order == Duplicate {
		return "there twice"
	}
	return fmt.Sprintf("late: another of %s came before", k.clock.last.at.Format(time.RFC3339Nano))
}

// note counts an item.
func (c *Counts) note(gap Gap, action Action) {
	c.Items++
	c.Missed += gap.Missed
	for _, n := range []struct {
		count *int
		is    bool
	}{
		{&c.Untimed, gap.Order == Untimed},
		{&c.Late, gap.Order == Late},
		{&c.Duplicates, gap.Order == Duplicate},
		{&c.Dropped, action == Drop},
		{&c.Restarts, action == Restart},
		{&c.Gaps, gap.Missed > 0},
		{&c.Breaks, gap.Break},
	} {
		if n.is {
			*n.count++
		}
	}
}
