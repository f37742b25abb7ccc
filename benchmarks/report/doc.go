// Package report is what every study hands over, and the one set of writers for it: sections of tables and figures become JSON, CSV,
// Markdown, text and a page.
//
// # Contract
//
// A [Study] has a name, flags and a run, which returns sections. It does not know where they are written, nor the command that runs it: the
// [Host] lends it the engine and listens to its progress. What it measured stands in cells: as text, or as a number with its precision,
// spread, mark of significance and the number that the paper published for it. A column whose cells have such numbers is written with a
// column of the paper's behind it.
//
// [Made] says where the numbers of a section come from: command, seeds, models, versions, machine. A study fills in seeds and models; who
// runs it fills in the rest.
//
// JSON loses nothing: what was written is read back equal, numbers that are none included.
//
// A short example:
//
//	t := report.Table{ID: "streams", Title: "Change in points", Columns: []string{"stream", "off"}}
//	t.AddCells(report.Text("s1"), report.Points(-0.42).WithStd(0.11).WithMark("*").WithPaper(-0.5, 0.2))
//	return []report.Section{{ID: "controlled", Title: "Controlled streams", Tables: []report.Table{t}}}, nil
package report
