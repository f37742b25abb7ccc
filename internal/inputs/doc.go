// Package inputs brings collections of pictures, recordings and posts into the one form in which a run classifies them: items in
// processing order, and how each becomes a network's input.
//
// # Contract
//
// An opener ([OpenSleep], [OpenTexts], ...) reads what the items are, not what they hold: headers, times, names. What cannot be read
// becomes an item of its own that fails with the reason, so that it shows in the results and the rest goes on. The order is by stream
// and, within one, by time. Loading happens later, from several goroutines at once, by the loader of [Input].
//
// A label that the data themselves hold (a hypnogram, an activity code, a polarity) is kept apart: [Input.Label] tells it to whoever
// scores, and no loader sees it.
package inputs
