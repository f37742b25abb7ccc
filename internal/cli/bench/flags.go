package bench

import (
	"flag"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// cliFlags are the flags of a study as the program has them. What a usage says in brackets of the default is what the help tells of it.
func cliFlags(set *flag.FlagSet) (out []cli.Flag) {
	set.VisitAll(func(f *flag.Flag) { out = append(out, cliFlag(f)) })
	return out
}

func cliFlag(f *flag.Flag) cli.Flag {
	usage, text := f.Usage, ""
	if before, after, ok := strings.Cut(usage, " (default: "); ok {
		usage, text = before, strings.TrimSuffix(after, ")")
	}
	getter, ok := f.Value.(flag.Getter)
	if !ok {
		return &cli.GenericFlag{Name: f.Name, Usage: usage, DefaultText: text, Value: &repeated{}}
	}
	switch value := getter.Get().(type) {
	case bool:
		return &cli.BoolFlag{Name: f.Name, Usage: usage, DefaultText: text, Value: value}
	case int:
		return &cli.IntFlag{Name: f.Name, Usage: usage, DefaultText: text, Value: value}
	case float64:
		return &cli.Float64Flag{Name: f.Name, Usage: usage, DefaultText: text, Value: value}
	default:
		return &cli.StringFlag{Name: f.Name, Usage: usage, DefaultText: text, Value: f.DefValue}
	}
}

// repeated keeps every value of a flag that may be repeated.
type repeated struct{ values []string }

// Set implements [cli.Generic].
func (r *repeated) Set(text string) error {
	r.values = append(r.values, text)
	return nil
}

// String implements [cli.Generic].
func (r *repeated) String() string { return strings.Join(r.values, ",") }

// hand gives a study's own set of flags what was typed.
func hand(c *cli.Context, set *flag.FlagSet) (err error) {
	set.VisitAll(func(f *flag.Flag) {
		if !c.IsSet(f.Name) || err != nil {
			return
		}
		var values []string
		if r, ok := c.Generic(f.Name).(*repeated); ok {
			values = r.values
		} else {
			values = []string{fmt.Sprint(c.Value(f.Name))}
		}
		for _, v := range values {
			if e := set.Set(f.Name, v); e != nil {
				err = fmt.Errorf("--%s: %w", f.Name, e)
			}
		}
	})
	return err
}
