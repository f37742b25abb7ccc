package ortlib

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

// TestTable holds the table against its own rules: one entry for each method, platform and device, whole hashes, none twice,
// and first the library.
func TestTable(t *testing.T) {
	entries, hashes := map[string]bool{}, map[string]string{}
	for _, p := range table {
		key := strings.Join([]string{string(p.method), p.platform, string(p.device)}, " ")
		if entries[key] {
			t.Errorf("%s: two entries", key)
		}
		entries[key] = true
		if !isLibraryName(path.Base(p.files[0].name), osOf(p.platform)) {
			t.Errorf("%s: %s is no name of a library", key, p.files[0].name)
		}
		if tooOld(p.version) || (p.method == MethodPip) != (len(p.tags) > 0) {
			t.Errorf("%s: version %s, tags %v", key, p.version, p.tags)
		}
		for _, f := range p.files {
			if !hexHash.MatchString(f.sha256) || hashes[f.sha256] != "" {
				t.Errorf("%s: %s: hash %q, also of %q", key, f.name, f.sha256, hashes[f.sha256])
			}
			hashes[f.sha256] = f.name
		}
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		for _, m := range []Method{MethodPip, MethodNpm, MethodRelease} {
			if !entries[strings.Join([]string{string(m), platform, "cpu"}, " ")] {
				t.Errorf("no entry for %s, %s", m, platform)
			}
		}
	}
	if !entries["pip linux/amd64 cuda"] {
		t.Error("no entry for CUDA")
	}
}

// TestTableAgainstTheRealLibrary hashes the library of the wheel where it is at hand.
func TestTableAgainstTheRealLibrary(t *testing.T) {
	file := libraryOfWheel(t)
	if !isFile(file) {
		t.Skip("the asset is of another platform")
	}
	hash, err := hashFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := knownAs(hash, "linux/amd64"); !ok || p.method != MethodPip || p.device != runtime.DeviceCPU {
		t.Errorf("%s is pinned as %v, %v", hash, p, ok)
	}
	if err := checkPlatform(file, "linux/amd64"); err != nil {
		t.Error(err)
	}
	if _, ok := knownAs(hash, "linux/arm64"); ok {
		t.Error("it is known for another platform")
	}
}

func TestPinFor(t *testing.T) {
	_, err := pinFor(MethodRelease, "linux/amd64", runtime.DeviceCUDA)
	expectError(t, err, "no package is pinned for linux/amd64, cuda", "windows/arm64 cpu")
	_, err = pinFor(MethodPip, "darwin/amd64", runtime.DeviceCPU)
	expectError(t, err, "no package is pinned for darwin/amd64")
}

func TestLibraryNames(t *testing.T) {
	for goos, names := range map[string][]string{
		"linux":   {"libonnxruntime.so", "libonnxruntime.so.1", "libonnxruntime.so.1.24.4"},
		"darwin":  {"libonnxruntime.dylib", "libonnxruntime.1.24.4.dylib"},
		"windows": {"onnxruntime.dll", "ONNXRuntime.DLL"},
		"freebsd": {"libonnxruntime.so.1"},
	} {
		for _, n := range append(names, plainName(goos)) {
			if !isLibraryName(n, goos) {
				t.Errorf("%s is no library on %s", n, goos)
			}
		}
		for _, n := range slices.Concat(providerNames(goos), []string{"libonnxruntime.so.1.24.4.bak", "libonnxruntime4j_jni.so", "onnxruntime.lib", "xlibonnxruntime.dylib"}) {
			if isLibraryName(n, goos) {
				t.Errorf("%s is a library on %s", n, goos)
			}
		}
	}
}

func TestTooOld(t *testing.T) {
	for version, want := range map[string]bool{"1.23.2": true, "0.5.0": true, "1.24.0": false, "1.100.0": false, "2.0.0": false, "": false, "custom": false} {
		if got := tooOld(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestPlatformOf(t *testing.T) {
	macho := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0xfeedfacf), 0x0100000c)
	pe := make([]byte, 0x100)
	copy(pe, "MZ")
	pe[0x3c] = 0x80
	copy(pe[0x80:], "PE\x00\x00\x64\x86")
	for want, header := range map[string][]byte{
		"linux/amd64": elfOf(62, ""), "linux/arm64": elfOf(183, ""), "linux/machine 0xf3": elfOf(243, ""),
		"darwin/arm64": macho, "darwin/any": {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2}, "windows/amd64": pe,
	} {
		goos, arch, err := platformOf(header)
		if got := goos + "/" + arch; err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	for name, header := range map[string][]byte{"empty": nil, "32 bits": append([]byte("\x7fELF\x01\x01"), make([]byte, 60)...), "no PE": []byte("MZ" + strings.Repeat("\xff", 0x100)), "text": []byte("hello, this is some text")} {
		if _, _, err := platformOf(header); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
