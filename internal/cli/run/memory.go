package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/internal/streams"
)

// runMemory is what the streams of a run or eval leave to the next. The store takes all of a run in one piece, when it has come to its end,
// so that an interrupted one is resumed from the states that it began with. Until then the filters of all streams are in memory.
type runMemory struct {
	path  string
	key   []byte
	times string
	store *state.Store
	known filtering.Position
	run   filtering.RunRead
	kept  bool // the store has this run already: it was killed between the commit and the end of its output
}

// maxRuns is how many runs are remembered.
const maxRuns = 256

// runMemoryOf reads the flags; nil if nothing is to be remembered.
func runMemoryOf(c *cli.Context) (*runMemory, error) {
	path, key, err := filtering.StateOf(c)
	if path == "" || err != nil {
		return nil, err
	}
	return &runMemory{path: path, key: key}, nil
}

// open opens the store for so many streams, and has them begin where it left them.
func (m *runMemory) open(o *streams.Options, count int) (err error) {
	if m == nil {
		return nil
	}
	m.times = filtering.AsJSON(o.Times.Settings)
	m.store, err = state.Open(m.path, state.Options{Classes: o.Classes, Settings: o.Settings, Key: m.key, Cache: count + 1})
	if err != nil {
		return err
	}
	if m.known, err = filtering.ParsePosition(m.store.Position()); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	o.Source, o.Times.Restore = m.store.Filter, m.store.Companion
	return m.known.SameTimes(m.path, m.times)
}

// begin notes in the settings of a run what the store was before it, and refuses items that the streams have learned from.
func (m *runMemory) begin(s *Settings, resume bool) error {
	if m == nil {
		return nil
	}
	if len(m.known.Runs) > 0 && resume {
		last := m.known.Runs[0]
		s.State = &last.Before
		if m.kept = last.Run == filtering.Digest(filtering.AsJSON(s.Identity())); m.kept {
			return nil
		}
	}
	s.State = &m.known.Commits
	m.run = filtering.RunRead{Listing: s.Listing, Run: filtering.Digest(filtering.AsJSON(s.Identity())), Before: m.known.Commits, What: s.What, Command: s.Command}
	if slices.ContainsFunc(m.known.Runs, func(r filtering.RunRead) bool { return r.Listing == s.Listing }) {
		return fmt.Errorf("%s: its streams have learned from these %ss already: give those that are new, or another file for the state", m.path, s.What)
	}
	return nil
}

// clocks is where the clocks of streams that have ended go.
func (m *runMemory) clocks() func(stream string, data []byte) error {
	if m == nil {
		return nil
	}
	return m.store.SetCompanion
}

// commit keeps the streams of a run that came to its end.
func (m *runMemory) commit() error {
	if m == nil || m.kept {
		return nil
	}
	next := m.known
	next.Version, next.Commits, next.Times = 1, m.known.Commits+1, m.times
	next.Runs = append([]filtering.RunRead{m.run}, m.known.Runs[:min(len(m.known.Runs), maxRuns-1)]...)
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	return m.store.Commit(data)
}

func (m *runMemory) close() error {
	if m == nil || m.store == nil {
		return nil
	}
	return m.store.Close()
}

// errKept ends the resumption of a run that was killed when all but its last step was done.
var errKept = errors.New("the run is complete, and its streams are remembered")
