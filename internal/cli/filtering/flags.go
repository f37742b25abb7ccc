package filtering

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
)

const filterCategory = "FILTER"

// filterFlags are the settings of the filter. Those of the paper's modes are refused under auto, which has none to set here.
func filterFlags() []cli.Flag {
	p := adapt.DefaultPaper()
	number := func(name string, value float64, usage string) cli.Flag {
		return &cli.Float64Flag{Name: name, Value: value, Usage: usage, Category: filterCategory}
	}
	return []cli.Flag{
		&cli.StringFlag{
			Name: "gate", Value: string(adapt.GateAuto), Category: filterCategory,
			Usage: "`GATE` auto (hypotheses weighed by evidence), off, ewma or window (the paper's)",
		},
		&cli.StringFlag{Name: "prior", Category: filterCategory, Usage: "class prior of the training data: `NUMBERS`, comma-separated, or a file of them (default: the model's where there is one, else uniform); the paper's gates divide by it, auto starts from it"},
		&cli.StringFlag{Name: "transitions", Category: filterCategory, Usage: "auto: `FILE` of what other streams taught of the order of classes (oatta calibrate --transitions-out), one more hypothesis; none leaves out the model's (default: the model's where there are some)"},
		&cli.Float64Flag{Name: "temperature", Category: filterCategory, Usage: "divides the log probabilities, over 1 for an over-confident model", DefaultText: "the model's where there is one, else 1"},
		&cli.Float64Flag{Name: "floor", Category: filterCategory, Usage: "probability below which a class counts as 0, at most 1e-9; many classes with few likely ones are then stepped in microseconds"},
		&cli.StringFlag{Name: "init", Value: string(p.Init), Category: filterCategory, Usage: "paper: initial counts, uniform or identity"},
		number("kappa", p.Kappa, "paper: pseudocount"),
		number("gamma", p.Gamma, "paper: learning rate of the transition counts"),
		number("tau", p.Tau, "paper: entropy in nats that silences an update"),
		number("eta", p.Eta, "paper: rate of the running marginal"),
		&cli.IntFlag{Name: "window", Value: p.Window, Category: filterCategory, Usage: "paper: steps over which the log-likelihood ratio is averaged"},
		number("margin", p.Margin, "paper: ratio at which the gate is half open"),
		number("gate-tau", p.GateTau, "paper: softness of the gate"),
		number("eps", p.Eps, "paper: floor inside the logarithms"),
		&cli.StringFlag{Name: "settings", Category: filterCategory, Usage: "JSON `FILE` of settings, in place of the flags of the filter, and of the model's prior and temperature"},
	}
}

// paperFlags are the names that only the paper's modes read, gateFlags those of them that only its gates do.
var (
	paperFlags = []string{"init", "kappa", "gamma", "tau", "eta", "window", "margin", "gate-tau", "eps"}
	gateFlags  = []string{"eta", "window", "margin", "gate-tau", "eps"}
)

// filterSettings reads the flags; a prior and a temperature that are not given are the model's.
func filterSettings(c *cli.Context, prior []float64, temperature float64) (adapt.Settings, error) {
	s := adapt.Settings{Gate: adapt.Gate(c.String("gate")), Prior: prior, Floor: c.Float64("floor")}
	if temperature > 0 { // fitted to the model's own labels, where --temperature is the filter's as it is
		s = s.Calibrated(temperature)
	}
	if c.IsSet("temperature") {
		s.Temperature = c.Float64("temperature")
		if s.Temperature == 0 { // 0 is the settings' word for the default
			return s, fmt.Errorf("--temperature 0: want a number over 0")
		}
	}
	if c.IsSet("prior") {
		var err error
		if s.Prior, err = NumbersOf("prior", c.String("prior")); err != nil {
			return s, err
		}
	}
	switch s.Gate {
	case adapt.GateAuto, "":
		return s, console.Refuse(c, paperFlags, "the paper's modes: choose one by --gate off, ewma or window")
	case adapt.GateOff:
		if err := console.Refuse(c, gateFlags, "the paper's gates: choose one by --gate ewma or window"); err != nil {
			return s, err
		}
	}
	s.Paper = &adapt.Paper{
		Init: adapt.Init(c.String("init")), Kappa: c.Float64("kappa"), Gamma: c.Float64("gamma"), Tau: c.Float64("tau"),
		Eta: c.Float64("eta"), Window: c.Int("window"), Margin: c.Float64("margin"), GateTau: c.Float64("gate-tau"), Eps: c.Float64("eps"),
	}
	return s, nil
}

// NumbersOf reads numbers separated by commas, white space or lines, from the value of a flag or from the file that it names.
func NumbersOf(flag, arg string) ([]float64, error) {
	text := arg
	switch data, err := files.ReadBounded(arg, maxNumbers); {
	case err == nil:
		text = string(data)
	case data != nil: // a file, but not one of numbers
		return nil, fmt.Errorf("--%s: %w", flag, err)
	case !strings.ContainsAny(arg, ","):
		return nil, fmt.Errorf("--%s %s: neither numbers separated by commas nor a file: %w", flag, arg, err)
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n[]", r) })
	numbers := make([]float64, len(fields))
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, fmt.Errorf("--%s: number %d is %q", flag, i+1, f)
		}
		numbers[i] = v
	}
	return numbers, nil
}
