package ortlib

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// machines gives the number of a processor in the headers of ELF, Mach-O and PE files.
var machines = map[string]struct{ elf, macho, pe uint32 }{
	"amd64": {62, 0x01000007, 0x8664},
	"arm64": {183, 0x0100000c, 0xaa64},
}

// headerSize is enough of a file to tell what it is: the PE header of a DLL lies within it.
const headerSize = 4096

// readHeader returns the beginning of a file.
func readHeader(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	return io.ReadAll(io.LimitReader(f, headerSize))
}

// platformOf tells the operating system and the processor that a shared library is for from its header. Any system with ELF
// files is "linux". A library for several processors at once, as macOS has them, is of "any".
func platformOf(header []byte) (goos, arch string, err error) {
	var machine uint32
	switch {
	case len(header) >= 20 && string(header[:4]) == "\x7fELF" && header[4] == 2 && header[5] == 1:
		goos, machine = "linux", uint32(binary.LittleEndian.Uint16(header[18:]))
	case len(header) >= 8 && binary.LittleEndian.Uint32(header) == 0xfeedfacf:
		goos, machine = "darwin", binary.LittleEndian.Uint32(header[4:])
	case len(header) >= 8 && binary.BigEndian.Uint32(header) == 0xcafebabe:
		return "darwin", "any", nil
	case len(header) >= 0x40 && string(header[:2]) == "MZ":
		at := int64(binary.LittleEndian.Uint32(header[0x3c:]))
		if at+6 > int64(len(header)) || string(header[at:at+4]) != "PE\x00\x00" {
			return "", "", errors.New("a Windows program of an unknown kind")
		}
		goos, machine = "windows", uint32(binary.LittleEndian.Uint16(header[at+4:]))
	default:
		return "", "", errors.New("not a 64-bit shared library")
	}
	for name, m := range machines {
		if number := map[string]uint32{"linux": m.elf, "darwin": m.macho, "windows": m.pe}[goos]; number == machine {
			return goos, name, nil
		}
	}
	return goos, fmt.Sprintf("machine %#x", machine), nil
}

// checkPlatform reports a library that is for another machine than platform.
func checkPlatform(file, platform string) error {
	header, err := readHeader(file)
	if err != nil {
		return err
	}
	goos, arch, err := platformOf(header)
	if err != nil {
		return err
	}
	if goos != kin(osOf(platform)) || arch != "any" && arch != archOf(platform) {
		return fmt.Errorf("it is for %s/%s, want %s", goos, arch, platform)
	}
	return nil
}

// kin returns the operating system whose format of libraries another one has: most have that of Linux.
func kin(goos string) string {
	switch goos {
	case "darwin", "windows":
		return goos
	case "ios":
		return "darwin"
	}
	return "linux"
}
