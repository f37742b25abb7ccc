// Command gaps measures what it is worth to know when items come: the filters without times, with missed steps, with breaks and with
// both, on a camera's real times and on recordings from which items were taken away.
//
//	go run ./benchmarks/gaps -shared ../shared -seeds 3
//
// The folder holds data/predictions, data/cifar10, data/cameratrap, data/motion and data/sleep. All numbers are changes in points
// against the base predictor on the items that are left. The camera is the real order and the real times of 6145 pictures, with
// predictions of our ResNet-18 for CIFAR-10-C pictures of a class that stands for the label: mean over fifteen corruptions and the
// seeds, in brackets the worst corruption. The recordings are real predictions on HAPT (plain and with noisy features) and on sleep, and
// the same replayed: mean over the five collections, in brackets the worst stream. The same arguments give the same bytes.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/benchmarks"
)

func main() {
	shared := flag.String("shared", cmp.Or(os.Getenv("OATTA_SHARED"), filepath.Join("..", "shared")), "folder of shared data")
	seeds := flag.Int("seeds", 3, "draws of predictions and of the items that are missing")
	gates := flag.String("gates", "off,ewma,auto", "gates, separated by commas")
	smooth := flag.Bool("smooth", false, "the whole recording in view, in place of the causal filter")
	details := flag.Bool("details", false, "every collection of recordings in a column of its own")
	flag.Parse()
	if err := run(os.Stdout, *shared, *gates, *seeds, *smooth, *details); err != nil {
		fmt.Fprintln(os.Stderr, "gaps:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, shared, gates string, seeds int, smooth, details bool) error {
	conditions, err := read(shared, seeds)
	if err != nil {
		return err
	}
	columns := gather(conditions, details)
	for _, gate := range strings.Split(gates, ",") {
		m := method{adapt.Settings{Gate: adapt.Gate(gate)}, smooth}
		if err := m.Validate(2); err != nil {
			return err
		}
		table := tabulate(m, columns)
		if err := table.WriteMarkdown(w); err != nil {
			return err
		}
	}
	return nil
}

// tabulate runs every choice of what is told of time on every condition.
func tabulate(m method, columns []column) benchmarks.Table {
	t := benchmarks.Table{Title: fmt.Sprintf("gate %s", m), Columns: []string{"what the filter is told"}}
	base := []string{"base, accuracy %"}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
		base = append(base, fmt.Sprintf("%.1f", c.base()))
	}
	t.Add(base...)
	for _, choice := range choices() {
		row := []string{choice.name}
		for _, c := range columns {
			mean, worst := c.change(m, choice.settings)
			row = append(row, fmt.Sprintf("%+.2f (%+.1f)", mean, worst))
		}
		t.Add(row...)
	}
	return t
}

// column is what one column of the tables is the mean of.
type column struct {
	name string
	of   []condition
}

// gather puts conditions with the same loss together, or each into a column of its own.
func gather(conditions []condition, details bool) (out []column) {
	at := map[string]int{}
	for _, c := range conditions {
		name := c.loss
		if details || name == "" {
			name = strings.TrimSuffix(c.name+", "+c.loss, ", ")
		}
		i, ok := at[name]
		if !ok {
			i, at[name] = len(out), len(out)
			out = append(out, column{name: name})
		}
		out[i].of = append(out[i].of, c)
	}
	return out
}

func (c column) base() (mean float64) {
	for _, one := range c.of {
		mean += one.base() / float64(len(c.of))
	}
	return mean
}

func (c column) change(m method, clock timeline.Settings) (mean, worst float64) {
	worst = math.Inf(1)
	for _, one := range c.of {
		v, w := one.change(m, clock)
		mean, worst = mean+v/float64(len(c.of)), min(worst, w)
	}
	return mean, worst
}
