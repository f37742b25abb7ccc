package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/internal/cli/files"
)

// identityName is the file that makes a folder that of a training: what it was begun with.
const identityName = "training.json"

// prepareFolder makes the folder, and refuses one that holds something else.
func prepareFolder(folder string, resume, overwrite bool) error {
	switch {
	case folder == "":
		return errors.New("no folder: give -o FOLDER")
	case resume && overwrite:
		return errors.New("--resume and --overwrite: choose one")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := files.MayCreate(folder); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) == 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(folder, identityName)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: is not empty, and what is in it is no training", folder)
	}
	if !resume && !overwrite {
		return fmt.Errorf("%s: holds a training: --resume goes on with it, --overwrite begins anew", folder)
	}
	return nil
}

// forget removes what an earlier training left, its model included.
func forget(folder, name string) error {
	err := os.RemoveAll(filepath.Join(folder, "checkpoints"))
	for _, f := range []string{identityName, name + ".onnx", name + ".json", "README.md", "scores.json", "metrics.csv", "curves.svg"} {
		if e := os.Remove(filepath.Join(folder, f)); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// readIdentity returns what the training of a folder was begun with; nil if it has none yet.
func readIdentity(folder string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(folder, identityName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out map[string]string
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, identityName), err)
	}
	return out, nil
}
