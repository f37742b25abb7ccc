package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/auth"
)

// KeyCommand is `oatta key`.
func KeyCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "key",
		ArgsUsage: "NAME",
		Usage:     "make a key for oatta serve --tokens: the line for the file goes to standard output, the key itself to standard error",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "namespace", DefaultText: "its own, called NAME", Usage: "`NAME` of the namespace of its streams; keys of one namespace share their streams"},
			&cli.StringSliceFlag{Name: "model", Aliases: []string{"m"}, DefaultText: "all", Usage: "`NAME` of a model that it may use; may be given again"},
			&cli.IntFlag{Name: "max-streams", DefaultText: "none of its own", Usage: "streams of the namespace that a model keeps"},
			&cli.IntFlag{Name: "max-queue", DefaultText: "none of its own", Usage: "rows of the namespace that wait at a model"},
			&cli.BoolFlag{Name: "admin", Usage: "it may load and unload models, and read statistics and metrics"},
		},
		Action: func(c *cli.Context) error { return makeKey(c, env) },
	}
}

func makeKey(c *cli.Context, env console.Environment) error {
	if c.NArg() != 1 || c.Args().First() == "" {
		return errors.New("key: want one name, of whom it is for")
	}
	models := c.StringSlice("model")
	if len(models) == 0 {
		models = []string{serve.AnyModel}
	}
	namespace := c.Args().First()
	if c.IsSet("namespace") {
		namespace = c.String("namespace")
	}
	if strings.Contains(namespace, "/") {
		return fmt.Errorf("key: namespace %q: want one without a slash (--namespace)", namespace)
	}
	if c.Int("max-streams") < 0 || c.Int("max-queue") < 0 {
		return errors.New("key: --max-streams, --max-queue: want at least 1, or none")
	}
	key, hash := auth.NewKey()
	line, err := json.Marshal(auth.Line{Name: c.Args().First(), Hash: hash, Namespace: namespace, Models: models, Admin: c.Bool("admin"), Streams: c.Int("max-streams"), Queue: c.Int("max-queue")})
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Err, key)
	_, err = fmt.Fprintf(env.Out, "%s\n", line)
	return err
}
