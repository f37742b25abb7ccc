package ortlib

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
)

// machoOf returns a Mach-O library for a processor, with text in its one segment.
func machoOf(cpu uint32, text string) []byte {
	const header, segment = 32, 72
	b := make([]byte, header+segment)
	le := binary.LittleEndian
	le.PutUint32(b, 0xfeedfacf)
	le.PutUint32(b[4:], cpu)
	le.PutUint32(b[12:], 6) // shared library
	le.PutUint32(b[16:], 1) // load commands
	le.PutUint32(b[20:], segment)
	le.PutUint32(b[header:], 0x19) // a segment
	le.PutUint32(b[header+4:], segment)
	le.PutUint64(b[header+40:], header+segment)
	le.PutUint64(b[header+48:], uint64(len(text)))
	return append(b, text...)
}

// fatOf returns a Mach-O library for two processors.
func fatOf(first, second []byte) []byte {
	b := make([]byte, 8+2*20)
	be := binary.BigEndian
	be.PutUint32(b, 0xcafebabe)
	be.PutUint32(b[4:], 2)
	for i, part := range [][]byte{first, second} {
		h := b[8+20*i:]
		be.PutUint32(h, binary.LittleEndian.Uint32(part[4:]))
		be.PutUint32(h[8:], uint32(len(b)))
		be.PutUint32(h[12:], uint32(len(part)))
		b = append(b, part...)
	}
	return b
}

// peOf returns a DLL for a processor, with text in its one section.
func peOf(machine uint16, text string) []byte {
	const at, headers, section = 0x80, 24, 40
	b := make([]byte, at+headers+section)
	le := binary.LittleEndian
	copy(b, "MZ")
	le.PutUint32(b[0x3c:], at)
	copy(b[at:], "PE\x00\x00")
	le.PutUint16(b[at+4:], machine)
	le.PutUint16(b[at+6:], 1) // sections
	copy(b[at+headers:], ".text")
	le.PutUint32(b[at+headers+16:], uint32(len(text)))
	le.PutUint32(b[at+headers+20:], uint32(len(b)))
	return append(b, text...)
}

// wholes are libraries of each format by a platform that they are for.
func wholes() map[string][]byte {
	intel, arm := machoOf(0x01000007, "text"), machoOf(0x0100000c, "text")
	return map[string][]byte{
		"linux/amd64": library, "linux/arm64": elfOf(183, "text"), "freebsd/amd64": library,
		"darwin/arm64": arm, "darwin/amd64": fatOf(arm, intel), "windows/amd64": peOf(0x8664, "text"),
	}
}

func TestCheckLibrary(t *testing.T) {
	for platform, data := range wholes() {
		file := write(t, filepath.Join(t.TempDir(), "lib"), data)
		if err := checkLibrary(file, platform); err != nil {
			t.Errorf("%s: %v", platform, err)
		}
		if err := checkLibrary(file, osOf(platform)+"/riscv64"); (err != nil) != strings.HasPrefix(platform, "darwin/amd64") {
			t.Errorf("%s: as one for a processor without an entry: %v", platform, err)
		}
		err := checkLibrary(file, "windows/arm64")
		expectError(t, err, "want windows/arm64")
	}
}

// TestTruncated cuts a library at every byte: each time something must be missing.
func TestTruncated(t *testing.T) {
	for platform, data := range wholes() {
		for n := range data {
			if err := checkWhole(bytes.NewReader(data[:n]), int64(n), platform); err == nil {
				t.Errorf("%s: %d of %d bytes pass for whole", platform, n, len(data))
			}
		}
	}
}

func TestDamagedHeaders(t *testing.T) {
	far := bytes.Clone(library)
	binary.LittleEndian.PutUint64(far[64+32:], 1<<62)
	none := bytes.Clone(library)
	none[56] = 0
	empty := peOf(0x8664, "")
	empty[0x86] = 0
	fat := fatOf(machoOf(0x01000007, "text"), machoOf(0x0100000c, "text"))
	for want, c := range map[string]struct {
		platform string
		data     []byte
	}{
		"segment 0 has 4611686018427387904 bytes from byte 120 on, the file only 131": {testPlatform, far},
		"no segment to load":        {testPlatform, none},
		"no section to load":        {"windows/amd64", empty},
		"no part for riscv64":       {"darwin/riscv64", fat},
		"part 1 has 108 bytes from": {"darwin/amd64", fat[:len(fat)-1]}, // ours is whole, the other is not
	} {
		err := checkWhole(bytes.NewReader(c.data), int64(len(c.data)), c.platform)
		expectError(t, err, "it is truncated or damaged", want)
	}
}

func TestCheckFile(t *testing.T) {
	here(t) // for its skip
	dir := t.TempDir()
	whole := write(t, filepath.Join(dir, "whole.so"), native())
	if err := CheckFile(whole); err != nil {
		t.Error(err)
	}
	cut := write(t, filepath.Join(dir, "cut.so"), native()[:len(native())-1])
	expectError(t, CheckFile(cut), cut, "truncated or damaged", "`oatta setup`", "give another file")
	if err := CheckFile(filepath.Join(dir, "none.so")); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func unwrapped(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return err
}

// libraryOfWheel returns the pinned library for this platform: the one that `oatta setup` put into the cache, or the asset.
func libraryOfWheel(t *testing.T) string {
	t.Helper()
	const name = "libonnxruntime.so.1.24.4"
	lib, err := Find(t.Context(), Options{Device: runtime.DeviceCPU})
	if err == nil && lib.Source == SourceCache && filepath.Base(lib.Path) == name {
		return lib.Path
	}
	return filepath.Join(testdata.Asset(t, "ort-cpu"), name)
}

// TestCheckRealLibrary expects the real library to pass, and any beginning of it not to.
func TestCheckRealLibrary(t *testing.T) {
	file := libraryOfWheel(t)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skip("the asset is of another platform")
	}
	if err := checkLibrary(file, testPlatform); err != nil {
		t.Error(err)
	}
	for _, n := range []int{0, 63, 4096, 5_000_000, len(data) / 2, len(data) - 1} {
		if err := checkWhole(bytes.NewReader(data[:n]), int64(n), testPlatform); err == nil {
			t.Errorf("%d of %d bytes pass for whole", n, len(data))
		}
	}
}

// FuzzCheckWhole must not panic, whatever the file.
func FuzzCheckWhole(f *testing.F) {
	for platform, data := range wholes() {
		f.Add(platform, data)
	}
	f.Fuzz(func(_ *testing.T, platform string, data []byte) {
		_, _, _ = platformOf(data)
		_ = checkWhole(bytes.NewReader(data), int64(len(data)), platform)
	})
}
