// Command dist makes what users install: for each platform the program, in archives, packages of Debian and RPM, a wheel for Python and
// an image for containers, with checksums, bills of materials, and recipes for Homebrew, winget and conda.
//
//	go -C internal/tools run ./dist -out DIR [-platforms linux/amd64,...] [-only archive,wheel]
//
// The same commit gives the same bytes, in whatever folder and at whatever time: all times are the commit's, all names are sorted, and
// nothing tells of the machine. It stands in the module of the tools, so that what writes packages is no dependency of the program.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// platforms are those that are made by default.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// kinds are what can be made for a platform.
var kinds = []string{"archive", "deb", "rpm", "image", "sbom", "wheel"}

// options are the flags.
type options struct {
	out       string
	targets   []target
	kinds     []string
	cgo       bool
	libraries string // folder with libraries of ONNX Runtime, as `oatta setup` caches them; "": packages come without
	url       string // where the files will lie, for the recipes; {version} is replaced
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:])
	if err == nil {
		err = dist(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("dist", flag.ExitOnError)
	out := flags.String("out", "../../out/dist", "`folder` that is written; files of an earlier run that are not made again are removed")
	list := flags.String("platforms", strings.Join(platforms, ","), "systems and processors, as Go names them; host is this machine's")
	only := flags.String("only", strings.Join(kinds, ","), "what is made")
	cgo := flags.Bool("cgo", false, "build with the C compiler in CC, for this machine's platform alone")
	libraries := flags.String("libraries", "", "`folder` with ONNX Runtime, as `oatta setup` caches it (ort/VERSION-OS-ARCH-cpu below the cache): archives and images hold it, and packages of their own")
	url := flags.String("url", "https://github.com/oatta/oatta/releases/download/v{version}", "where the files will lie, for the recipes")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	o := options{out: *out, kinds: strings.Split(*only, ","), cgo: *cgo, libraries: *libraries, url: *url}
	for _, kind := range o.kinds {
		if !slices.Contains(kinds, kind) {
			return options{}, fmt.Errorf("-only %s: want some of %s", kind, strings.Join(kinds, ","))
		}
	}
	for _, name := range strings.Split(*list, ",") {
		if name == "host" {
			name = host().String()
		}
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			return options{}, fmt.Errorf("-platforms %s: want a system and a processor, as linux/amd64", name)
		}
		o.targets = append(o.targets, target{system, arch})
	}
	var err error
	if o.out, err = filepath.Abs(o.out); err != nil {
		return options{}, err
	}
	return o, nil
}

func (o options) makes(kind string) bool { return slices.Contains(o.kinds, kind) }

// dist makes everything in a folder beside o.out, which then takes its place.
func dist(ctx context.Context, o options) error {
	work, err := os.MkdirTemp("", "oatta-dist")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // temporary
	r, err := readRelease(ctx, filepath.Join(work, "source"))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "dist: %s of %s\n", r.version, r.time.Format("2006-01-02 15:04:05"))
	if r.changed {
		fmt.Fprintln(os.Stderr, "dist: changes that are not committed are left out")
	}
	fresh := o.out + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.MkdirAll(fresh, 0o755); err != nil {
		return err
	}
	m := maker{options: o, release: r, work: work, dir: fresh}
	if err := m.all(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	return os.Rename(fresh, o.out)
}

// maker makes files in dir; work is for what is needed on the way.
type maker struct {
	options
	release
	work, dir string
}

func (m maker) all(ctx context.Context) error {
	shared, err := m.shared(ctx)
	if err != nil {
		return err
	}
	for _, t := range m.targets {
		if err := m.platform(ctx, t, shared); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	sums, err := hashFolder(m.dir)
	if err != nil {
		return err
	}
	if err := m.recipes(sums); err != nil {
		return err
	}
	return writeSums(m.dir)
}

// platform makes all that is for one platform.
func (m maker) platform(ctx context.Context, t target, shared []file) error {
	program, err := m.build(ctx, t)
	if err != nil {
		return err
	}
	if err := checkSymbols(program, t); err != nil {
		return err
	}
	library, err := m.library(t)
	if err != nil {
		return err
	}
	steps := []struct {
		kind string
		on   bool
		make func() error
	}{
		{"sbom", true, func() error { return m.sbom(ctx, program, t) }},
		{"archive", true, func() error { return m.archive(program, t, shared, library) }},
		{"deb", t.os == "linux", func() error { return m.packages("deb", program, t, shared, library) }},
		{"rpm", t.os == "linux", func() error { return m.packages("rpm", program, t, shared, library) }},
		{"wheel", true, func() error { return m.wheel(program, t) }},
		{"image", t.os == "linux", func() error { return m.image(ctx, program, t, shared, library) }},
	}
	for _, s := range steps {
		if !s.on || !m.makes(s.kind) {
			continue
		}
		if err := s.make(); err != nil {
			return fmt.Errorf("%s: %w", s.kind, err)
		}
	}
	return nil
}
