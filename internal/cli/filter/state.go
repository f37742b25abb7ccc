package filter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/state"
)

// filterMemory is what the streams of one run leave to the next: a store of their filters, and how far each input was read.
type filterMemory struct {
	path  string
	key   []byte
	most  int64        // bytes of memory that the store may take
	store *state.Store // open once the classes are known
	pipe  bool         // the input has no place to go back to
	input filtering.InputID
	read  *filtering.InputRead // of this input by earlier runs; nil if it is new
	known filtering.Position
	found string // the place as it was when the run began
	out   string // path of the output; "" if it is no file
	times string // what the filter is told of the time between items
}

// boundFlags say what remembered streams may take.
func boundFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Int64Flag{Name: "max-memory", Value: 1 << 30, Category: filtering.StateCategory, Usage: "about the most `BYTES` of memory for the filters of --state and their commits: with more streams than fit, the others wait in the file; a commit each time that all have changed"},
	}
}

// memoryOf reads the flags; nil if nothing is to be remembered.
func memoryOf(c *cli.Context) (*filterMemory, error) {
	path, key, err := filtering.StateOf(c, "max-memory")
	if path == "" || err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(c.String("output")), ".gz") {
		return nil, fmt.Errorf("--state and -o %s: an output that can be continued is not gzipped", c.String("output"))
	}
	m := &filterMemory{path: path, key: key, most: c.Int64("max-memory")}
	if m.most < 1 {
		return nil, fmt.Errorf("--max-memory %d: want at least 1 byte", m.most)
	}
	if out := c.String("output"); out != "-" && files.IsRegular(out) {
		m.out = out
	}
	return m, nil
}

// open finds out how far the input was read before.
func (m *filterMemory) open(in *predicted.Input, name string) error {
	if m == nil {
		return nil
	}
	store, err := state.Open(m.path, state.Options{Key: m.key})
	if err != nil {
		return err
	}
	m.found = string(store.Position())
	m.known, err = filtering.ParsePosition(store.Position())
	if err = errors.Join(err, store.Close()); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	if m.pipe = in.Pipe; m.pipe {
		return nil
	}
	return m.identify(in.File, filepath.Base(name))
}

// identify compares the beginning of the file with those of the inputs that were read before. Of two that fit, one of which began as the
// other did, the longer counts.
func (m *filterMemory) identify(file io.ReaderAt, name string) error {
	head := make([]byte, filtering.MaxPrefix)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	m.input = filtering.InputID{Name: name, Prefix: int64(n), SHA256: filtering.Digest(head)} // of what was shorter before, more is known now
	for i, known := range m.known.Inputs {
		switch {
		case known.Prefix > int64(n) || filtering.Digest(head[:known.Prefix]) != known.SHA256:
		case known.Prefix < int64(n) && known.Lines <= 1 && !known.Output.Fits(m.out): // too little to know it by
		case m.read == nil || m.read.Prefix < known.Prefix:
			m.read = &m.known.Inputs[i]
		}
	}
	return nil
}

// resume returns where to go on in the input, if it was read before.
func (m *filterMemory) resume() (predictions.Offset, bool) {
	if m != nil && m.read != nil {
		return m.read.Offset, true
	}
	return predictions.Offset{}, false
}

// kept tells whether the output is that of earlier runs of this input, and how much of it stays. With overwrite, another file is begun: it
// gets what is new.
func (m *filterMemory) kept(overwrite bool) (known bool, size int64, err error) {
	switch {
	case m == nil || m.read == nil || m.out == "" || m.read.Output.Path == "":
		return false, 0, nil
	case m.read.Output.Fits(m.out):
		return true, m.read.Output.Size, nil
	case overwrite:
		return false, 0, nil
	}
	return false, 0, fmt.Errorf("%s: is not the output of the earlier run of this input, which was read to line %d: give that file again; or --overwrite, and "+
		"the output begins with what is new", m.out, m.read.Lines)
}

// formerly tells under what name the input was read before, if it was another.
func (m *filterMemory) formerly() string {
	if m.read.Name == m.input.Name {
		return ""
	}
	return ", as " + m.read.Name
}

// begin opens the store for the filters of these classes and settings. Another run may have used it since this one looked into it.
func (m *filterMemory) begin(classes int, s adapt.Settings) (err error) {
	if m == nil {
		return nil
	}
	if m.store, err = state.Open(m.path, state.Options{Classes: classes, Settings: s, Key: m.key, Memory: m.most}); err != nil {
		return err
	}
	if now := string(m.store.Position()); now != m.found {
		if !m.pipe {
			return fmt.Errorf("%s: another run has used it in the meantime: run this one again", m.path)
		}
		if m.known, err = filtering.ParsePosition(state.Position(now)); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return m.known.SameTimes(m.path, m.times)
}

// commit brings the filters, and the place in the input that they belong to, to the disk in one piece.
func (m *filterMemory) commit(at predictions.Offset, output filtering.OutputMark) error {
	next := filtering.Position{Version: 1, Commits: m.known.Commits + 1, Times: m.times, Runs: m.known.Runs}
	if !m.pipe {
		next.Inputs = append(next.Inputs, filtering.InputRead{InputID: m.input, Offset: at, Output: output})
	}
	for i := range m.known.Inputs {
		if known := &m.known.Inputs[i]; known != m.read && len(next.Inputs) < filtering.MaxInputs {
			next.Inputs = append(next.Inputs, *known)
		}
	}
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := m.store.Commit(data); err != nil {
		return err
	}
	m.known = next
	if !m.pipe {
		m.read = &m.known.Inputs[0]
	}
	return nil
}

func (m *filterMemory) close() error {
	if m.store == nil {
		return nil
	}
	return m.store.Close()
}

// ahead tells whether answers are remembered before they go out, because they cannot be taken back from there.
func (m *filterMemory) ahead() bool { return m != nil && (m.pipe || m.out == "") }

// grows tells whether more may be written to the input between this run and the next.
func (m *filterMemory) grows() bool { return m != nil && !m.pipe }
