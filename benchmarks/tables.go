package benchmarks

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
)

// Table is a table to print.
type Table = report.Table

// writeTables writes them as text, or as Markdown (md).
func writeTables(w io.Writer, format string, tables []Table) error {
	for _, t := range tables {
		write := t.WriteText
		if format == "md" {
			write = t.WriteMarkdown
		}
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, report any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(report)
}

// points formats a change in percentage points. What rounds to zero has no minus.
func points(v float64) string { return signed(v, 2) }

func signed(v float64, digits int) string {
	s := fmt.Sprintf("%+.*f", digits, v)
	if strings.Trim(s, "-0.") == "" {
		s = "+" + s[1:]
	}
	return s
}

// withWorst is a mean with the worst in brackets.
func withWorst(mean, worst float64) string {
	return fmt.Sprintf("%s (%s)", points(mean), signed(worst, 1))
}

// withError adds the standard error.
func (c Cell) withError() string {
	return fmt.Sprintf("%s ±%.2f", withWorst(c.Mean, c.Worst), c.SE)
}
