package filtering

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/state"
	"github.com/urfave/cli/v2"
)

// Position is what the store keeps as the place in the input: the inputs that were read last, newest first.
type Position struct {
	Version int         `json:"version"`
	Commits int         `json:"commits,omitempty"` // so many have been made
	Times   string      `json:"times,omitempty"`   // settings, which must stay
	Inputs  []InputRead `json:"inputs"`
	Runs    []RunRead   `json:"runs,omitempty"` // of run and eval, newest first
}

// InputRead tells how far an input was read, and how large its output was then.
type InputRead struct {
	InputID
	predictions.Offset
	Output OutputMark `json:"output"`
}

// OutputMark knows an output again.
type OutputMark struct {
	Path   string `json:"path_sha256,omitempty"` // of its absolute path; "": it was no file
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"` // of its first and last bytes
}

// MarkOf marks the first size bytes of an output.
func MarkOf(path string, size int64) (m OutputMark, err error) {
	if path == "" {
		return m, nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return m, err
	}
	m = OutputMark{Path: Digest(full), Size: size}
	if size == 0 {
		return m, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	ends := make([]byte, min(size, 2*markBytes))
	head := ends[:(len(ends)+1)/2]
	if _, err = f.ReadAt(head, 0); err == nil {
		_, err = f.ReadAt(ends[len(head):], size-int64(len(ends)-len(head)))
	}
	m.SHA256 = Digest(ends)
	return m, err
}

// Fits tells whether a file is the output that was marked: by its bytes, or, as long as there are none, by its path.
func (m OutputMark) Fits(path string) bool {
	now, err := MarkOf(path, m.Size)
	return err == nil && m.Path != "" && now.SHA256 == m.SHA256 && (m.Size > 0 || now.Path == m.Path)
}

// InputID knows an input again by the beginning of its bytes, so that it may be renamed, and may grow.
type InputID struct {
	Name   string `json:"name"` // for messages
	Prefix int64  `json:"prefix"`
	SHA256 string `json:"sha256"` // of Prefix bytes
}

// How much of an input is hashed, and how many inputs are remembered.
const (
	MaxPrefix = 64 << 10
	markBytes = 16 << 10 // of each end of an output
	MaxInputs = 256
)

// StateOf reads where streams are remembered, and the key that seals it; "" where they are forgotten. Other flags than its own that only
// count with --state are refused without it, and those of hindsight with it.
func StateOf(c *cli.Context, others ...string) (path string, key []byte, err error) {
	path = c.String("state")
	if path == "" {
		return "", nil, console.Refuse(c, append([]string{"state-key"}, others...), "--state")
	}
	for _, name := range []string{"lag", "smooth", "viterbi"} {
		if c.IsSet(name) {
			return "", nil, fmt.Errorf("--state and --%s: what is remembered between runs is the causal filter; want one of the two", name)
		}
	}
	if file := c.String("state-key"); file != "" {
		key, err = state.ReadKey(file)
	}
	return path, key, err
}

// ParsePosition reads what a store keeps; nothing is the position of a new one.
func ParsePosition(p state.Position) (out Position, err error) {
	if len(p) == 0 {
		return Position{Version: 1}, nil
	}
	if err := json.Unmarshal(p, &out); err != nil {
		return out, fmt.Errorf("the place in the input: %w", err)
	}
	if out.Version != 1 {
		return out, fmt.Errorf("the place in the input has version %d: want 1", out.Version)
	}
	if err := out.check(); err != nil {
		return out, fmt.Errorf("the place in the input: %w", err)
	}
	return out, nil
}

// check reports what no run has written: whoever goes on from there trusts it.
func (p Position) check() error {
	if p.Commits < 0 || len(p.Inputs) > MaxInputs {
		return fmt.Errorf("%d commits, %d inputs: want no less than none, and up to %d inputs", p.Commits, len(p.Inputs), MaxInputs)
	}
	for _, in := range p.Inputs {
		if in.Prefix < 0 || in.Prefix > MaxPrefix || in.Bytes < 0 || in.Lines < 0 || in.Output.Size < 0 {
			return fmt.Errorf("input %s: %d bytes, line %d, known by %d bytes, with %d of output: out of range", in.Name, in.Bytes, in.Lines, in.Prefix, in.Output.Size)
		}
	}
	return nil
}

// Digest returns the SHA-256 of data in hexadecimal.
func Digest[T string | []byte](data T) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// SameTimes tells whether the streams were told of times as now.
func (p Position) SameTimes(path, times string) error {
	if p.Times != "" && p.Times != times {
		return fmt.Errorf("%s: the streams were filtered with the times %s, not %s: want the same --gaps, --rhythm and --long-gap", path, p.Times, times)
	}
	return nil
}

// RunRead is a run whose streams a store has taken.
type RunRead struct {
	Listing string `json:"listing"` // of its items
	Run     string `json:"run"`     // of all that decides what it writes
	Before  int    `json:"commits"` // of the store before it
	What    string `json:"what"`    // an item is called
	Command string `json:"command"` // for messages
}
