package ortlib

import (
	"bytes"
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// told returns the version that a library itself tells, for those whose names do not, or "". Only what ONNX Runtime's own build writes is
// read: for Windows the resource with the file's version, of which the first two numbers are those of the release; elsewhere the name
// under which its symbols are versioned, as VERS_1.24.4.
func told(path, goos string) string {
	read := symbolVersion
	switch kin(goos) {
	case "windows":
		read = resourceVersion
	case "darwin":
		return ""
	}
	version, err := read(path)
	if err != nil { // what is wrong with the file is told where it is checked
		return ""
	}
	return version
}

func symbolVersion(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	versions, err := f.DynamicVersions()
	if err != nil {
		return "", err
	}
	for _, v := range versions {
		if number, ok := strings.CutPrefix(v.Name, "VERS_"); ok {
			return versionIn(number), nil
		}
	}
	return "", errors.New("its symbols have no version")
}

// fixedFileInfo is how the binary part of a version resource begins (VS_FIXEDFILEINFO): a signature, and the version of the structure.
var fixedFileInfo = []byte{0xbd, 0x04, 0xef, 0xfe, 0, 0, 1, 0}

// maxResources bounds the bytes of a DLL's resources.
const maxResources = 16 << 20

func resourceVersion(path string) (string, error) {
	f, err := pe.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	section := f.Section(".rsrc")
	if section == nil || section.Size > maxResources {
		return "", errors.New("it has no resources")
	}
	data, err := section.Data()
	if err != nil {
		return "", err
	}
	_, rest, found := bytes.Cut(data, fixedFileInfo)
	if !found || len(rest) < 4 {
		return "", errors.New("its resources have no version")
	}
	minor, major := binary.LittleEndian.Uint16(rest), binary.LittleEndian.Uint16(rest[2:])
	if major == 0 {
		return "", errors.New("its version is none")
	}
	return fmt.Sprintf("%d.%d", major, minor), nil
}
