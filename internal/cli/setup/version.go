package setup

import (
	"context"
	"fmt"
	goruntime "runtime"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// VersionCommand is `oatta version`.
func VersionCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, the revision, Go and the ONNX Runtime that would be used",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return fmt.Errorf("version: unexpected argument %q", c.Args().First())
			}
			_, err := fmt.Fprintf(env.Out, "oatta         %s\nGo            %s %s/%s\nONNX Runtime  %s\n",
				console.Version(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH, engineVersion(c.Context))
			return err
		},
	}
}

// engineVersion is that of the library that is found, without fetching any, or why there is none.
func engineVersion(ctx context.Context) string {
	lib, err := ortlib.Find(ctx, ortlib.Options{Device: runtime.DeviceCPU})
	if err != nil {
		return "none: `oatta setup` finds or fetches it"
	}
	engine, err := ort.Load(lib.Path)
	if err != nil {
		return fmt.Sprintf("%s: %v", lib.Path, err)
	}
	return fmt.Sprintf("%s (%s)", engine.Version(), lib.Path)
}
