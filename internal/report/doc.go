// Package report makes one page, and figures, of the results of a run: what was done, what the filter changed, and what people of each
// field look at.
//
// # Contract
//
// [Gather] reads the files of results once, and [Collected.Again] a second time for what only the whole can choose: the pictures to show, and scores.
// What is kept does not grow with the number of items but for a bounded series of each stream, of a thousand streams; it grows with the
// numbers of streams and of different labels, by a kilobyte or so each. [Collected] says what was left out.
// [Collected.Figures] are the figures, each with its numbers, and [Collected.Page] is the page: one HTML file without script, which asks
// nothing of any other host. All that comes from the results is shown as text.
//
// Files are opened below the folder that was given, and nowhere else, whatever the results say.
//
// Learned transitions can reveal a routine: they are left out unless Settings.Transitions asks for them.
//
// A short example:
//
//	c, err := report.Gather(files, report.Settings{})
//	err = c.Again()
//	err = c.Page(w)
package report
