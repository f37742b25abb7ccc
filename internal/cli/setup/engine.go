package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// LoadEngine finds the library that `oatta setup` fetched, or another one, and loads it.
func LoadEngine(ctx context.Context, device runtime.Device) (*ort.Engine, error) {
	lib, err := ortlib.Find(ctx, ortlib.Options{Device: device})
	if errors.Is(err, ortlib.ErrNotFound) {
		command := "oatta setup"
		if device == runtime.DeviceCUDA {
			command += " --device cuda" // without that it would take the CPU library that was not good enough here
		}
		return nil, fmt.Errorf("%w\nRun `%s` to fetch it, or, without a network, `%s --from FILE`", err, command, command)
	}
	if err != nil {
		return nil, err
	}
	return ort.Load(lib.Path)
}

// DeviceFlags are those that say where networks run, under a heading of the command's help.
func DeviceFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "device", Value: "cpu", Category: category, Usage: "cpu, cuda or auto"},
		&cli.IntFlag{Name: "device-id", Category: category, DefaultText: "0", Usage: "which accelerator, from 0"},
	}
}
