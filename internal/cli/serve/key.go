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
	key, hash := auth.NewKey()
	line, err := json.Marshal(auth.Line{Name: c.Args().First(), Hash: hash, Namespace: namespace, Models: models, Admin: c.Bool("admin")})
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Err, key)
	_, err = fmt.Fprintf(env.Out, "%s\n", line)
	return err
}
