package ortlib

import (
	"bytes"
	"context"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

// resourcesOf returns a DLL whose one section is resources with a file version, as 1.17.24.3.
func resourcesOf(machine, major, minor uint16) []byte {
	info := bytes.Clone(fixedFileInfo)
	for _, n := range []uint16{minor, major, 3, 24} {
		info = binary.LittleEndian.AppendUint16(info, n)
	}
	dll := peOf(machine, "resources: "+string(info))
	return bytes.Replace(dll, []byte(".text"), []byte(".rsrc"), 1)
}

func TestTold(t *testing.T) {
	short := bytes.TrimSuffix(resourcesOf(0x8664, 1, 24), []byte{24, 0, 1, 0, 3, 0, 24, 0})
	for name, c := range map[string]struct {
		data []byte
		goos string
		want string
	}{
		"new DLL":            {resourcesOf(0x8664, 1, 24), "windows", "1.24"},
		"old DLL":            {resourcesOf(0xaa64, 1, 17), "windows", "1.17"},
		"no version":         {resourcesOf(0x8664, 0, 0), "windows", ""},
		"no resources":       {peOf(0x8664, "text"), "windows", ""},
		"cut off":            {short, "windows", ""},
		"no DLL":             {[]byte("text"), "windows", ""},
		"no symbols":         {library, "linux", ""},
		"of another system":  {resourcesOf(0x8664, 1, 24), "linux", ""},
		"macOS, by its name": {machoOf(0x0100000c, "text"), "darwin", ""},
	} {
		if got := told(write(t, filepath.Join(t.TempDir(), "lib"), c.data), c.goos); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A library that `oatta setup` has fetched for this machine tells the version that its folder has.
func TestToldByARealLibrary(t *testing.T) {
	lib, err := Find(context.Background(), Options{})
	if err != nil || lib.Version == "" || osOf(hostPlatform()) == "darwin" {
		t.Skipf("no library of a known version: %v", err)
	}
	if got := told(lib.Path, osOf(hostPlatform())); got == "" || !strings.HasPrefix(lib.Version, got) {
		t.Errorf("%s tells %q, want %q or its beginning", lib.Path, got, lib.Version)
	}
}

// An old library in a folder that is looked in first is in nobody's way, and is told; on Windows its name says nothing.
func TestOldOnesArePassedOver(t *testing.T) {
	o := fixture(t)
	o.Platform, o.system = "", []string{t.TempDir(), t.TempDir(), t.TempDir()}
	system := osOf(hostPlatform())
	name, old, fresh := plainName(system), native(), native()
	if system == "windows" {
		machine := uint16(machines[archOf(hostPlatform())].pe)
		old, fresh = resourcesOf(machine, 1, 17), resourcesOf(machine, 1, 24)
	} else if strings.HasSuffix(name, ".so") {
		name += ".1.17.3"
	} else {
		t.Skip("there is no library of this system to test with")
	}
	passed := write(t, filepath.Join(o.system[0], name), old)
	damaged := write(t, filepath.Join(o.system[1], plainName(system)), fresh[:60])
	want := write(t, filepath.Join(o.system[2], plainName(system)), fresh)
	var log []string
	o.Log = func(line string) { log = append(log, line) }
	if lib := find1(t, o); lib.Path != want || lib.Source != SourceSystem || lib.Device != runtime.DeviceCPU {
		t.Errorf("%+v, want %s", lib, want)
	}
	if len(log) != 2 || !strings.HasPrefix(log[0], "passed over: "+passed+" is of version 1.17") || !strings.HasPrefix(log[1], "passed over: "+damaged+": ") {
		t.Errorf("%q", log)
	}
}
