package realworld

import (
	"fmt"
	"strings"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/scores"
)

// modeNames are the modes, in the order of the tables.
var modeNames = []string{"off", "ewma", "auto", "auto, smoothed"}

// mostListed is the number of identities from which on a table does not list them: the details have them.
const mostListed = 40

func sectionID(s source) string { return "realworld-" + s.id }

// section is what was found of a collection.
func (f *found) section(st *study) (report.Section, error) {
	base := f.outcomes[0].ordered[0]
	out := report.Section{
		ID: sectionID(f.source), Title: f.title, Intro: append(f.intro[:len(f.intro):len(f.intro)], fmt.Sprintf("Identities: %d; items: %d; network: %s.", len(base.Streams), base.Raw.Items, f.network)),
	}
	out.Tables = append(out.Tables, f.accuracies(st.paper), f.changes(), f.f1s())
	if len(base.Streams) <= mostListed {
		out.Tables = append(out.Tables, f.byIdentity())
	}
	if t, ok := f.published(st.paper); ok {
		out.Tables = append(out.Tables, t)
	}
	out.Made.Seeds = fmt.Sprintf("0 to %d, of the shuffled orders", st.Shuffles-1)
	if f.hash != "" {
		out.Made.Models = map[string]string{f.network: f.hash}
	} else {
		out.Made.Seeds = fmt.Sprintf("1 to %d, of the shuffled orders", st.Shuffles)
	}
	if f.id == "camera" {
		out.Made.Seeds += fmt.Sprintf("; 1 to %d, of the pictures", st.Seeds)
	}
	var err error
	if out.Details, err = f.details(); err != nil {
		return out, err
	}
	if f.polarity {
		if out.Figures, err = f.dispersions(); err != nil {
			return out, err
		}
	}
	if st.Quick {
		out.Notes = append(out.Notes, "A quick look: a few identities, and the plain predictor where no other was asked for.")
	}
	return out, nil
}

// accuracies has a row for each predictor: means over identities, beside what the paper has.
func (f *found) accuracies(p *paper) report.Table {
	t := report.Table{ID: "accuracy", Title: "Accuracy in percent, mean over identities", Columns: append([]string{"predictor", "no filter"}, modeNames...)}
	for _, o := range f.outcomes {
		row := []report.Cell{report.Text(o.predictor), f.beside(p, report.Num(100*o.ordered[0].accuracy.Raw.Value, 2), o.predictor, paperPlain)}
		for i, one := range o.ordered {
			c := report.Num(100*one.accuracy.Adapted.Value, 2)
			if i < 2 {
				c = f.beside(p, c, o.predictor, []string{paperOff, paperGated}[i])
			}
			row = append(row, c)
		}
		t.AddCells(row...)
	}
	if f.paper != "" {
		t.Notes = []string{"Paper: " + f.paperSays + "."}
	}
	return t
}

// beside puts what the paper has beside a number.
func (f *found) beside(p *paper, c report.Cell, predictor, filter string) report.Cell {
	if v, ok := p.of(f.paper, predictor, filter); ok && f.paper != "" {
		return c.WithPaper(v)
	}
	return c
}

// changes has what each filter changes, in order and shuffled.
func (f *found) changes() report.Table {
	t := report.Table{ID: "change", Title: "Change of accuracy in points, mean over identities"}
	t.Columns = []string{"predictor"}
	for _, order := range []string{"", ", shuffled"} {
		for _, name := range modeNames {
			t.Columns = append(t.Columns, name+order)
		}
	}
	for _, o := range f.outcomes {
		row := []report.Cell{report.Text(o.predictor)}
		for _, one := range append(o.ordered[:len(o.ordered):len(o.ordered)], o.shuffled...) {
			row = append(row, changed(one, one.accuracy))
		}
		t.AddCells(row...)
	}
	if f.outcomes[0].ordered[0].intervals {
		t.Notes = []string{"± is half of the 95 % interval over identities, each drawn with all of its items."}
	}
	return t
}

func changed(o outcomeOf, row scores.MetricRow) report.Cell {
	c := report.Points(100 * row.Change.Value)
	if o.intervals {
		c = c.WithStd(50 * (row.Change.High - row.Change.Low))
	}
	return c
}

// f1s has macro F1, the mean over identities of each one's own.
func (f *found) f1s() report.Table {
	t := report.Table{
		ID: "macro-f1", Title: "Macro F1 in percent, mean over identities", Columns: append([]string{"predictor", "no filter"}, modeNames...),
		Notes: []string{"Of each identity the mean F1 over the classes that it has or is told to have."},
	}
	for _, o := range f.outcomes {
		row := []report.Cell{report.Text(o.predictor), report.Num(100*o.ordered[0].f1.Raw.Value, 2)}
		for _, one := range o.ordered {
			row = append(row, report.Num(100*one.f1.Adapted.Value, 2))
		}
		t.AddCells(row...)
	}
	return t
}

// byIdentity lists the identities with the first predictor.
func (f *found) byIdentity() report.Table {
	o := f.outcomes[0]
	t := report.Table{ID: "identities", Title: "By identity, " + o.predictor + ": accuracy, and macro F1, in percent", Columns: []string{"identity", "items", "no filter"}}
	t.Columns = append(t.Columns, modeNames...)
	t.Columns = append(t.Columns, "F1, no filter")
	for _, name := range modeNames {
		t.Columns = append(t.Columns, "F1, "+name)
	}
	for k, one := range o.ordered[0].Streams {
		row := []report.Cell{report.Text(one.Stream), report.Count(one.Raw.Items), report.Num(100*one.Raw.Accuracy, 2)}
		for _, mode := range o.ordered {
			row = append(row, report.Num(100*mode.Streams[k].Adapted.Accuracy, 2))
		}
		row = append(row, report.Num(100*one.Raw.MacroF1, 2))
		for _, mode := range o.ordered {
			row = append(row, report.Num(100*mode.Streams[k].Adapted.MacroF1, 2))
		}
		t.AddCells(row...)
	}
	return t
}

// published is what the paper has of the very collection, with its three networks.
func (f *found) published(p *paper) (report.Table, bool) {
	t := report.Table{
		ID: "paper", Title: "The paper's networks on its test split, accuracy in percent", Columns: []string{"network", "predictor", "no filter", "off", "ewma"},
	}
	for _, c := range collections() {
		if c.name != f.own {
			continue
		}
		for _, column := range c.paper {
			for _, o := range f.outcomes {
				row := []report.Cell{report.Text(strings.Split(column, "/")[0]), report.Text(o.predictor)}
				for _, filter := range []string{paperPlain, paperOff, paperGated} {
					if v, ok := p.of(column, o.predictor, filter); ok {
						row = append(row, report.Num(v, 2))
					}
				}
				if len(row) > 2 {
					t.AddCells(row...)
				}
			}
		}
	}
	return t, len(t.Rows) > 0
}

// first is the predictor that the overview has. What lies at hand has the plain one alone.
func (st *study) first() string {
	if st.Predictors[0] == method.Base {
		return "plain predictor"
	}
	return "the first of " + strings.Join(st.Predictors, ", ") + " that there is, else the plain predictor"
}

// overview has a row for each collection, with the first predictor.
func (st *study) overview(all []*found) report.Section {
	of := st.first()
	t := report.Table{
		ID: "overview", Title: "Change of accuracy in points, mean over identities, " + of,
		Columns: append([]string{"collection", "network", "identities", "items", "no filter, %"}, modeNames...),
	}
	harm := report.Table{
		ID: "harm", Title: "Who is harmed, and change where the order has no meaning, " + of, Columns: []string{"collection"},
		Notes: []string{fmt.Sprintf("Harmed are identities of %d items or more that lose over a point, of how many such there are. Shuffled is the change in points.", benchmarks.LongStream)},
	}
	for _, what := range []string{"harmed, ", "shuffled, "} {
		for _, name := range modeNames {
			harm.Columns = append(harm.Columns, what+name)
		}
	}
	for _, f := range all {
		o := f.outcomes[0]
		first := o.ordered[0]
		row := []report.Cell{
			report.Text(f.id), report.Text(f.network), report.Count(len(first.Streams)), report.Count(first.Raw.Items), report.Num(100*first.accuracy.Raw.Value, 2),
		}
		for _, one := range o.ordered {
			row = append(row, changed(one, one.accuracy))
		}
		t.AddCells(row...)
		row = []report.Cell{report.Text(f.id)}
		for _, one := range o.ordered {
			harmed, long := one.harmed()
			row = append(row, report.Text(fmt.Sprintf("%d of %d", harmed, long)))
		}
		for _, one := range o.shuffled {
			row = append(row, changed(one, one.accuracy))
		}
		harm.AddCells(row...)
	}
	t.Notes = []string{"± is half of the 95 % interval over identities."}
	return report.Section{
		ID: "realworld", Title: "Identities on real data", Made: report.Made{Seeds: fmt.Sprintf("%d draws of each shuffled order, %d of the pictures for the camera", st.Shuffles, st.Seeds)},
		Intro: []string{
			"Every person, account or camera is a stream, or several, and is filtered by itself; nobody's items were in the training of the network that predicts them. Each identity counts the same.",
			"off and ewma are the paper's filter without and with its gate, and a uniform prior. auto is the filter as the program runs it: temperature, prior and transitions of the model's manifest, causal and smoothed. " +
				"Shuffled, the negative control, has the items of each stream in an order without meaning.",
		},
		Tables: []report.Table{t, harm},
		Notes: []string{
			"The collections at hand are not the paper's: HAPT in place of HARTH, a few sleepers of Sleep-EDF, timelines of six posts and more where the paper's have 150, one camera whose pictures are not at hand; networks are small. " +
				"Where the paper's numbers stand beside, the note under the table says what they are of.",
		},
	}
}
