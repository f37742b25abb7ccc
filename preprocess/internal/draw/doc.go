// Package draw is the randomness of augmented views, the same for pictures, signals and texts: what is random in view i of an
// item depends on the item's seed and on i alone, neither on the views before it nor on how many there are. A [Source] is not
// safe for concurrent use; it lives in the scratch space of one call.
package draw
