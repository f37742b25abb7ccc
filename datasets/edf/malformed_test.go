package edf

import (
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// TestMalformed says what becomes of each damaged file: an error, or all that can be known, with a warning.
func TestMalformed(t *testing.T) {
	testdata.Shared(t, "data", "edf", "malformed")
	for _, tt := range []struct {
		name, err, warning string
		annotations        int
	}{
		{name: "malformed/absurd_num_signals.edf", err: "of the 2559744 bytes of 9999 signals"},
		{name: "malformed/truncated_header_200B.edf", err: "after 200 of 256 bytes"},
		{name: "malformed/truncated_record.edf", err: "no whole record: 3408 of 4108 bytes"},
		{name: "malformed/zero_samples_per_record.edf", err: "no signal has a sample"},
		{name: "malformed/zero_signals.edf", err: "number of signals: 0"},
		{name: "mne-testing-data__test_1ch.gdf", err: "a GDF file"},
		{name: "malformed/bad_physical_min.edf", annotations: 154}, // of annotations, which have no scale
		{name: "malformed/bad_startdate.edf", warning: "want points between", annotations: 154},
		{name: "malformed/num_records_minus1.edf", warning: "number of records -1, but the file holds 1", annotations: 154},
		{name: "malformed/num_records_too_many.edf", warning: "number of records 99, but the file holds 1", annotations: 154},
		{name: "malformed/trailing_byte.edf", warning: "the last 1 bytes", annotations: 154},
		{name: "malformed/tal_missing_duration_marker.edf", annotations: 155}, // the duration has become a text
		{name: "malformed/tal_onset_without_sign.edf", warning: "record 1: no onset", annotations: 154},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := OpenFile(testdata.Shared(t, "data", "edf", tt.name))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || !strings.HasPrefix(err.Error(), "edf: ") {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if warnings := strings.Join(f.Header().Warnings, "\n"); (tt.warning == "") != (warnings == "") || !strings.Contains(warnings, tt.warning) {
				t.Errorf("warnings %q, want %q", warnings, tt.warning)
			}
			if a, _, err := f.Annotations(); err != nil || len(a) != tt.annotations {
				t.Errorf("%d annotations, error %v; want %d", len(a), err, tt.annotations)
			}
		})
	}
}

// TestNight reads a whole real night that has a byte too many.
func TestNight(t *testing.T) {
	f, err := OpenFile(testdata.Asset(t, "sleep-psg", "SC4001E0-PSG.edf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := f.Header()
	if len(h.Warnings) != 1 || !strings.Contains(h.Warnings[0], "the last 1 bytes") {
		t.Errorf("warnings %q", h.Warnings)
	}
	if h.Seconds() != 79500 || h.Signals[0].Label != "EEG Fpz-Cz" || h.Signals[0].Rate() != 100 {
		t.Errorf("%g s, %+v", h.Seconds(), h.Signals[0])
	}
	pieces, err := f.Span(0, 79470, 79500)
	if err != nil || len(pieces) != 1 || len(pieces[0].Samples) != 3000 {
		t.Errorf("the last epoch: %d pieces, error %v", len(pieces), err)
	}
}
