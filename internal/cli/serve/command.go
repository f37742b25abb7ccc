package serve

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/cli/setup"
)

const (
	serverCategory   = "SERVER"
	securityCategory = "SECURITY"
	modelCategory    = "MODELS"
	limitCategory    = "LIMITS"
	computeCategory  = "COMPUTE"
)

// Command is `oatta serve`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "answer items of many live streams over REST and gRPC, by the Open Inference Protocol",
		Description: "Serves `filter`, which takes the probabilities of another program (--classes), and the networks of -m. Each stream has a filter, which is\n" +
			"kept in --state and survives restarts; an answer leaves when the state is on the disk. A signal ends it in order: what was asked is answered.",
		Flags: slices.Concat(serverFlags(), securityFlags(), modelFlags(), keptFlags(), limitFlags(), natsFlags(), timeFlags(), computeFlags(),
			filtering.CausalFlags(), predictor.Flags()),
		Action: func(c *cli.Context) error { return run(c, env) },
	}
}

func serverFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8000", Category: serverCategory, Usage: "`ADDRESS` for REST and gRPC; port 0 takes a free one"},
		&cli.StringFlag{Name: "config", Category: serverCategory, Usage: "YAML `FILE` of what flags say, by their names; a flag that is given counts more"},
		&cli.StringFlag{Name: "log", Value: "text", Category: serverCategory, Usage: "how the log is written: text or json; it never holds inputs, outputs or names of streams"},
		&cli.BoolFlag{Name: "log-requests", Category: serverCategory, Usage: "log a line for each request"},
		&cli.StringFlag{Name: "pprof", Category: serverCategory, Usage: "`ADDRESS` of the loopback for profiles of the program, as 127.0.0.1:6060"},
		&cli.DurationFlag{Name: "drain", Value: 30 * time.Second, Category: serverCategory, Usage: "how long requests under way may take after a signal"},
	}
}

func securityFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "tokens", Category: securityCategory, Usage: "`FILE` of keys, one a line, as `oatta key` makes them: who may use which models, and whose streams are whose; read again on SIGHUP"},
		&cli.StringFlag{Name: "tls-cert", Category: securityCategory, Usage: "`FILE` of the server's certificate, PEM"},
		&cli.StringFlag{Name: "tls-key", Category: securityCategory, Usage: "`FILE` of its key, PEM"},
		&cli.StringFlag{Name: "tls-client-ca", Category: securityCategory, Usage: "`FILE` of authorities, PEM: clients must show a certificate of theirs; without --tokens its common name is the namespace of their streams"},
		&cli.BoolFlag{Name: "insecure", Category: securityCategory, Usage: "listen on other addresses than the loopback's, to anyone, without --tokens and --tls-client-ca"},
	}
}

func modelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "model", Aliases: []string{"m"}, Category: modelCategory, Usage: "serve a network: `NAME` of an embedded model, or path of an ONNX file or manifest; as=PATH gives it another name, as:2=PATH a version; may be given again"},
		&cli.StringFlag{Name: "classes", Category: modelCategory, Usage: "serve filter, for vectors of so many classes: their `NUMBER`, a file of names, one a line, or names separated by commas"},
	}
}

func keptFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "state", Category: filtering.StateCategory, Usage: "`FOLDER` that keeps the streams, a file for each model; without it they end with the server"},
		&cli.StringFlag{Name: "state-key", Category: filtering.StateCategory, Usage: "`FILE` of a key of 32 bytes, in hexadecimal or base64, that seals the state"},
		&cli.BoolFlag{Name: "durable", Value: true, Category: filtering.StateCategory, Usage: "answer when the state is on the disk; --durable=false answers before: a crash loses the last answered items"},
		&cli.Int64Flag{Name: "max-memory", Value: 1 << 30, Category: filtering.StateCategory, Usage: "about the most `BYTES` of memory for the filters of each model and their commits; the others wait in the file"},
		&cli.DurationFlag{Name: "forget-after", Category: filtering.StateCategory, Usage: "forget streams without an item for so long, as 720h (default: never)"},
	}
}

func limitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "max-streams", Value: 1_000_000, Category: limitCategory, Usage: "streams that a model keeps"},
		&cli.IntFlag{Name: "max-namespace-streams", DefaultText: "none of its own", Category: limitCategory, Usage: "streams of one namespace that a model keeps; the file of --tokens may say others"},
		&cli.IntFlag{Name: "max-namespace-queue", DefaultText: "none of its own", Category: limitCategory, Usage: "rows of one namespace that wait at a model; the file of --tokens may say others"},
		&cli.IntFlag{Name: "max-rows", Value: 4096, Category: limitCategory, Usage: "rows of one request"},
		&cli.IntFlag{Name: "max-queue", Value: 65536, Category: limitCategory, Usage: "rows that wait at a model before clients are told to come later"},
		&cli.IntFlag{Name: "max-stream-queue", Value: 256, Category: limitCategory, Usage: "requests of one stream that wait"},
		&cli.IntFlag{Name: "max-connections", Value: 4096, Category: limitCategory, Usage: "connections at once; others wait until one of them is closed, as each is after two minutes without a request"},
		&cli.IntFlag{Name: "max-body", Value: 64 << 20, Category: limitCategory, Usage: "`BYTES` of a request"},
		&cli.Int64Flag{Name: "max-pixels", Value: 32 << 20, Category: limitCategory, Usage: "pixels of a picture"},
		&cli.IntFlag{Name: "keys", Value: 16, Category: limitCategory, Usage: "of the last requests of a stream with a key that are known again, with their answers"},
	}
}

func timeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "late", Value: string(timeline.PolicyKeep), Category: filtering.TimeCategory, Usage: "items earlier than one before them, and those that come twice: keep (take them as they come), drop, restart (the stream starts anew), error"},
	}
}

func computeFlags() []cli.Flag {
	return append(setup.DeviceFlags(computeCategory),
		&cli.IntFlag{Name: "batch", Category: computeCategory, DefaultText: "4 on CPU, 32 on CUDA", Usage: "items a run of the network; for tent, streams that one run may advance"},
		&cli.IntFlag{Name: "runs", Category: computeCategory, DefaultText: "one a core on CPU, 2 on CUDA", Usage: "runs of a network at the same time; of tent one"},
		&cli.IntFlag{Name: "threads", Category: computeCategory, DefaultText: "1", Usage: "threads inside one run"},
		&cli.DurationFlag{Name: "delay", Category: computeCategory, DefaultText: "none", Usage: "how long a run of the network, or a commit, waits for more items to share it, as 2ms; under load they share without"},
	)
}
