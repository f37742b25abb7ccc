// Package timeline tells when the items of a stream come: how many steps of its rhythm were missed before an item, where a gap is so
// long that nothing is left of what came before, and which items are late or come twice.
//
// # Contract
//
// One stream, one [Clock]. [Clock.Next] is asked for every item, in the order in which they are to be filtered, and answers with a
// [Gap]; the filter is told ([adapt.Filter.Skip], [adapt.Filter.Break]) before it steps. What is late or double is a matter of [Policy],
// and [Keeper] applies one. [Reorder] puts items in the order of their times beforehand, within a bound.
//
//   - The rhythm is the median of the last steps in time, or is given. Until it is known there are no missed steps.
//   - Missed steps are those that the rhythm would have had: round(dt/rhythm) - 1.
//   - A break is a gap longer than [Settings].LongGap or than [Settings].LongSteps times the rhythm.
//   - Cameras stamp several pictures with the same second: equal times are in order. A duplicate has the time and the id of one
//     of the last items.
//   - Times with a zone are instants and compare as such; those without, which are held on the [Wall], compare as what it showed, and so
//     does all of a stream from the first time on that is of the other kind.
//   - An item without a time is the next item, and nothing is known of the gap before it.
//
// A Clock is a pure state machine: it never looks at the time of day. The same items give the same answers, and it needs the same
// memory whatever comes. It is not safe for concurrent use. [Clock.MarshalBinary] keeps it across runs: the state holds the time of the
// last item, the last steps and hashes of the last items' ids.
//
// A short example:
//
//	clock, err := timeline.NewClock(timeline.Settings{})
//	if err != nil { ... }
//	for _, item := range items {
//		gap := clock.Next(item.Time, item.ID)
//		if gap.Order != timeline.InOrder { ... } // late or double
//		if gap.Break {
//			filter.Break()
//		}
//		filter.Skip(gap.Missed)
//		filter.Step(posterior, item.Probabilities)
//	}
package timeline
