package inputs

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/preprocess/eeg"
)

// channelTaken tells what was taken for a channel of the network in some recordings, where the two are not called alike.
type channelTaken struct {
	Channel    string   // as the network has it
	Signal     string   // label; of a difference, the first
	Reference  string   `json:",omitempty"` // of a difference, the label that is subtracted
	By         eeg.Rule // see [eeg.Find]
	Recordings int
	First      string // of the recordings, as in the items' streams
}

func (c channelTaken) String() string {
	of := fmt.Sprintf("%d recordings, the first %s", c.Recordings, c.First)
	if c.Recordings == 1 {
		of = c.First
	}
	if c.By == eeg.ByDifference {
		return fmt.Sprintf("channel %q: %q - %q is taken in %s", c.Channel, c.Signal, c.Reference, of)
	}
	return fmt.Sprintf("channel %q: %q is taken, of which the reference is not known to be the same, in %s", c.Channel, c.Signal, of)
}

// channelsTaken counts them.
type channelsTaken struct {
	all []channelTaken
	at  map[channelTaken]int // without number and name of recordings
}

func (t *channelsTaken) add(recording string, channels, labels []string, choices []eeg.Choice) {
	for i, c := range choices {
		if c.By == eeg.BySpelling {
			continue
		}
		key := channelTaken{Channel: channels[i], Signal: labels[c.Signal], By: c.By}
		if c.Reference >= 0 {
			key.Reference = labels[c.Reference]
		}
		at, known := t.at[key]
		if !known {
			if t.at == nil {
				t.at = map[channelTaken]int{}
			}
			at = len(t.all)
			t.at[key] = at
			first := key
			first.First = recording
			t.all = append(t.all, first)
		}
		t.all[at].Recordings++
	}
}

func (t *channelsTaken) list() []channelTaken { return t.all }

// warnings tells what need not be the same as what the network asks for. Another name of one electrode is the same.
func (t *channelsTaken) warnings() (out []string) {
	for _, c := range t.all {
		if c.By != eeg.ByElectrode {
			out = append(out, c.String())
		}
	}
	return out
}

// sleepNotes gathers what is wrong with the samples of recordings, from several goroutines, whatever their order.
type sleepNotes struct {
	mu    sync.Mutex
	heard map[*night]bool // a recording may be read again
	notes map[string]*sleepNote
}

// sleepNote is one kind of fault of one channel.
type sleepNote struct {
	recordings, epochs int
	of                 int // epochs of those recordings
	first              *night
	second             float64 // of the first fault in the first recording
}

// hear takes what a recording's samples told.
func (s *sleepNotes) hear(n *night, e *eeg.Epochs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard[n] {
		return
	}
	if s.heard == nil {
		s.heard, s.notes = map[*night]bool{}, map[string]*sleepNote{}
	}
	s.heard[n] = true
	for _, w := range e.Warnings {
		s.note(n, w, nil)
	}
	for _, f := range e.Faults {
		s.faults(n, fmt.Sprintf("channel %q: no signal (it does not move)", f.Label), f.Flat)
		s.faults(n, fmt.Sprintf("channel %q: saturated", f.Label), f.Clipped)
	}
}

// faults notes those of the epochs that are items.
func (s *sleepNotes) faults(n *night, what string, epochs []int) {
	end, _ := slices.BinarySearch(epochs, n.count)
	if end > 0 {
		s.note(n, what, epochs[:end])
	}
}

// note counts a fault in some epochs, or, without epochs, in the whole recording.
func (s *sleepNotes) note(n *night, what string, epochs []int) {
	k := s.notes[what]
	if k == nil {
		k = &sleepNote{first: n}
		s.notes[what] = k
	}
	k.recordings, k.epochs, k.of = k.recordings+1, k.epochs+len(epochs), k.of+n.count
	if k.recordings == 1 || n.first < k.first.first {
		k.first, k.second = n, n.offset
		if len(epochs) > 0 {
			k.second += float64(epochs[0]) * hypnogram.EpochSeconds
		}
	}
}

func (s *sleepNotes) warnings() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for what, k := range s.notes {
		first, of := k.first.file.name, "1 recording"
		if k.recordings > 1 {
			of = fmt.Sprintf("%d recordings", k.recordings)
		}
		if k.epochs == 0 {
			out = append(out, fmt.Sprintf("%s, in %s, the first %s", what, of, first))
			continue
		}
		out = append(out, fmt.Sprintf("%s in %d of %d epochs of %s, first in %s at second %g: what is made of them means little", what, k.epochs, k.of, of, first, k.second))
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
