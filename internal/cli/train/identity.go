package train

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/training"
)

// identity is what must be the same when a training is resumed, by name, so that a difference can be told.
func (t *task) identity(hash, engine string) (map[string]string, error) {
	out := map[string]string{
		"program": console.Version(), "platform": goruntime.GOOS + "/" + goruntime.GOARCH, "onnxruntime": engine,
		"network": t.info.Name, "device": t.c.String("device"), "threads": strconv.Itoa(t.threads()), "data": hash, "labels": strings.Join(t.data.Labels, ", "), "recipe": t.recipe,
	}
	for name, of := range map[string][]training.Group{"training": t.split.Train, "validation": t.split.Validation, "test": t.split.Test} {
		out[name+" "+t.group+"s"] = told(of)
	}
	for name, v := range map[string]any{"setting": t.settings, "network": t.options, "change": t.changes, "input": t.input()} {
		if err := fieldsOf(out, name, v); err != nil {
			return nil, err
		}
	}
	for _, flag := range []string{"weights", "words"} {
		path := t.c.String(flag)
		if path == "" {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		out[flag] = filtering.Digest(data)
	}
	return out, nil
}

// told names groups, of many the first and a digest of all.
func told(groups []training.Group) string {
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	const most = 40
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, ... (%d, %s)", strings.Join(names[:most], ", "), len(names), filtering.Digest(strings.Join(names, "\n"))[:16])
}

// fieldsOf adds the fields of a struct, each by its name.
func fieldsOf(out map[string]string, prefix string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		out[prefix+" "+name] = string(value)
	}
	return nil
}

// input is what the manifest says of it.
func (t *task) input() any {
	m := t.manifest
	switch {
	case m.Signal != nil:
		return *m.Signal
	case m.Text != nil:
		return *m.Text
	}
	return m.Input
}

// begin writes what the training is begun with, or compares it with what it was.
func (t *task) begin(identity map[string]string) error {
	was, err := readIdentity(t.folder)
	if err != nil {
		return err
	}
	if t.c.Bool("resume") && was != nil {
		if diff := pipeline.Differences(was, identity); diff != "" {
			return fmt.Errorf("%s: the training there was begun with something else (--overwrite begins anew):\n%s", t.folder, diff)
		}
		return nil
	}
	if err := forget(t.folder, t.manifest.Name); err != nil {
		return err
	}
	return files.ReplaceJSON(filepath.Join(t.folder, identityName), identity)
}
