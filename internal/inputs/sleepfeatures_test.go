package inputs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/preprocess/eeg"
)

// yasa is the manifest of an embedded classifier.
func yasa(t *testing.T, name string) models.Manifest {
	t.Helper()
	m, err := models.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m.Manifest
}

// writeChannels writes a recording of so many minutes; channels are labels with their rates: "C4-M1 100, EMG 1".
func writeChannels(t *testing.T, path, channels string, minutes int) {
	t.Helper()
	var b bytes.Buffer
	all := strings.Split(channels, ", ")
	rates := make([]int, len(all))
	for i, c := range all {
		at := strings.LastIndexByte(c, ' ')
		all[i] = c[:at]
		if _, err := fmt.Sscan(c[at+1:], &rates[i]); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintf(&b, "%-8s%-80s%-80s%-8s%-8s%-8d%-44s%-8d%-8d%-4d", "0", "X", "X", "24.04.89", "16.13.00", 256*(1+len(all)), "", minutes*60, 1, len(all))
	for _, field := range []struct {
		width int
		text  string
	}{{16, ""}, {80, ""}, {8, "uV"}, {8, "-1000"}, {8, "1000"}, {8, "-1000"}, {8, "1000"}, {80, ""}, {8, ""}, {32, ""}} {
		for i, label := range all {
			text := field.text
			if field.width == 16 {
				text = label
			} else if field.width == 8 && text == "" {
				text = fmt.Sprint(rates[i])
			}
			fmt.Fprintf(&b, "%-*s", field.width, text)
		}
	}
	for second := range minutes * 60 {
		for i, rate := range rates {
			for k := range rate {
				at := float64(second) + float64(k)/float64(rate)
				v := 60*math.Sin(2*math.Pi*float64(5+3*i)*at) + 20*math.Sin(at*at*float64(i+1))
				if err := binary.Write(&b, binary.LittleEndian, int16(v)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The classifier is that of the channels that every recording has, and it is said why.
func TestSleepModel(t *testing.T) {
	for _, c := range []struct {
		files   []string // channels of recordings
		options SleepOptions
		want    string
		notes   string
	}{
		{[]string{"C4-M1 100, EOG 100, Chin 200"}, SleepOptions{}, "yasa-eeg-eog-emg", "model yasa-eeg-eog-emg: it takes an EEG, an EOG and an EMG"},
		{[]string{"C4-M1 100, EOG horizontal 100, EMG submental 1"}, SleepOptions{}, "yasa-eeg-eog", `no EMG: "EMG submental" of 0.edf has 1 Hz, too few for its features (--emg takes it all the same)`},
		{[]string{"C4-M1 100, EOG horizontal 100, EMG submental 1"}, SleepOptions{EMG: "EMG submental"}, "yasa-eeg-eog-emg", "an EEG, an EOG and an EMG"},
		{[]string{"EEG 125, EOG(L) 50, EMG 80"}, SleepOptions{}, "yasa-eeg-eog", `no EMG: "EMG" of 0.edf has 80 Hz`},
		{[]string{"EEG 125, EOG(L) 49, EMG 81"}, SleepOptions{}, "yasa-eeg-emg", `no EOG: "EOG(L)" of 0.edf has 49 Hz`},
		{[]string{"C4-M1 100, Chin 100"}, SleepOptions{}, "yasa-eeg-emg", "no EOG: none by a name that is known in 0.edf (--eog names one)"},
		{[]string{"C4-M1 100, EOG 100", "C3 100", "C3 100"}, SleepOptions{}, "yasa-eeg", "no EOG: none by a name that is known in 1.edf (--eog names one), and 1 more"},
		{[]string{"C4-M1 100, EOG 100", "Oz-Iz 100"}, SleepOptions{}, "yasa-eeg-eog", "an EEG and an EOG"}, // the second fails
		{[]string{"Oz-Iz 100, eyes 100"}, SleepOptions{EEG: "Oz-Iz", EOG: "eyes"}, "yasa-eeg-eog", "an EEG and an EOG"},
		{[]string{"Oz-Iz 100"}, SleepOptions{}, "yasa-eeg", ""},
		{[]string{"C4-M1 100"}, SleepOptions{EMG: "Leg"}, "yasa-eeg-emg", "an EEG and an EMG"}, // which fails
	} {
		dir := t.TempDir()
		for i, channels := range c.files {
			writeChannels(t, filepath.Join(dir, fmt.Sprintf("%d.edf", i)), channels, 1)
		}
		if err := os.WriteFile(filepath.Join(dir, "broken.edf"), []byte("0       no"), 0o600); err != nil {
			t.Fatal(err)
		}
		name, notes, err := SleepModel(t.Context(), []string{dir}, c.options)
		if err != nil || name != c.want || !strings.Contains(strings.Join(notes, "\n"), c.notes) || (len(notes) == 0) != (c.notes == "") {
			t.Errorf("%q: %s, %v, %q, want %s, %q", c.files, name, err, notes, c.want, c.notes)
		}
	}
	if _, _, err := SleepModel(t.Context(), nil, SleepOptions{Channels: []string{"C4"}}); err == nil || !strings.Contains(err.Error(), "--eeg, --eog and --emg") {
		t.Errorf("channels without a model: %v", err)
	}
}

// What is taken of a recording for a classifier, and what is said of it.
func TestSleepRoles(t *testing.T) {
	for _, c := range []struct {
		model, channels string
		minutes         int
		options         SleepOptions
		signal          string // taken first
		warnings        string // all but that of the derivation
		elsewhere       bool   // of which is told
		failure         string // of the recording
	}{
		{model: "yasa-eeg", channels: "EMG 100, C4-M1 100", signal: "C4-M1"},
		{model: "yasa-eeg", channels: "C4-Ref 128, M1-Ref 128", signal: "C4-Ref"},
		{model: "yasa-eeg", channels: "EEG C4-A1 256", signal: "EEG C4-A1"},
		{model: "yasa-eeg", channels: "EEG Fpz-Cz 100, EEG Pz-Oz 100, EEG Q 100", signal: "EEG Fpz-Cz", elsewhere: true, warnings: `EEG: "EEG Fpz-Cz" is taken of "EEG Fpz-Cz", "EEG Pz-Oz", "EEG Q" in night.edf (--eeg takes another)`},
		{model: "yasa-eeg", channels: "EEG Fpz-Cz 100, EEG Pz-Oz 100", options: SleepOptions{EEG: "Pz-Oz"}},
		{model: "yasa-eeg", channels: "EEG Fpz-Cz 100, EEG Pz-Oz 100", options: SleepOptions{Channels: []string{"Pz-Oz"}}},
		{model: "yasa-eeg-eog", channels: "C3-M2 100, E1-M2 100, E2-M1 100", signal: "C3-M2", warnings: `EOG: "E1-M2" is taken of "E1-M2", "E2-M1" in night.edf (--eog takes another)`},
		{model: "yasa-eeg-eog", channels: "C3-M2 100", failure: `no EOG by a name that is known among "C3-M2"; --eog names it`},
		{model: "yasa-eeg", channels: "Oz-Iz 100, Leg 100", failure: `no EEG by a name that is known among "Oz-Iz", "Leg"; --eeg names it`},
		{model: "yasa-eeg", channels: "C4-M1 100", options: SleepOptions{EEG: "Cz"}, failure: `channel "Cz": not among "C4-M1"`},
		{model: "yasa-eeg", channels: "EEG 100, EEG 100", failure: `"EEG#1" is the first of them`},
		{model: "yasa-eeg", channels: "C4-M1 64", failure: `channel "C4-M1": 64 Hz: the features are of up to 30 Hz, want over 80`},
		{model: "yasa-eeg", channels: "C4-M1 100", minutes: 4, failure: "4.0 minutes: the features are means over minutes, want 5 at the least"},
		{model: "yasa-eeg", channels: "C4-M1 100", options: SleepOptions{Forward: true}, signal: "C4-M1", warnings: "yasa-eeg itself looks ahead: its features are of the whole recording"},
	} {
		path := filepath.Join(t.TempDir(), "night.edf")
		writeChannels(t, path, c.channels, cmp.Or(c.minutes, 5))
		s, err := OpenSleep(t.Context(), []string{path}, yasa(t, c.model), c.options)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.load(make([]float32, s.shape[0]), 0); (err == nil) != (c.failure == "") || err != nil && !strings.Contains(err.Error(), c.failure) {
			t.Errorf("%s of %s: %v, want %q", c.model, c.channels, err, c.failure)
		}
		told := s.Warnings()
		elsewhere := slices.IndexFunc(told, func(w string) bool { return strings.Contains(w, "is another derivation") })
		if (elsewhere >= 0) != c.elsewhere {
			t.Errorf("%s of %s: %q", c.model, c.channels, told)
		}
		if elsewhere >= 0 {
			told = slices.Delete(told, elsewhere, elsewhere+1)
		}
		if text := strings.Join(told, "\n"); !strings.HasPrefix(text, c.warnings) || c.warnings == "" && text != "" {
			t.Errorf("%s of %s: %q, want %q", c.model, c.channels, told, c.warnings)
		}
		if got := s.roles.list(); c.signal != "" && (len(got) == 0 || got[0].Signal != c.signal || got[0].Recordings != 1) || c.signal == "" && len(got) > 0 {
			t.Errorf("%s of %s: %+v", c.model, c.channels, got)
		}
	}
}

func TestSleepRoleRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "night.edf")
	writeChannels(t, path, "C4-M1 100", 5)
	for _, c := range []struct {
		model   models.Manifest
		options SleepOptions
		want    string
	}{
		{yasa(t, "yasa-eeg"), SleepOptions{EMG: "Chin"}, "--emg: yasa-eeg takes an EEG"},
		{yasa(t, "yasa-eeg-eog"), SleepOptions{EMG: "Chin"}, "--emg: yasa-eeg-eog takes an EEG and an EOG"},
		{yasa(t, "yasa-eeg"), SleepOptions{EEG: "C4", Channels: []string{"C4"}}, "--eeg and --channels both name channels"},
		{sleepModel("C4-M1", 100), SleepOptions{EEG: "C4"}, "--eeg: the manifest of test does not say which channel is which: --channels"},
	} {
		if _, err := OpenSleep(t.Context(), []string{path}, c.model, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	// The manifest is not changed by what one run names.
	m := yasa(t, "yasa-eeg")
	if _, err := OpenSleep(t.Context(), []string{path}, m, SleepOptions{EEG: "C4"}); err != nil || m.Signal.Channels[0] == "C4" {
		t.Errorf("%v, %q", err, m.Signal.Channels)
	}
}

// writeRecords writes an EDF+D of records of half a minute of a channel at 100 Hz, which begin at those seconds.
func writeRecords(t *testing.T, path string, onsets ...int) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-8s%-80s%-80s%-8s%-8s%-8d%-44s%-8d%-8d%-4d", "0", "X", "X", "24.04.89", "16.13.00", 768, "EDF+D", len(onsets), 30, 2)
	fmt.Fprintf(&b, "%-16s%-16s%160s%-8s%-8s%-8d%-8d%-8d%-8d%-8d%-8d%-8d%-8d%160s%-8d%-8d%64s", "C4-M1", "EDF Annotations", "", "uV", "", -999, -1, 999, 1, -999, -9, 999, 9, "", 3000, 20, "")
	for i, onset := range onsets {
		for k := range 3000 {
			if err := binary.Write(&b, binary.LittleEndian, int16((k*k+i*k)%97)); err != nil {
				t.Fatal(err)
			}
		}
		text := fmt.Sprintf("+%d\x14\x14", onset)
		fmt.Fprintf(&b, "%s%s", text, strings.Repeat("\x00", 40-len(text)))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A gap fails the epochs that it touches and no other.
func TestSleepFeaturesOverAGap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gap.edf")
	writeRecords(t, path, 0, 30, 60, 90, 120, 165, 195, 225, 255, 285, 315, 345) // of seconds 150 to 165 there is nothing
	s, err := OpenSleep(t.Context(), []string{path}, yasa(t, "yasa-eeg"), SleepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, s.shape[0])
	var failed []int
	for i := range s.Items() {
		if err := s.load(row, i); err != nil {
			failed = append(failed, i)
			if err.Error() != "the recording has a gap here" {
				t.Errorf("epoch %d: %v", i, err)
			}
		}
	}
	if !slices.Equal(failed, []int{5}) || len(s.Items()) != 12 {
		t.Errorf("%d epochs, failed %v", len(s.Items()), failed)
	}
	short := filepath.Join(t.TempDir(), "short.edf")
	writeRecords(t, short, 0, 30, 60, 90, 120, 600, 630, 660, 690)
	if s, err = OpenSleep(t.Context(), []string{short}, yasa(t, "yasa-eeg"), SleepOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.load(row, 0); err == nil || !strings.Contains(err.Error(), "9 epochs without a gap") {
		t.Errorf("five minutes in pieces: %v", err)
	}
}

// The first view is the plain row; others are of a changed recording, and the same whatever the seed. Where a shift leaves no whole epoch it is
// the plain row.
func TestFeatureViewsOfAnEpoch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "night.edf")
	writeChannels(t, path, "C4-M1 100", 6)
	s, err := OpenSleep(t.Context(), []string{path}, yasa(t, "yasa-eeg"), SleepOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one := int(s.shape[0])
	plain, views, again := make([]float32, one), make([]float32, 4*one), make([]float32, 4*one)
	for _, set := range []string{"", "jitter", "shift"} {
		load, err := s.Loader(Views{Set: set, Count: 3}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{5, 11} {
			if err := s.load(plain, i); err != nil {
				t.Fatal(err)
			}
			for dst, seed := range map[*[]float32]uint64{&views: 1, &again: 2} {
				if err := load(*dst, i, seed); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(views[:one], plain) || !slices.Equal(views, again) {
				t.Errorf("%q: the first view is not the plain row, or a seed changes views", set)
			}
			changed := 0
			for k := 1; k < 4; k++ {
				if !slices.Equal(views[k*one:(k+1)*one], plain) {
					changed++
				}
			}
			if want := map[int]bool{5: changed == 3, 11: changed < 3 || set == "jitter"}; !want[i] {
				t.Errorf("%q: %d views of epoch %d are changed", set, changed, i)
			}
		}
	}
	if _, err := s.Loader(Views{Set: "crops", Count: 3}, 1); err == nil || !strings.Contains(err.Error(), `no set of views "crops" for features: want jitter, shift, usual`) {
		t.Errorf("%v", err)
	}
	if _, err := eeg.PrepareView(nil, 0, eeg.Settings{}, eeg.View{}); err == nil {
		t.Error("settings without channels were taken")
	}
}
