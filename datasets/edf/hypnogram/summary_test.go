package hypnogram

import (
	"encoding/json"
	"testing"
)

func TestSummarise(t *testing.T) {
	for _, test := range []struct {
		name   string
		stages []Stage
		want   string
	}{
		{"a short night", []Stage{W, W, N1, N2, N2, W, N3, N3, R, Unscored, N2, W}, `{"epochs":12,"time_in_bed":6,"total_sleep_time":3.5,` +
			`"sleep_efficiency":0.5833333333333334,"sleep_latency":1,"rem_latency":3,"wake_after_onset":1,"awakenings":2,"stage_changes":6,` +
			`"minutes":{"?":0.5,"N1":0.5,"N2":1.5,"N3":1,"R":0.5,"W":2},"share_of_sleep_time":{"N1":0.14285714285714285,"N2":0.42857142857142855,"N3":0.2857142857142857,"R":0.14285714285714285}}`},
		{"no sleep", []Stage{W, Unscored, W}, `{"epochs":3,"time_in_bed":1.5,"total_sleep_time":0,"sleep_efficiency":0,"sleep_latency":null,` +
			`"rem_latency":null,"wake_after_onset":0,"awakenings":0,"stage_changes":0,"minutes":{"?":0.5,"W":1},"share_of_sleep_time":{}}`},
		{"nothing", nil, `{"epochs":0,"time_in_bed":0,"total_sleep_time":0,"sleep_efficiency":0,"sleep_latency":null,"rem_latency":null,` +
			`"wake_after_onset":0,"awakenings":0,"stage_changes":0,"minutes":{},"share_of_sleep_time":{}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(Summarise(test.stages))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestParseLabel(t *testing.T) {
	for label, want := range map[string]Stage{"W": W, "wake": W, "n1": N1, " N2 ": N2, "3": N3, "4": N3, "REM": R, "r": R, "Sleep stage R": R, "S1": N1, "NREM2": N2, "s4": N3} {
		if got, ok := ParseLabel(label); !ok || got != want {
			t.Errorf("%q: %v, %t, want %v", label, got, ok, want)
		}
	}
	for _, label := range []string{"", "?", "N4", "sleep", "heron", "Sleep stage ?"} {
		if got, ok := ParseLabel(label); ok {
			t.Errorf("%q is %v, want no stage", label, got)
		}
	}
}
