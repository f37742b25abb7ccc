package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// user is whom an image runs as: nobody in particular, who owns a home for the cache.
const user = 65532

// image writes an image as a tar of an OCI layout: what the program loads (see base), the program, and ONNX Runtime where that is
// asked for. It has no shell and no package manager.
func (m maker) image(ctx context.Context, program string, t target, shared, library []file) error {
	base, err := m.base(ctx, t)
	if err != nil {
		return err
	}
	own := []entry{
		{name: "usr/bin/oatta", mode: 0o755, from: program},
		{name: "home/oatta/", mode: 0o755, uid: user},
		{name: "data/", mode: 0o755, uid: user},
		{name: "tmp/", mode: 0o1777},
		{name: "etc/passwd", mode: 0o644, data: []byte("root:x:0:0:root:/root:/sbin/nologin\noatta:x:65532:65532:oatta:/home/oatta:/sbin/nologin\n")},
		{name: "etc/group", mode: 0o644, data: []byte("root:x:0:\noatta:x:65532:\n")},
	}
	for _, f := range shared {
		if f.name == "LICENSE" || f.name == "THIRD_PARTY_NOTICES.md" {
			own = append(own, entryOf(path.Join("usr/share/doc/oatta", f.name), f))
		}
	}
	layers := [][]entry{base, own}
	if len(library) > 0 {
		var files []entry
		for _, f := range library {
			files = append(files, entryOf(path.Join(libraryFolder[1:], f.name), f))
		}
		layers = append(layers, files)
	}
	return m.writeImage(t, layers)
}

func (m maker) writeImage(t target, layers [][]entry) error {
	config := &v1.ConfigFile{
		Architecture: t.arch, OS: t.os, Created: v1.Time{Time: m.time},
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			Entrypoint: []string{"/usr/bin/oatta"}, Cmd: []string{"--help"}, User: "65532:65532", WorkingDir: "/data",
			Env: []string{"PATH=/usr/bin", "HOME=/home/oatta", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
			Labels: map[string]string{
				"org.opencontainers.image.title": "oatta", "org.opencontainers.image.version": m.version, "org.opencontainers.image.revision": m.revision,
				"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.source": homepage, "org.opencontainers.image.description": summary,
			},
		},
	}
	img, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), config)
	if err != nil {
		return err
	}
	for _, entries := range layers {
		layer, err := layerOf(entries, m.time)
		if err != nil {
			return err
		}
		history := v1.History{Created: v1.Time{Time: m.time}, CreatedBy: "oatta's dist"}
		if img, err = mutate.Append(img, mutate.Addendum{Layer: layer, History: history, MediaType: types.OCILayer}); err != nil {
			return err
		}
	}
	return m.writeLayout(t, img)
}

func layerOf(entries []entry, at time.Time) (v1.Layer, error) {
	var b bytes.Buffer
	if err := writeTarGz(&b, entries, at); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}

// writeLayout writes the folder of an OCI layout and packs it.
func (m maker) writeLayout(t target, img v1.Image) error {
	dir := filepath.Join(m.work, t.os+"-"+t.arch, "image")
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	name := "oatta:" + m.version
	names := map[string]string{"org.opencontainers.image.ref.name": name, "io.containerd.image.name": "docker.io/library/" + name} // of podman, of Docker
	if err := l.AppendImage(img, layout.WithAnnotations(names), layout.WithPlatform(v1.Platform{OS: t.os, Architecture: t.arch})); err != nil {
		return err
	}
	var entries []entry
	err = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		entries = append(entries, entry{name: filepath.ToSlash(rel), mode: 0o644, from: p})
		return err
	})
	if err != nil {
		return err
	}
	return m.create(m.fileName(t, ".oci.tar"), func(w io.Writer) error { return writeTar(w, entries, m.time) })
}
