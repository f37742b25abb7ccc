// Package corrections keeps the labels that somebody gave items of results, in a CSV table that package datasets reads as any other: file,
// stream, label, who, when, and, of pieces of recordings, the second at which they begin.
//
// # Contract
//
// There is one row an item: a label that is changed takes the place of the old one, and one that is taken back goes. Every change replaces the
// file in one step (package replace), so that a kill or a full disk leaves what was. It is made to the file as it then is, under a lock: two
// programs at one table, or somebody with an editor, do not undo each other, and who changes a label that was changed meanwhile is told
// instead ([MeanwhileError]). Columns and rows that are not ours stay as they are, and so do the order of the columns, what parts them, and the
// line ends.
package corrections
