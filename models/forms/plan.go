package forms

import (
	"fmt"
	"strings"

	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
)

// Choice says how a case is written: its form, and of [Direct] the forms of its derivatives, which empty words leave to the rules of package
// autodiff.
type Choice struct {
	Form string
	autodiff.ConvForms
}

// String is the choice in a line, as "short" or "direct input=turned weight=taps", which [ParseChoice] reads.
func (c Choice) String() string {
	out := c.Form
	if c.Input != "" {
		out += " input=" + c.Input
	}
	if c.Weight != "" {
		out += " weight=" + c.Weight
	}
	return out
}

// ParseChoice reads what [Choice.String] writes. Whether a case has the forms is seen when it is written.
func ParseChoice(text string) (c Choice, err error) {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != Direct && (words[0] != Short || len(words) > 1) {
		return c, fmt.Errorf("forms: choice %q: want %s, or %s with forms of its derivatives", text, Short, Direct)
	}
	c.Form = words[0]
	for _, w := range words[1:] {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "input":
			c.Input = value
		case "weight":
			c.Weight = value
		default:
			return c, fmt.Errorf("forms: choice %q: %q is no part of one", text, w)
		}
	}
	return c, nil
}

// Plan chooses for each case of a graph, and keeps what it chose. A nil one is [Fixed], and keeps nothing. It serves one graph at a time.
type Plan struct {
	chooser func(c Case) (Choice, error)
	chosen  map[string]Choice
	err     error // of what could not be told where it happened
}

// By is a plan of what chooser returns.
func By(chooser func(c Case) (Choice, error)) *Plan {
	return &Plan{chooser: chooser, chosen: map[string]Choice{}}
}

// Recorded is a plan of what another one kept. Cases that it did not have are chosen as [Fixed] does.
func Recorded(choices map[string]string) (*Plan, error) {
	known := map[string]Choice{}
	for key, text := range choices {
		c, err := ParseChoice(text)
		if err != nil {
			return nil, fmt.Errorf("%w (of %s)", err, key)
		}
		known[key] = c
	}
	return By(func(c Case) (Choice, error) {
		if choice, ok := known[c.Key()]; ok {
			return choice, nil
		}
		return Fixed(c), nil
	}), nil
}

// Choices returns what was chosen, by the keys of the cases.
func (p *Plan) Choices() map[string]string {
	out := map[string]string{}
	if p != nil {
		for key, c := range p.chosen {
			out[key] = c.String()
		}
	}
	return out
}

func (p *Plan) choose(c Case) (Choice, error) {
	if p == nil {
		return Fixed(c), nil
	}
	key := c.Key()
	choice, ok := p.chosen[key]
	if ok {
		return choice, nil
	}
	choice, err := p.chooser(c)
	if err != nil {
		return choice, err
	}
	p.chosen[key] = choice
	return choice, nil
}

// Gradient is [autodiff.Gradient] in the forms of the plan; rows and needs are those of [Plan.Apply].
func (p *Plan) Gradient(g *graph.Graph, rows int64, needs string, loss graph.Value, wrt []graph.Value) ([]graph.Value, error) {
	if p == nil {
		return autodiff.Gradient(g, loss, wrt)
	}
	d, err := autodiff.GradientBy(g, loss, wrt, func(n *graph.Node) autodiff.ConvForms {
		c, ok := caseOf(g, n, rows, needs)
		if !ok {
			return autodiff.ConvForms{}
		}
		choice, err := p.choose(c)
		if err != nil && p.err == nil {
			p.err = err
		}
		return choice.ConvForms
	})
	if p.err != nil {
		return nil, p.err
	}
	return d, err
}
