package yasa

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	names := Names(true, true)
	if got := strings.Join(names[:4], " "); got != "eeg_abspow eeg_abspow_c7min_norm eeg_abspow_p2min_norm eeg_alpha" {
		t.Error(got)
	}
	if got := strings.Join(names[62:66], " "); got != "eeg_theta_p2min_norm time_hour time_norm eog_abspow" {
		t.Error(got)
	}
	for _, c := range []struct {
		eog, emg bool
		want     int
	}{{false, false, 65}, {true, false, 116}, {false, true, 98}, {true, true, 149}} {
		if got := len(Names(c.eog, c.emg)); got != c.want {
			t.Errorf("EOG %t, EMG %t: %d columns, want %d", c.eog, c.emg, got, c.want)
		}
	}
	if !slices.IsSorted(featureNames[:]) {
		t.Error("features are not in the order of their names")
	}
}

func TestGoldenNames(t *testing.T) {
	want := readIndex(t)
	for _, c := range []struct {
		eog, emg bool
		want     columns
	}{{false, false, want.EEG}, {true, false, want.EEGEOG}, {false, true, want.EEGEMG}, {true, true, want.EEGEOGEMG}} {
		if diff := cmp.Diff(c.want.Names, Names(c.eog, c.emg)); diff != "" {
			t.Errorf("EOG %t, EMG %t (-want +got):\n%s", c.eog, c.emg, diff)
		}
	}
}
