package main

import (
	"context"
	"fmt"
	goruntime "runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// release is the version of this source tree.
const release = "0.1.0"

// version returns the release, with the revision where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if revision == "" {
		return release
	}
	return release + " (" + revision + dirty + ")"
}

func versionCommand(env environment) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, the revision, Go and the ONNX Runtime that would be used",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return fmt.Errorf("version: unexpected argument %q", c.Args().First())
			}
			_, err := fmt.Fprintf(env.out, "oatta         %s\nGo            %s %s/%s\nONNX Runtime  %s\n",
				version(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH, engineVersion(c.Context))
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
