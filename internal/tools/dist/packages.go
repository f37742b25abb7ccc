package main

import (
	"io"
	"path"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // packagers by name
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	homepage    = "https://github.com/oatta/oatta"
	maintainer  = "the oatta project <oatta@users.noreply.github.com>"
	summary     = "Classifiers on ordered streams, before and after an order-aware filter"
	description = summary + "\n" +
		"Pictures of camera traps, nights of sleep, movement and posts in; raw and adapted labels out. Predictions of other programs can be\n" +
		"filtered as well. Networks run on ONNX Runtime, which `oatta setup` fetches once, or takes from a file."
	libraryFolder = "/opt/onnxruntime/lib" // where the program looks for libraries
)

// needs are what the program and the library of ONNX Runtime load, by the names of a kind of package.
var needs = map[string][]string{
	"deb": {"libc6 (>= 2.27)", "libstdc++6 (>= 7)"},
	"rpm": {"libc.so.6(GLIBC_2.27)(64bit)", "libstdc++.so.6(GLIBCXX_3.4.22)(64bit)"},
}

// packages makes the package of the program, and one of the library where that is asked for.
func (m maker) packages(kind, program string, t target, shared, library []file) error {
	contents, err := m.contents(kind, program, shared)
	if err != nil {
		return err
	}
	info := m.info(kind, "oatta", m.version, t, contents)
	info.Description, info.License = description, "Apache-2.0"
	info.Recommends, info.Suggests = []string{"ca-certificates"}, []string{"oatta-onnxruntime"}
	if err := m.pack(kind, info); err != nil || len(library) == 0 {
		return err
	}
	return m.pack(kind, m.libraryInfo(kind, t, library))
}

// libraryInfo describes a package of ONNX Runtime alone, where the program finds it.
func (m maker) libraryInfo(kind string, t target, library []file) *nfpm.Info {
	var contents files.Contents
	for _, f := range library {
		contents = append(contents, m.content(path.Join(libraryFolder, f.name), f))
	}
	version := strings.TrimPrefix(library[0].name, "libonnxruntime.so.")
	info := m.info(kind, "oatta-onnxruntime", version, t, contents)
	info.Description, info.License = "ONNX Runtime for oatta\nThe library of the ONNX Runtime project, as it publishes it.", "MIT"
	info.RPM.Summary = "ONNX Runtime for oatta"
	return info
}

func (m maker) info(kind, name, version string, t target, contents files.Contents) *nfpm.Info {
	return nfpm.WithDefaults(&nfpm.Info{
		Name: name, Arch: t.arch, Platform: t.os, Version: version, Section: "science", Priority: "optional",
		Maintainer: maintainer, Homepage: homepage, MTime: m.time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents, Umask: 0o022, Depends: needs[kind],
			RPM: nfpm.RPM{BuildHost: "oatta", Summary: summary, Group: "Applications/Engineering"},
		},
	})
}

func (m maker) content(to string, f file) *files.Content {
	return &files.Content{Source: f.from, Destination: to, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode(), MTime: m.time}}
}

// contents are the files of the package, where Linux keeps them.
func (m maker) contents(kind, program string, shared []file) (files.Contents, error) {
	out := files.Contents{m.content("/usr/bin/oatta", file{from: program, executable: true})}
	for _, f := range shared {
		to := placeOf(kind, f.name)
		if strings.HasPrefix(f.name, "man/") {
			from, err := m.compressed(f)
			if err != nil {
				return nil, err
			}
			f.from = from
		}
		out = append(out, m.content(to, f))
	}
	return out, nil
}

// placeOf tells where a shared file goes; Debian and Fedora differ in the folder of zsh, and in the name of the licence.
func placeOf(kind, name string) string {
	zsh, licence := "/usr/share/zsh/site-functions/_oatta", "/usr/share/licenses/oatta/LICENSE"
	if kind == "deb" {
		zsh, licence = "/usr/share/zsh/vendor-completions/_oatta", "/usr/share/doc/oatta/copyright"
	}
	places := map[string]string{
		"completions/_oatta": zsh, "completions/oatta.bash": "/usr/share/bash-completion/completions/oatta",
		"completions/oatta.fish": "/usr/share/fish/vendor_completions.d/oatta.fish", "LICENSE": licence,
	}
	if to, ok := places[name]; ok {
		return to
	}
	if page, ok := strings.CutPrefix(name, "man/"); ok {
		return "/usr/share/man/man1/" + page + ".gz"
	}
	return path.Join("/usr/share/doc/oatta", name)
}

func (m maker) pack(kind string, info *nfpm.Info) error {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	return m.create(packager.ConventionalFileName(info), func(w io.Writer) error { return packager.Package(info, w) })
}
