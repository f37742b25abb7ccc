package serve

import (
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
)

// configured runs the command with a text of settings, up to where it would serve.
func configured(text string, args []string, then func(c *cli.Context, models []own, err error)) error {
	command := Command(console.Environment{Out: io.Discard, Err: io.Discard})
	command.Action = func(c *cli.Context) error {
		models, err := applyConfig(c, []byte(text))
		then(c, models, err)
		return nil
	}
	app := &cli.App{Name: "oatta", Writer: io.Discard, ErrWriter: io.Discard, Commands: []*cli.Command{command}}
	return app.Run(append([]string{"oatta", "serve"}, args...))
}

func TestConfigGivesFlags(t *testing.T) {
	const text = `
max-rows: 7
gate: off
model: [a, b]
durable: false
forget-after: 24h
models: [{model: x=y, method: tent, dropout-at: [n, m]}]
`
	err := configured(text, []string{"--max-rows", "9"}, func(c *cli.Context, models []own, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Int("max-rows") != 9 || c.String("gate") != "off" || strings.Join(c.StringSlice("model"), " ") != "a b" || c.Bool("durable") || c.Duration("forget-after").Hours() != 24 {
			t.Errorf("%d, %s, %v, %t, %v", c.Int("max-rows"), c.String("gate"), c.StringSlice("model"), c.Bool("durable"), c.Duration("forget-after"))
		}
		if len(models) != 1 || len(models[0]["dropout-at"]) != 2 {
			t.Fatalf("%v", models)
		}
		delete(models[0], "dropout-at") // tent has none
		mine, err := contextOf(c, models[0])
		if err != nil || mine.String("method") != "tent" || mine.String("gate") != "off" || !mine.IsSet("gate") || mine.IsSet("views") {
			t.Errorf("%v: %s, %s", err, mine.String("method"), mine.String("gate"))
		}
		if _, err := contextOf(c, own{"model": {"x"}, "listen": {"y"}}); err == nil {
			t.Error("a model had an address of its own")
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBadConfig(t *testing.T) {
	for text, want := range map[string]string{
		"nosuch: 1": "nosuch", "keys: 3\n\nnosuch: 1": "line 3: nosuch", "keys: 3\nmax-rows: many": "line 2: max-rows",
		"keys: 3\nmax-rows: {a: 1}": "line 2: max-rows", "config: x": "no such setting", "max-rows: many": "max-rows", "max-rows: {a: 1}": "a value", "- a": "",
		"models: 3": "models", "models: [{method: tent}]": "wants one model", "models: [{model: [a, b]}]": "wants one model", "gate: [[a]]": "gate",
	} {
		err := configured(text, nil, func(_ *cli.Context, _ []own, err error) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", text, err, want)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("max-rows: 7\nmodel: [a, b]\nmodels: [{model: x=y, method: tent}]")
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		err := configured(text, nil, func(c *cli.Context, models []own, err error) {
			for _, m := range models {
				if _, err := contextOf(c, m); err != nil && err.Error() == "" {
					t.Error("an error without words")
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}
