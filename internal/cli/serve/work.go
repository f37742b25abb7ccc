package serve

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/serve/cluster"
	"github.com/oatta/oatta/serve/work"
)

// WorkCommand is `oatta work`.
func WorkCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:  "work",
		Usage: "read items from a subject of NATS, have a group of servers step them, and write the answers to another",
		Description: "Items and answers are JSON, one a message. An item is one step, however often it is delivered; several readers of one name take over from\n" +
			"each other. It wants a group of `oatta serve --nats`, whose NATS servers it reaches at --nats, and ends by a signal.",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "nats", Required: true, Category: natsCategory, Usage: "`URL`s of NATS servers, separated by commas"},
			&cli.StringFlag{Name: "in", Required: true, Usage: "`SUBJECT` of the items"},
			&cli.StringFlag{Name: "out", Required: true, Usage: "`SUBJECT` of the answers"},
			&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: filterModel, Usage: "`NAME` of the model, which takes probabilities"},
			&cli.StringFlag{Name: "namespace", Usage: "`NAME` of the namespace of the streams"},
			&cli.StringFlag{Name: "name", Value: "oatta-work", Usage: "`NAME` of the reader: those of one name share one place among the items"},
			&cli.IntFlag{Name: "shards", Value: 16, Category: natsCategory, Usage: "as the servers have it"},
			&cli.IntFlag{Name: "replicas", Value: 1, Category: natsCategory, Usage: "how many NATS servers keep items and answers, where nothing keeps the subjects yet"},
			&cli.StringFlag{Name: "log", Value: "text", Usage: "how the log is written: text or json"},
		}, connectFlags()),
		Action: func(c *cli.Context) error { return runWork(c, env) },
	}
}

func runWork(c *cli.Context, env console.Environment) error {
	stop := env.Stops.Begin()
	log, err := logger(c.String("log"), env.Err)
	if err != nil {
		return err
	}
	nc, err := dialNATS(c, c.String("nats"), []nats.Option{nats.Name("oatta work")})
	if err != nil {
		return err
	}
	defer nc.Close()
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	member, err := cluster.New(nc, cluster.Options{Group: c.String("nats-group"), Name: c.String("name") + "@" + host, Shards: c.Int("shards"), Log: log})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context)
	defer cancel()
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	err = work.Run(ctx, nc, member, work.Options{
		In: c.String("in"), Out: c.String("out"), Name: c.String("name"), Model: c.String("model"), Namespace: c.String("namespace"), Replicas: c.Int("replicas"), Log: log,
	})
	return errors.Join(err, member.Close())
}
