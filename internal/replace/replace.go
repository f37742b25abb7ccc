package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
)

// CheckName reports a path whose last part cannot be the name of a file: on Windows that of a device, also with an ending, as aux.csv, and one
// with a colon.
func CheckName(path string) error {
	if goruntime.GOOS == "windows" && !filepath.IsLocal(filepath.Base(path)) {
		return fmt.Errorf("%s: Windows has no files of this name", path)
	}
	return nil
}

// Bytes replaces a file, or makes it, as [File] does.
func Bytes(path string, data []byte) error {
	return File(path, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// File replaces a file, or makes it: write fills a new one beside it, which is synced and takes its place. It keeps the permissions of the
// old one. With an error the old file is as it was, and nothing is left beside it; a kill may leave PATH.part, which the next call
// replaces: one writes a path at a time. What is there and no regular file, such as a folder or a device, is an error. Errors of write come
// back as they are, others name the file. On Windows a file that is open, here or elsewhere, cannot be replaced: after two seconds that is an
// error.
func File(path string, write func(f *os.File) error) error {
	if err := CheckName(path); err != nil {
		return err
	}
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
		err = Rename(f.Name(), path)
	}
	if Held(err) {
		err = fmt.Errorf("another program has it open, or it is read-only: %w", err)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// beside makes the new file. Its permissions are those that the user's mask leaves. What a kill left of an earlier one goes.
func beside(path string) (*os.File, error) {
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
}
