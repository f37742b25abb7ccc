package setup

import (
	"context"
	"fmt"
	goruntime "runtime"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// VersionCommand is `oatta version`.
func VersionCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, the revision, Go and the ONNX Runtime that would be used",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "for programs: what is not known is left out"}},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return fmt.Errorf("version: unexpected argument %q", c.Args().First())
			}
			library := findLibrary(c.Context)
			if c.Bool("json") {
				return files.WriteIndented(env.Out, versions(library))
			}
			_, err := fmt.Fprintf(env.Out, "oatta         %s\nGo            %s %s/%s\nONNX Runtime  %s\n",
				console.Version(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH, library)
			return err
		},
	}
}

// programVersions is what `version --json` prints.
type programVersions struct {
	Version  string  `json:"version"`            // of the release
	Revision string  `json:"revision,omitempty"` // as git names it
	Changed  bool    `json:"changed,omitempty"`  // files were not those of the revision
	Go       string  `json:"go"`
	Platform string  `json:"platform"` // operating system and processor, as Go names them
	Engine   *engine `json:"onnxruntime,omitempty"`
}

// engine is the library that a run on the CPU would load.
type engine struct {
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	Error   string `json:"error,omitempty"` // why it cannot be loaded
}

func versions(library *engine) programVersions {
	b := console.Built()
	return programVersions{b.Number, b.Revision, b.Changed, goruntime.Version(), goruntime.GOOS + "/" + goruntime.GOARCH, library}
}

// findLibrary looks for the library, without fetching any; nil: there is none.
func findLibrary(ctx context.Context) *engine {
	lib, err := ortlib.Find(ctx, ortlib.Options{Device: runtime.DeviceCPU})
	if err != nil {
		return nil
	}
	version, err := ort.Version(lib.Path)
	if err != nil {
		return &engine{Path: lib.Path, Error: err.Error()}
	}
	return &engine{Version: version, Path: lib.Path}
}

func (e *engine) String() string {
	switch {
	case e == nil:
		return "none: `oatta setup` finds or fetches it"
	case e.Error != "":
		return e.Path + ": " + e.Error
	}
	return fmt.Sprintf("%s (%s)", e.Version, e.Path)
}
