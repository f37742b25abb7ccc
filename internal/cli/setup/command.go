package setup

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// Command is `oatta setup`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:  "setup",
		Usage: "find the ONNX Runtime library, or fetch, verify and cache it",
		Description: "Looks at OATTA_ORT_LIB, the cache, and the system's library paths; else fetches a pinned version by pip or npm, or from\n" +
			"the project's releases, and verifies it against pinned SHA-256 sums.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "fetch nothing; print library, version, providers, cache and models"},
			&cli.StringFlag{Name: "device", Value: "cpu", Usage: "cpu, cuda or auto"},
			&cli.StringFlag{Name: "method", Usage: "the only `METHOD` to try: pip, npm or release"},
			&cli.StringFlag{Name: "from", Usage: "`URL` or file to take it from: .whl .nupkg .zip .tgz, or the library itself"},
			&cli.StringFlag{Name: "sha256", Usage: "accept a library (or package) with this `HASH`, beside the pinned ones"},
			&cli.BoolFlag{Name: "trust", Usage: "accept a library given by --from whatever its hash"},
			&cli.StringFlag{Name: "release-url", Usage: "`URL` of the folder of release archives, for a mirror"},
		},
		Action: func(c *cli.Context) error { return setup(c, env) },
	}
}

func setup(c *cli.Context, env console.Environment) error {
	if c.NArg() > 0 {
		return fmt.Errorf("setup: unexpected argument %q", c.Args().First())
	}
	o := ortlib.Options{
		Device: runtime.Device(c.String("device")), Method: ortlib.Method(c.String("method")), From: c.String("from"),
		SHA256: c.String("sha256"), Trust: c.Bool("trust"), ReleaseURL: c.String("release-url"),
		Log: func(line string) { fmt.Fprintln(env.Err, "oatta: "+line) },
	}
	find := ortlib.Setup
	if c.Bool("check") {
		find = ortlib.Verify
	}
	lib, err := find(c.Context, o)
	if err != nil {
		return errors.Join(err, report(env, nil))
	}
	return report(env, &lib)
}

// report prints what there is, and proves that the library loads.
func report(env console.Environment, lib *ortlib.Library) error {
	var problem error
	if lib != nil {
		if engine, err := ort.Load(lib.Path); err != nil {
			problem = fmt.Errorf("%w (found by: %s)", err, lib.Source)
		} else {
			fmt.Fprintf(env.Out, "library    %s\n", engine.Library())
			fmt.Fprintf(env.Out, "version    ONNX Runtime %s\n", engine.Version())
			fmt.Fprintf(env.Out, "found by   %s\n", lib.Source)
			fmt.Fprintf(env.Out, "providers  %s\n", strings.Join(engine.Providers(), ", "))
		}
	}
	if dir, err := ortlib.CacheDir(); err != nil {
		fmt.Fprintf(env.Out, "cache      none (%v)\n", err) // which only a fetch would need
	} else {
		fmt.Fprintf(env.Out, "cache      %s\n", dir)
	}
	for i, m := range models.Embedded() {
		title := "models    "
		if i > 0 {
			title = "          "
		}
		fmt.Fprintf(env.Out, "%s %s (%d classes, %s, %s)\n", title, m.Name, m.Classes, m.Takes(), m.License)
	}
	return problem
}
