package corruption

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
)

// Threshold is what settings of the paper's filter do, with and without order.
type Threshold struct {
	Sticky *Gains `json:"sticky"`
	None   *Gains `json:"none"` // S1
}

// RunThreshold measures each of the settings on S2 and on S1.
func RunThreshold(s Settings) (t *Threshold, err error) {
	if err := s.resolve(); err != nil {
		return nil, err
	}
	sets, err := benchmarks.NeedCIFARSets(s.Shared)
	if err != nil {
		return nil, err
	}
	t = &Threshold{}
	if t.Sticky, err = measure(sets.Corrupted, datasets.S2(0.7), variants(), s); err != nil {
		return nil, err
	}
	t.None, err = measure(sets.Corrupted, datasets.S1(), variants(), s)
	return t, err
}

// sweep is one setting of the paper's filter and the values that are tried, the default among them.
type sweep struct {
	name   string
	gates  []adapt.Gate
	values []float64
	set    func(p *adapt.Paper, v float64)
}

// sweeps go from a quarter of the default, or less, to four times as much, or more. What the gate is made of says nothing without it.
func sweeps() []sweep {
	both, gated := []adapt.Gate{adapt.GateOff, adapt.GateEWMA}, []adapt.Gate{adapt.GateEWMA}
	return []sweep{
		{"gamma", both, []float64{.01, .03, .1, .3}, func(p *adapt.Paper, v float64) { p.Gamma = v }},
		{"kappa", both, []float64{.01, .1, 1, 10}, func(p *adapt.Paper, v float64) { p.Kappa = v }},
		{"tau", both, []float64{.09, .35, 1.4, 5}, func(p *adapt.Paper, v float64) { p.Tau = v }},
		{"margin", gated, []float64{-.2, 0, .2, .4, .8}, func(p *adapt.Paper, v float64) { p.Margin = v }},
		{"gate tau", gated, []float64{.05, .2, .8, 3.2}, func(p *adapt.Paper, v float64) { p.GateTau = v }},
		{"window", gated, []float64{10, 50, 200, 800}, func(p *adapt.Paper, v float64) { p.Window = int(v) }},
		{"eta", gated, []float64{.01, .05, .2}, func(p *adapt.Paper, v float64) { p.Eta = v }},
	}
}

// variants are the gates with one setting changed at a time, behind the gates as they are.
func variants() []variant {
	out := gates()
	for _, s := range sweeps() {
		for _, gate := range s.gates {
			for _, v := range s.values {
				p := adapt.DefaultPaper()
				if s.set(&p, v); p != adapt.DefaultPaper() {
					out = append(out, variant{fmt.Sprintf("%s, %s %g", gate, s.name, v), adapt.Settings{Gate: gate, Paper: &p}})
				}
			}
		}
	}
	return out
}
