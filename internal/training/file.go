package training

import (
	"errors"
	"fmt"
	"os"
)

// writeFile replaces a file in one step: a reader sees the old one or the new one, whole.
func writeFile(path string, data []byte) error {
	part := path + ".part"
	f, err := os.Create(part) // nobody else writes in the folder of a run
	if err != nil {
		return fmt.Errorf("training: %w", err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return fmt.Errorf("training: %w", errors.Join(err, os.Remove(part)))
	}
	return nil
}
