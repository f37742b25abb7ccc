package autodiff

import (
	"maps"
	"slices"
)

// Operators returns the operators of the table, in order.
func Operators() []string { return slices.Sorted(maps.Keys(table)) }
