package controlled

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/method"
)

// Section puts the tables together, with the paper's numbers in their places.
func (r *Result) Section(paper Paper) (report.Section, error) {
	s := report.Section{
		ID: "controlled", Title: fmt.Sprintf("Controlled streams: %s on %s", r.Network, r.Set),
		Intro:  r.intro(),
		Tables: []report.Table{r.claims(paper), r.overview(paper), r.predictors()},
		Notes:  r.notes(paper),
	}
	for f := range r.Filters {
		s.Tables = append(s.Tables, r.table(f, paper))
	}
	if t, ok := r.ofMEMO(); ok {
		s.Tables = append(s.Tables, t)
	}
	s.Made.Seeds = fmt.Sprintf("1 to %d, of labels and items", r.Seeds)
	s.Made.Models = map[string]string{r.Network: r.Hash}
	var err error
	s.Details, err = r.details()
	return s, err
}

func (r *Result) intro() []string {
	memo := ""
	if slices.ContainsFunc(r.Columns, func(c Column) bool { return c.Beside }) {
		memo = fmt.Sprintf(", MEMO's from the first %d of them", r.MEMOPictures)
	}
	tent := ""
	if r.TentSteps < r.Steps {
		tent = fmt.Sprintf("; of Tent's, which are predicted anew for each stream, the first %d labels alone", r.TentSteps)
	}
	return []string{fmt.Sprintf("Streams of %d labels with a known law, %d seeds, the items drawn with replacement from %d pictures%s%s. "+
		"Each predictor without and with the filter, causal, with the defaults of its gates: off (the paper's filter), ewma (with its gate, LLR), auto.",
		r.Steps, r.Seeds, r.Pictures, memo, tent)}
}

// predictors says what each is like before any filter.
func (r *Result) predictors() report.Table {
	t := report.Table{
		ID: "predictors", Title: "The predictors", Columns: []string{"predictor", "right", "claims", "change to base"},
		Notes: []string{
			"In percent, over all items of all streams: the labels that are right, and the mean greatest probability. Change in points, MEMO's on its own items.",
			"The less a predictor claims, the more any filter moves it, for good or ill.",
		},
	}
	for i, c := range r.Columns {
		cell := report.Cell{}
		if at := r.baseOf(i); at >= 0 && at != i {
			cell = report.Points(r.right(i) - r.right(at))
		}
		t.AddCells(report.Text(c.Name), report.Num(r.right(i), 2), report.Num(c.Claims, 1), cell)
	}
	return t
}

// right is the share of labels that a predictor has right without a filter, in percent.
func (r *Result) right(column int) float64 {
	n := 0
	for _, row := range r.Rows {
		for _, hits := range row.Cells[column].Plain {
			n += hits
		}
	}
	return 100 * float64(n) / float64(len(r.Rows)*r.Seeds*r.Columns[column].Steps)
}

// baseOf is the plain network on the items of a predictor, -1 if there is none.
func (r *Result) baseOf(column int) int {
	if r.Columns[column].Steps != r.Steps {
		return -1
	}
	beside := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Beside })
	if beside >= 0 && (column == beside || r.Columns[column].Name == method.Memo) {
		return beside
	}
	return slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == method.Base })
}

// arrow is two accuracies.
func arrow(plain, adapted float64, mark string) report.Cell {
	return report.Text(fmt.Sprintf("%.2f → %.2f%s", plain, adapted, mark))
}

// table is the paper's, for one filter.
func (r *Result) table(f int, paper Paper) report.Table {
	t := report.Table{
		ID: "filter-" + r.Filters[f], Title: "Plain → " + r.Filters[f], Columns: []string{"stream"},
		Notes: []string{"Accuracy in percent, mean over seeds; * is a significant gain and † a significant loss (p < 0.05, two-sided signed-rank test over seeds, " +
			"Holm's correction over the pairs of a stream). Δ is the mean change over the predictors in points, ± its standard deviation over seeds."},
	}
	key := filters[f].paper
	for _, c := range r.Columns {
		if c.Beside {
			continue
		}
		if t.Columns = append(t.Columns, c.Name); key != "" {
			t.Columns = append(t.Columns, c.Name+", paper")
		}
	}
	t.Columns = append(t.Columns, "Δ")
	for row, counts := range r.Rows {
		c, published := r.Compare(row, f), paper[counts.Name]
		cells := []report.Cell{report.Text(counts.Name)}
		for i, p := range c.Pairs {
			name := r.Columns[i].Name
			if r.Columns[i].Beside {
				continue
			}
			if cells = append(cells, arrow(p.Plain, p.Adapted, p.Mark())); key != "" {
				cells = append(cells, published.cell(name, key))
			}
		}
		t.AddCells(append(cells, c.delta(published, key))...)
	}
	return t
}

// cell is what the paper has for a predictor and filter, "" if nothing.
func (p PaperRow) cell(name, key string) report.Cell {
	a, ok := p.Accuracy[name]
	if !ok {
		return report.Cell{}
	}
	mark := ""
	if p.Significant[name][key] {
		mark = "*"
	}
	return arrow(a["plain"], a[key], mark)
}

// delta is the mean change over the five, with the paper's.
func (c Comparison) delta(published PaperRow, key string) report.Cell {
	cell := report.Points(c.Mean).WithStd(c.Std)
	if d, ok := published.Delta[key]; ok {
		return cell.WithPaper(d[0], d[1])
	}
	return cell
}

// overview has the mean change over the five, of all filters.
func (r *Result) overview(paper Paper) report.Table {
	t := report.Table{
		ID: "delta", Title: "Mean change over the predictors", Columns: []string{"stream"},
		Notes: []string{"Δ in points, ± standard deviation over seeds, and how many of the pairs gain and lose significantly."},
	}
	for _, name := range r.Filters {
		t.Columns = append(t.Columns, name, "gain, lose")
	}
	for row, counts := range r.Rows {
		cells := []report.Cell{report.Text(counts.Name)}
		for f := range r.Filters {
			c := r.Compare(row, f)
			gain, lose := c.significant()
			cells = append(cells, c.delta(paper[counts.Name], filters[f].paper), report.Text(fmt.Sprintf("%d, %d", gain, lose)))
		}
		t.AddCells(cells...)
	}
	return t
}

func (c Comparison) significant() (gain, lose int) {
	for _, p := range c.Pairs {
		switch p.Mark() {
		case "*":
			gain++
		case "†":
			lose++
		}
	}
	return gain, lose
}

// ofMEMO compares MEMO with the plain network on the same items.
func (r *Result) ofMEMO() (t report.Table, ok bool) {
	beside := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Beside })
	memo := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == method.Memo })
	if beside < 0 || memo < 0 {
		return t, false
	}
	t = report.Table{
		ID: "memo", Title: "MEMO and the plain network on the same items", Columns: []string{"stream", "base", "memo"},
		Notes: []string{fmt.Sprintf("Accuracy in percent, mean over seeds, of streams drawn from the first %d pictures.", r.MEMOPictures)},
	}
	for _, name := range r.Filters {
		t.Columns = append(t.Columns, "base, "+name, "memo, "+name)
	}
	for row, counts := range r.Rows {
		var cells []report.Cell
		for f := range r.Filters {
			c := r.Compare(row, f)
			if f == 0 {
				cells = append(cells, report.Text(counts.Name), report.Num(c.Pairs[beside].Plain, 2), report.Num(c.Pairs[memo].Plain, 2))
			}
			cells = append(cells, report.Num(c.Pairs[beside].Adapted, 2), report.Num(c.Pairs[memo].Adapted, 2))
		}
		t.AddCells(cells...)
	}
	return t, true
}

// claims says what was to be shown, and whether it was.
func (r *Result) claims(paper Paper) report.Table {
	t := report.Table{ID: "claims", Title: "What was to be shown", Columns: []string{"claim", "measured", "shown"}}
	add := func(claim, measured string, shown bool) {
		t.AddCells(report.Text(claim), report.Text(measured), report.Text(map[bool]string{true: "yes", false: "no"}[shown]))
	}
	for f, name := range r.Filters {
		if filters[f].paper == "" {
			continue
		}
		agree, other, unsure := 0, "", []string(nil)
		for row, counts := range r.Rows {
			c, published := r.Compare(row, f), paper[counts.Name].Delta[filters[f].paper]
			if !agrees(c.Mean, published) {
				other += fmt.Sprintf("; %s %v, paper %v", counts.Name, report.Points(c.Mean), report.Points(published[0]))
				continue
			}
			if agree++; !unsigned(published) && c.unsure(r.Seeds) {
				unsure = append(unsure, counts.Name)
			}
		}
		if len(unsure) > 0 {
			other += fmt.Sprintf("; of these %d within a standard error of zero: %s", len(unsure), strings.Join(unsure, ", "))
		}
		least := (11*len(r.Rows) + 12) / 13
		add(fmt.Sprintf("%s: the mean change has the paper's sign in %d of %d streams", name, least, len(r.Rows)), fmt.Sprintf("%d%s", agree, other), agree >= least)
	}
	worst, where, gains, of, losses := r.auto()
	add("auto: no cell loses over 0.1", fmt.Sprintf("least %v (%s)", report.Points(worst), where), worst >= -0.1)
	if r.canTell() {
		add("auto: significant gain where the paper finds structure", fmt.Sprintf("%d of %d cells", gains, of), gains == of)
	} else {
		t.Notes = append(t.Notes, fmt.Sprintf("With %d seeds no gain can be significant.", r.Seeds))
	}
	add("auto: no significant loss", fmt.Sprintf("%d cells", losses), losses == 0)
	t.Notes = append([]string{"A cell is a stream and a predictor, mean over seeds. A change that the paper prints as zero has no sign: there it is enough to be within its standard deviation of zero."}, t.Notes...)
	return t
}

// unsure tells whether the mean change is nearer to zero than its standard error over seeds, so that its sign says little.
func (c Comparison) unsure(seeds int) bool { return math.Abs(c.Mean) < c.Std/math.Sqrt(float64(seeds)) }

// canTell tells whether gains in all seeds of all predictors would be significant.
func (r *Result) canTell() bool {
	family := 0
	for _, c := range r.Columns {
		if !c.Beside {
			family++
		}
	}
	return float64(family)*2/math.Pow(2, float64(r.Seeds)) < level
}

// auto is the least change of any cell, how many of the cells with structure gain, and how many of all lose, significantly.
func (r *Result) auto() (worst float64, where string, gains, structure, losses int) {
	f := slices.Index(r.Filters, "auto")
	worst = math.Inf(1)
	for row, counts := range r.Rows {
		for i, p := range r.Compare(row, f).Pairs {
			if r.Columns[i].Beside {
				continue
			}
			if p.Change < worst {
				worst, where = p.Change, counts.Name+", "+r.Columns[i].Name
			}
			if structured(counts.Name) {
				structure++
				if p.Mark() == "*" {
					gains++
				}
			}
			if p.Mark() == "†" {
				losses++
			}
		}
	}
	return worst, where, gains, structure, losses
}

// What the paper has of each stream.
const paperSteps, paperSeeds = 2000, 10

// notes are where the setting is not the paper's.
func (r *Result) notes(paper Paper) []string {
	base := 0.0
	for _, row := range r.Rows {
		base += paper[row.Name].Accuracy["base"]["plain"] / float64(len(r.Rows))
	}
	length := ""
	if r.Steps == paperSteps && r.Seeds == paperSeeds {
		length = "T, ten seeds, "
	}
	return []string{
		fmt.Sprintf("The paper has CIFAR-10.1 (2,000 pictures) and a ResNet-18 of its own, whose base accuracy is %.1f %% over these streams. "+
			"Here %s is right in %.1f %%: who is right more often has less to gain.", base, r.Columns[0].Name, r.right(0)),
		"As the paper has it: " + length + "dropout 0.2 before the head, Tent's one step an item and the source's weights again after 100, MEMO by item, uniform prior. " +
			"It does not tell passes of dropout, views of TTAug and MEMO, learning rates, nor S5's permutations: these are the project's, see the flags. " +
			"Its standard deviation may have another denominator; here it is that of a sample.",
		"The paper prints no settings of its filter: those of off and ewma were fitted to this very table of the paper, on other predictions. " +
			"So that their signs agree with it shows that the filter is as described, and is no test of data unseen.",
		"Row \"s2 alpha=0.70 (default)\" is the stream of row \"s2 alpha=0.70\": the paper prints both.",
	}
}
