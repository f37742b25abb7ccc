package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/eeg"
)

// SleepModel chooses among the embedded classifiers of sleep: that of the most channels that every recording has. Channels that the options
// name are taken in any case. An EOG or an EMG of a low rate, such as the envelope of an EMG, is passed over unless it is named: see
// leastRate. The notes say what was chosen and why.
func SleepModel(ctx context.Context, args []string, o SleepOptions) (name string, notes []string, err error) {
	if o.Channels != nil {
		return "", nil, errors.New("--channels: names channels in the order of a model that --model names; without one, --eeg, --eog and --emg do")
	}
	all := sleepModels()
	c := sleepChoice{options: o, signal: all[0].Signal, lacking: map[string]string{}, lacks: map[string]int{}}
	var list collection
	files, err := list.find(ctx, args, IsNight)
	if err != nil {
		return "", nil, err
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		if f.err == nil && hasEnding(f.name, recordingEndings...) {
			c.look(f)
		}
	}
	at := slices.IndexFunc(all, func(m models.Info) bool { return c.allows(m.Signal.Roles) })
	return all[at].Name, c.notes(all[at]), nil
}

// sleepModels returns the classifiers of YASA, that of the most channels first.
func sleepModels() (out []models.Info) {
	for _, m := range models.Embedded() {
		if m.Signal != nil && m.Signal.Features == eeg.YASA {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b models.Info) int {
		// Of two channels each, an EOG tells more than an EMG, and is later in the alphabet.
		return cmp.Or(len(b.Signal.Roles)-len(a.Signal.Roles), strings.Compare(b.Name, a.Name))
	})
	return out
}

// sleepChoice looks for the channels that all recordings have.
type sleepChoice struct {
	options SleepOptions
	signal  *models.Signal // with all roles and what their channels may be called
	looked  int            // recordings with an EEG
	lacks   map[string]int // of these, those that lack a role
	lacking map[string]string
}

// leastRate is the rate in Hz from which a channel is taken unasked. What an EOG tells is slow: with that of SC4001 brought to 50 Hz, 77.5 % of
// the stages are right, with its 100 Hz 78.5 %, and without it 69.6 %. An EMG tells by what is fast: with the envelope of 1 Hz 62.2 %.
var leastRate = map[string]float64{eeg.EOG: 50, eeg.EMG: math.Nextafter(eeg.LowRate, math.Inf(1))}

// look reads the header of a recording. One that cannot be read, or has no EEG, fails whatever is chosen.
func (c *sleepChoice) look(f file) {
	e, err := edf.OpenFile(f.path)
	if err != nil {
		return
	}
	defer e.Close()
	src := newEDFSource(e)
	labels := src.Labels()
	for i, role := range c.signal.Roles {
		name, named := c.signal.Channels[i], false
		if own := c.options.ofRole(role); own != "" {
			name, named = own, true
		}
		choice, err := eeg.FindRole(labels, name, role)
		switch {
		case role == eeg.EEG && err != nil:
			return
		case role == eeg.EEG:
			c.looked++
			continue
		case named:
			continue
		case err != nil:
			c.lack(role, fmt.Sprintf("none by a name that is known in %s (--%s names one)", Readable(f.name), role))
			continue
		}
		if hz := rateOf(e, src, choice); hz < leastRate[role] {
			c.lack(role, fmt.Sprintf("%q of %s has %g Hz, too few for its features (--%s takes it all the same)", labels[choice.Signal], Readable(f.name), hz, role))
		}
	}
}

func (c *sleepChoice) lack(role, why string) {
	if c.lacks[role]++; c.lacks[role] == 1 {
		c.lacking[role] = why
	}
}

// allows tells whether all recordings have the roles, and all named channels are among them.
func (c *sleepChoice) allows(roles []string) bool {
	for _, role := range []string{eeg.EOG, eeg.EMG} {
		there, named := slices.Contains(roles, role), c.options.ofRole(role) != ""
		if named && !there || there && !named && (c.looked == 0 || c.lacks[role] > 0) {
			return false
		}
	}
	return true
}

// notes says what was chosen, and why nothing more.
func (c *sleepChoice) notes(m models.Info) []string {
	if c.looked == 0 {
		return nil // every recording fails, and says why
	}
	text := fmt.Sprintf("model %s: it takes %s", m.Name, spelled(m.Signal.Roles))
	for _, role := range []string{eeg.EOG, eeg.EMG} {
		if slices.Contains(m.Signal.Roles, role) {
			continue
		}
		text += fmt.Sprintf("; no %s: %s", strings.ToUpper(role), c.lacking[role])
		if n := c.lacks[role]; n > 1 {
			text += fmt.Sprintf(", and %d more", n-1)
		}
	}
	return []string{text}
}
