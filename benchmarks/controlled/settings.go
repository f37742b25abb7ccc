package controlled

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/method"
)

// Settings say what is measured.
type Settings struct {
	Network      *networks.Network
	Set          *networks.Set
	Predictors   []networks.Candidate // nil: the five, as Default has them
	Rows         []Row                // nil: those of the paper's table
	Steps        int                  // T, length of a stream; 0: 2000
	Seeds        int                  // streams drawn of each kind, seeded 1, 2, ...; 0: 10
	MEMOPictures int                  // the first ones of the set, from which MEMO's streams are drawn; 0: all
	TentSteps    int                  // the first ones of each stream, which are Tent's; 0: all
}

// Row is a row of the table: a stream under the name that tables.json has for it.
type Row struct {
	Name string
	Law  datasets.Controlled
}

// PaperRows are the paper's thirteen. S2 at its default of 0.7 stands there twice; it is one stream here, in two rows.
func PaperRows() []Row {
	rows := []Row{{"s1", datasets.S1()}, {"s2 alpha=0.70 (default)", datasets.S2(0.7)}}
	for _, alpha := range []float64{0.10, 0.30, 0.50, 0.70, 0.85, 0.90, 0.95, 0.98} {
		law := datasets.S2(alpha)
		rows = append(rows, Row{law.Name, law})
	}
	for _, law := range []datasets.Controlled{datasets.S3(), datasets.S4(), datasets.S5()} {
		rows = append(rows, Row{law.Name, law})
	}
	return rows
}

// structured are the rows in which the paper finds the order to be of use.
func structured(name string) bool {
	switch name {
	case "s1", "s2 alpha=0.10", "s2 alpha=0.30":
		return false
	}
	return true
}

// filters are those that are tried, with what tables.json calls them.
var filters = []struct {
	gate  adapt.Gate
	paper string // "" for what is not the paper's
}{{adapt.GateOff, "oatta"}, {adapt.GateEWMA, "oatta-llr"}, {adapt.GateAuto, ""}}

// Five are the predictors of the paper with its settings where it states them, Tent's reset after 100 items and MC dropout's rate of 0.2
// among them, and the project's own elsewhere.
func Five(net *networks.Network) (list []networks.Candidate, err error) {
	for _, name := range method.Names() {
		c, err := networks.Default(name, net)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func (s Settings) resolved() (Settings, error) {
	if s.Rows == nil {
		s.Rows = PaperRows()
	}
	if s.Steps == 0 {
		s.Steps = 2000
	}
	if s.Seeds == 0 {
		s.Seeds = 10
	}
	if s.MEMOPictures == 0 || s.MEMOPictures > len(s.Set.Pictures) {
		s.MEMOPictures = len(s.Set.Pictures)
	}
	if s.TentSteps == 0 || s.TentSteps > s.Steps {
		s.TentSteps = s.Steps
	}
	if min(s.Steps, s.Seeds, s.MEMOPictures, s.TentSteps) < 1 {
		return s, fmt.Errorf("controlled: %d steps, %d seeds, %d pictures for MEMO, %d steps for Tent: want 1 or more of each", s.Steps, s.Seeds, s.MEMOPictures, s.TentSteps)
	}
	var err error
	if s.Predictors == nil {
		s.Predictors, err = Five(s.Network)
	}
	return s, err
}

// laws are the streams of the rows, each once, and which of them a row has.
func (s Settings) laws() (laws []datasets.Controlled, of []int) {
	seen := map[string]int{}
	for _, row := range s.Rows {
		at, ok := seen[row.Law.Name]
		if !ok {
			at = len(laws)
			seen[row.Law.Name], laws = at, append(laws, row.Law)
		}
		of = append(of, at)
	}
	return laws, of
}
