package predictors

import (
	"fmt"
	"io"
	"math"

	"github.com/oatta/oatta/benchmarks"
)

// write writes a table for each order, and one of each picture once.
func (r *result) write(w io.Writer) error {
	for i := range r.orders {
		if err := r.ordered(i).WriteMarkdown(w); err != nil {
			return err
		}
	}
	return r.single().WriteMarkdown(w)
}

// ordered is the table of one order.
func (r *result) ordered(order int) *benchmarks.Table {
	t := &benchmarks.Table{Title: fmt.Sprintf("%s, %s", r.net, r.orders[order]), Columns: []string{"predictor"}}
	t.Columns = append(t.Columns, r.sets...)
	t.Columns = append(t.Columns, "mean of corruptions", "raw, against base", "filtered, against base filtered")
	raw, after := r.raw[order], r.filtered[order]
	for m, name := range r.methods {
		row := []string{name}
		for s := range r.sets {
			row = append(row, both(mean(raw[m][s]), mean(after[m][s])))
		}
		t.Add(append(row, both(mean(corrupted(raw[m])), mean(corrupted(after[m]))), change(raw, m), change(after, m))...)
	}
	n := min(r.extent.Pictures, r.extent.Seeds*r.extent.Steps) // repeats of a picture tell nothing new
	t.Notes = []string{fmt.Sprintf("Accuracy in percent, raw and then filtered, over %d streams a set of %d items, drawn from %d pictures. A cell's binomial standard error over pictures is "+
		"%.1f points at 90 %% and %.1f at 50 %%. Changes are those of the mean of corruptions, in points, ± the standard error over the streams.",
		r.extent.Seeds, r.extent.Steps, r.extent.Pictures, binomial(90, n), binomial(50, n))}
	return t
}

func both(raw, after float64) string { return fmt.Sprintf("%.1f → %.1f", raw, after) }

// corrupted lists the values of all streams but the clean ones.
func corrupted(of [][]float64) (out []float64) {
	for _, set := range of[1:] {
		out = append(out, set...)
	}
	return out
}

func change(of [][][]float64, m int) string {
	if m == 0 {
		return ""
	}
	return plusMinus(minus(corrupted(of[m]), corrupted(of[0])), 1)
}

// plusMinus is a mean with its standard error.
func plusMinus(v []float64, scale float64) string {
	text := fmt.Sprintf("%+.2f", scale*mean(v))
	if e := scale * standardError(v); !math.IsNaN(e) {
		text += fmt.Sprintf(" ± %.2f", e)
	}
	return text
}

// single is the table of each picture once.
func (r *result) single() *benchmarks.Table {
	t := &benchmarks.Table{Title: r.net + ", each picture once", Columns: []string{"predictor", "clean", "against base", "mean of corruptions", "against base"}}
	for m, name := range r.methods {
		if r.once[m] == nil {
			continue
		}
		clean, rest := r.once[m][0], corrupted(r.once[m])
		row := []string{name, fmt.Sprintf("%.1f", 100*mean(clean)), "", fmt.Sprintf("%.1f", 100*mean(rest)), ""}
		if m > 0 {
			row[2] = plusMinus(minus(clean, r.once[0][0]), 100)
			row[4] = plusMinus(minus(rest, corrupted(r.once[0])), 100)
		}
		t.Add(row...)
	}
	t.Notes = []string{fmt.Sprintf("The first %d pictures; ± is the standard error of the change over pictures. Tent has no such row: what it predicts depends on the order.", r.extent.Pictures)}
	return t
}
