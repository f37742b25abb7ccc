package priors

import "github.com/oatta/oatta/datasets"

// condition is a column of the paper's table.
type condition struct {
	name   string
	stream datasets.Controlled
}

// conditions are S2 and S4 with label shift, where their classes are balanced, and without.
func conditions() []condition {
	return []condition{
		{"shift/s2", datasets.S2(0.7)},
		{"shift/s4", datasets.S4()},
		{"no-shift/s2", datasets.NoShiftS2()},
		{"no-shift/s4", datasets.NoShiftS4()},
	}
}
