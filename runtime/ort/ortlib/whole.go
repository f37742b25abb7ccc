package ortlib

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// CheckFile reports a file that is no whole shared library for this machine. The dynamic loader maps a file without looking
// whether all of it is there, and a process that touches what is missing is killed by a signal: so this belongs before every
// load. It reads headers only, by the formats' own specifications (ELF, Mach-O, PE): what is wrong between them, only a hash
// can tell. The error names the file and says what to do about it.
func CheckFile(file string) error {
	var missing *os.PathError
	err := checkLibrary(file, hostPlatform())
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		return fmt.Errorf("ortlib: %w", err)
	}
	return fmt.Errorf("ortlib: %s: %w; if it was fetched by `oatta setup`, run that again, else give another file", file, err)
}

// checkLibrary holds a file against a platform. Of processors that have no entry in our list, only the file's wholeness is
// looked at: somebody may have built a library for them.
func checkLibrary(file, platform string) error {
	if _, known := machines[archOf(platform)]; known {
		if err := checkPlatform(file, platform); err != nil {
			return err
		}
	}
	f, size, err := openSized(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	return checkWhole(f, size, platform)
}

// checkWhole reports a shared library of which a part is missing.
func checkWhole(r io.ReaderAt, size int64, platform string) error {
	check := wholeELF
	switch kin(osOf(platform)) {
	case "darwin":
		check = func(r io.ReaderAt, size int64) error { return wholeMachO(r, size, archOf(platform)) }
	case "windows":
		check = wholePE
	}
	if err := check(r, size); err != nil {
		return fmt.Errorf("it is truncated or damaged: %w", err)
	}
	return nil
}

// partOf reports a part that is not in the file. Offsets come from the file, so their sum may overflow.
func partOf(kind string, i int, offset, length uint64, size int64) error {
	if offset > uint64(size) || length > uint64(size)-offset {
		return fmt.Errorf("%s %d has %d bytes from byte %d on, the file only %d", kind, i, length, offset, size)
	}
	return nil
}

// wholeELF relies on elf.NewFile to read the tables of segments and sections whole; the latter mostly ends the file.
func wholeELF(r io.ReaderAt, size int64) error {
	f, err := elf.NewFile(r)
	if err != nil {
		return err
	}
	for i, p := range f.Progs {
		if err := partOf("segment", i, p.Off, p.Filesz, size); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_LOAD }) {
		return errors.New("it has no segment to load")
	}
	return nil
}

// wholeMachO takes a library for one processor, or one for several that has ours among them.
func wholeMachO(r io.ReaderAt, size int64, arch string) error {
	fat, err := macho.NewFatFile(r)
	if errors.Is(err, macho.ErrNotFat) {
		f, err := macho.NewFile(r)
		if err != nil {
			return err
		}
		return wholeSegments(f, size)
	}
	if err != nil {
		return err
	}
	for i, a := range fat.Arches {
		if err := partOf("part", i, uint64(a.Offset), uint64(a.Size), size); err != nil {
			return err
		}
	}
	i := slices.IndexFunc(fat.Arches, func(a macho.FatArch) bool { return uint32(a.Cpu) == machines[arch].macho })
	if i < 0 {
		return fmt.Errorf("it has no part for %s", arch)
	}
	return wholeSegments(fat.Arches[i].File, int64(fat.Arches[i].Size))
}

func wholeSegments(f *macho.File, size int64) error {
	found := 0
	for i, l := range f.Loads {
		s, ok := l.(*macho.Segment)
		if !ok {
			continue
		}
		if err := partOf("segment", i, s.Offset, s.Filesz, size); err != nil {
			return err
		}
		found++
	}
	if found == 0 {
		return errors.New("it has no segment to load")
	}
	return nil
}

func wholePE(r io.ReaderAt, size int64) error {
	f, err := pe.NewFile(r)
	if err != nil {
		return err
	}
	for i, s := range f.Sections {
		if err := partOf("section", i, uint64(s.Offset), uint64(s.Size), size); err != nil {
			return err
		}
	}
	if len(f.Sections) == 0 {
		return errors.New("it has no section to load")
	}
	return nil
}
