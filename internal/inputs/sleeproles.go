package inputs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/preprocess/eeg"
)

// ofRole returns what an option calls the channel of a role, "" where none does.
func (o SleepOptions) ofRole(role string) string {
	return map[string]string{eeg.EEG: o.EEG, eeg.EOG: o.EOG, eeg.EMG: o.EMG}[role]
}

// setRoles lays the channels that are named by their role over those of the manifest.
func (s *Sleep) setRoles(model string, o SleepOptions) error {
	for _, role := range []string{eeg.EEG, eeg.EOG, eeg.EMG} {
		name := o.ofRole(role)
		if name == "" {
			continue
		}
		at := slices.Index(s.settings.Roles, role)
		switch {
		case s.settings.Roles == nil:
			return fmt.Errorf("--%s: the manifest of %s does not say which channel is which: --channels names them in its order", role, model)
		case o.Channels != nil:
			return fmt.Errorf("--%s and --channels both name channels: want one of them", role)
		case at < 0:
			return fmt.Errorf("--%s: %s takes %s", role, model, spelled(s.settings.Roles))
		}
		s.settings.Channels = slices.Clone(s.settings.Channels) // those of the manifest are not ours
		s.settings.Channels[at] = name
	}
	return nil
}

// spelled writes roles as "an EEG and an EOG".
func spelled(roles []string) string {
	words := make([]string, len(roles))
	for i, role := range roles {
		words[i] = "an " + strings.ToUpper(role)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return words[0]
}

// choose finds channel i of the settings among labels.
func (s *Sleep) choose(labels []string, i int) (eeg.Choice, error) {
	name := s.settings.Channels[i]
	if s.settings.Roles == nil {
		return eeg.Find(labels, name)
	}
	role := s.settings.Roles[i]
	c, err := eeg.FindRole(labels, name, role)
	if err != nil && s.options.ofRole(role) == "" && s.options.Channels == nil {
		err = fmt.Errorf("%w; --%s names it", err, role)
	}
	return c, err
}

// roleTaken is a channel that was taken for a role in some recordings.
type roleTaken struct {
	channelTaken
	Role   string
	rivals string // labels of those that could have been, quoted; "" where there is no other
}

// rolesTaken counts them.
type rolesTaken struct{ all []roleTaken }

// add counts what was taken in a recording. Channels that the user named need no words.
func (t *rolesTaken) add(recording string, s *Sleep, labels []string, choices []eeg.Choice) {
	for i, c := range choices {
		role := s.settings.Roles[i]
		if s.options.Channels != nil || s.options.ofRole(role) != "" {
			continue
		}
		new := roleTaken{Role: role, channelTaken: channelTaken{Channel: c.Name, Signal: labels[c.Signal], By: c.By}}
		if c.Reference >= 0 {
			new.Reference = labels[c.Reference]
		}
		if rivals := eeg.Rivals(labels, s.settings.Channels[i], role); len(rivals) > 1 {
			new.rivals = quoted(rivals)
		}
		at := slices.IndexFunc(t.all, func(old roleTaken) bool {
			old.Recordings, old.First = 0, ""
			return old == new
		})
		if at < 0 {
			at = len(t.all)
			new.First = recording
			t.all = append(t.all, new)
		}
		t.all[at].Recordings++
	}
}

func quoted(labels []string) string {
	out := make([]string, len(labels))
	for i, l := range labels {
		out[i] = fmt.Sprintf("%q", l)
	}
	return strings.Join(out, ", ")
}

// list is for the manifest of a run.
func (t *rolesTaken) list() (out []channelTaken) {
	for _, r := range t.all {
		out = append(out, r.channelTaken)
	}
	return out
}

// warnings tells of channels of which there were several, and of an EEG of another place than the classifiers know.
func (t *rolesTaken) warnings() (out []string) {
	elsewhere := ""
	for _, r := range t.all {
		signal := fmt.Sprintf("%q", r.Signal)
		if r.Reference != "" {
			signal += fmt.Sprintf(" - %q", r.Reference)
		}
		if r.rivals != "" {
			out = append(out, fmt.Sprintf("%s: %s is taken of %s in %s (--%s takes another)", strings.ToUpper(r.Role), signal, r.rivals, r.where(), r.Role))
		}
		if r.Role == eeg.EEG && elsewhere == "" && !central(r.Channel) {
			elsewhere = fmt.Sprintf("the classifier was trained on a central electrode against a mastoid (C4-M1, C3-M2); %s, in %s, is another derivation, on which more of its stages may be wrong", signal, r.where())
		}
	}
	if elsewhere != "" {
		out = append(out, elsewhere)
	}
	return out
}

// where names the recordings.
func (r roleTaken) where() string {
	if r.Recordings == 1 {
		return r.First
	}
	return fmt.Sprintf("%d recordings, the first %s", r.Recordings, r.First)
}

// central tells the names of the derivations that YASA's classifiers were trained on.
func central(name string) bool {
	return slices.Contains([]string{"C4-M1", "C3-M2", "C4-M2", "C3-M1", "Cz-M1", "Cz-M2", "C4", "C3"}, name)
}

// rateOf is the rate in Hz of a channel, of a difference that of the slower signal.
func rateOf(e *edf.File, src edfSource, c eeg.Choice) float64 {
	hz := e.Header().Signals[src.signals[c.Signal]].Rate()
	if c.Reference >= 0 {
		hz = min(hz, e.Header().Signals[src.signals[c.Reference]].Rate())
	}
	return hz
}
