package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// wheelTags are the names of platforms in Python. Go 1.26 starts on macOS 12 and later; the oldest glibc is checked when the program is
// built.
var wheelTags = map[target]string{
	{"linux", "amd64"}:   fmt.Sprintf("manylinux_%d_%d_x86_64", newestGlibc[0], newestGlibc[1]),
	{"linux", "arm64"}:   fmt.Sprintf("manylinux_%d_%d_aarch64", newestGlibc[0], newestGlibc[1]),
	{"darwin", "amd64"}:  "macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "macosx_12_0_arm64",
	{"windows", "amd64"}: "win_amd64",
	{"windows", "arm64"}: "win_arm64",
}

// wheel packs the program as a script, which pip puts on the path, and the module that calls it. It needs no Python to be made.
func (m maker) wheel(program string, t target) error {
	tag, ok := wheelTags[t]
	if !ok {
		return fmt.Errorf("no name of %s in Python is known", t)
	}
	version := m.pythonVersion()
	info := "oatta-" + version + ".dist-info/"
	source := filepath.Join(m.root, "internal", "python")
	entries, err := moduleFiles(source)
	if err != nil {
		return err
	}
	metadata, err := m.wheelMetadata(source, version)
	if err != nil {
		return err
	}
	entries = append(
		entries,
		entry{name: "oatta-" + version + ".data/scripts/" + t.executable("oatta"), mode: 0o755, from: program},
		entry{name: info + "METADATA", mode: 0o644, data: metadata},
		entry{name: info + "WHEEL", mode: 0o644, data: []byte("Wheel-Version: 1.0\nGenerator: oatta-dist\nRoot-Is-Purelib: false\nTag: py3-none-" + tag + "\n")},
		entry{name: info + "licenses/LICENSE", mode: 0o644, from: filepath.Join(m.root, "LICENSE")},
		entry{name: info + "licenses/THIRD_PARTY_NOTICES.md", mode: 0o644, from: filepath.Join(m.root, "THIRD_PARTY_NOTICES.md")},
	)
	record, err := recordOf(entries, info+"RECORD")
	if err != nil {
		return err
	}
	entries = append(entries, entry{name: info + "RECORD", mode: 0o644, data: record})
	return m.create("oatta-"+version+"-py3-none-"+tag+".whl", func(w io.Writer) error { return writeZip(w, entries, m.time) })
}

// moduleFiles are those of the Python module.
func moduleFiles(source string) ([]entry, error) {
	var out []entry
	for _, pattern := range []string{"oatta/*.py", "oatta/py.typed"} {
		found, err := filepath.Glob(filepath.Join(source, filepath.FromSlash(pattern)))
		if err != nil || found == nil {
			return nil, fmt.Errorf("%s: no %s", source, pattern)
		}
		for _, f := range found {
			out = append(out, entry{name: path.Join("oatta", filepath.Base(f)), mode: 0o644, from: f})
		}
	}
	return out, nil
}

func (m maker) wheelMetadata(source, version string) ([]byte, error) {
	readme, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		return nil, err
	}
	head := []string{
		"Metadata-Version: 2.4", "Name: oatta", "Version: " + version, "Summary: " + summary, "Home-page: " + homepage, "License-Expression: Apache-2.0",
		"License-File: LICENSE", "License-File: THIRD_PARTY_NOTICES.md", "Requires-Python: >=3.9", "Requires-Dist: numpy",
		"Provides-Extra: pandas", "Requires-Dist: pandas; extra == 'pandas'",
		"Provides-Extra: networks", "Requires-Dist: onnxruntime>=1.24; extra == 'networks'",
		"Description-Content-Type: text/markdown", "", "",
	}
	return append([]byte(strings.Join(head, "\n")), readme...), nil
}

// recordOf lists the files with hash and size, as the format wants it.
func recordOf(entries []entry, own string) ([]byte, error) {
	var b bytes.Buffer
	for _, e := range sorted(entries) {
		r, size, err := e.open()
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, r)
		_ = r.Close() // opened for reading
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(h.Sum(nil)), size)
	}
	fmt.Fprintf(&b, "%s,,\n", own)
	return b.Bytes(), nil
}
