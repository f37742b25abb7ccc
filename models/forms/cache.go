package forms

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/oatta/oatta/internal/lock"
	"github.com/oatta/oatta/internal/replace"
)

// kept is the file of choices: by machine, then by case.
type kept struct {
	Version int                          `json:"version"`
	Choices map[string]map[string]string `json:"choices"`
}

const keptVersion = 1

// kept reads the machine's choices. A file that cannot be read is told, and is made anew by what is kept next.
func (t *Tuner) kept() map[string]Choice {
	all, err := readKept(t.File)
	if err != nil {
		t.tell("the choices of forms are made anew: %v", err)
	}
	out := map[string]Choice{}
	for key, text := range all.Choices[t.Machine] {
		if c, err := ParseChoice(text); err == nil {
			out[key] = c
		}
	}
	return out
}

func readKept(file string) (k kept, err error) {
	k = kept{Version: keptVersion, Choices: map[string]map[string]string{}}
	if file == "" {
		return k, nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	var read kept
	if err == nil {
		err = json.Unmarshal(data, &read)
	}
	if err == nil && (read.Version != keptVersion || read.Choices == nil) {
		err = errors.New("it is of another version")
	}
	if err != nil {
		return k, fmt.Errorf("%s: %w", file, err)
	}
	return read, nil
}

// keep puts a choice into the file, and returns what stands there: another run that was sooner has its way. A file that cannot be written
// is told, and keeps nobody from running.
func (t *Tuner) keep(key string, c Choice) Choice {
	if t.File == "" {
		return c
	}
	err := os.MkdirAll(filepath.Dir(t.File), 0o755)
	if err == nil {
		c, err = t.merge(key, c)
	}
	if err != nil {
		t.tell("the choice of a form is not kept: %v", err)
	}
	return c
}

func (t *Tuner) merge(key string, c Choice) (out Choice, err error) {
	l, err := t.lock()
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	all, _ := readKept(t.File) // an unreadable one was told
	mine := all.Choices[t.Machine]
	if mine == nil {
		mine = map[string]string{}
		all.Choices[t.Machine] = mine
	}
	if text, ok := mine[key]; ok {
		if other, err := ParseChoice(text); err == nil {
			return other, nil
		}
	}
	mine[key] = c.String()
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return c, err
	}
	return c, replace.Bytes(t.File, append(data, '\n'))
}

// lock waits for others that write, for seconds.
func (t *Tuner) lock() (l *lock.Lock, err error) {
	for range 100 {
		if l, err = lock.Acquire(t.File); !errors.Is(err, lock.ErrBusy) {
			return l, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}
