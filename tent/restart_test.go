package tent_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/oatta/oatta/tent"
)

// A lane that begins behind what Restart leaves out predicts, to the bit, what one predicts that has seen everything.
func TestRestart(t *testing.T) {
	m := build(t, smallNet("batch", n), tent.Settings{Rate: 0.1})
	for _, reset := range []tent.Reset{{Items: 3}, {When: tent.Item}, {When: tent.Stream}, {When: tent.Collapse, Below: 0.5}} {
		t.Run(fmt.Sprint(reset.When), func(t *testing.T) {
			whole, part := predictorOf(t, m, tent.Options{Reset: &reset}), predictorOf(t, m, tent.Options{Reset: &reset})
			whole.Begin(0)
			for steps := range 8 {
				from := part.Restart(steps)
				part.Begin(0)
				for at := from; at < steps; at++ {
					stepped(t, part, item(part, 0, at), 0)
				}
				got, want := stepped(t, part, item(part, 0, steps), 0), stepped(t, whole, item(whole, 0, steps), 0)
				if !slices.Equal(got, want) {
					t.Errorf("after %d steps, of which %d are left out: %v, want %v", steps, from, got, want)
				}
			}
		})
	}
	never := predictorOf(t, m, tent.Options{Reset: &tent.Reset{When: tent.Never}})
	if got := never.Restart(5); got != -1 {
		t.Errorf("never: %d, want -1", got)
	}
}
