package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Bytes replaces a file, or makes it, as [File] does.
func Bytes(path string, data []byte) error {
	return File(path, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// File replaces a file, or makes it: write fills a new one beside it, which is synced and takes its place. It keeps the permissions of the
// old one. With an error the old file is as it was, and nothing is left beside it; a kill may leave a hidden file, .NAME.part-*. What is
// there and no regular file, such as a folder or a device, is an error. Errors of write come back as they are, others name the file.
func File(path string, write func(f *os.File) error) error {
	old, err := os.Lstat(path)
	if err == nil && !old.Mode().IsRegular() {
		return fmt.Errorf("%s: is there and is no regular file", path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := beside(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	err = f.Sync()
	if old != nil {
		err = errors.Join(err, f.Chmod(old.Mode().Perm()))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// beside makes a file in the folder of a path. Its permissions are those that the user's mask leaves, which os.CreateTemp narrows.
func beside(path string) (f *os.File, err error) {
	for range 100 {
		name := fmt.Sprintf(".%s.part-%08x", filepath.Base(path), rand.Uint32())
		f, err = os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}
