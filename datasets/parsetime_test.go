package datasets

import (
	"slices"
	"testing"
	"time"
)

func TestParseTimeOfPredictions(t *testing.T) {
	noon := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	ms := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Millisecond) }
	for _, tc := range []struct {
		text  string
		want  time.Time // the zero time: not ok
		zoned bool
	}{
		{"2024-05-01T12:00:00Z", noon, true},
		{"2024-05-01T14:00:00+02:00", noon, true},
		{"2024-05-01T14:00:00.25+0200", ms(250), true},
		{"2024-05-01T12:00:00", noon, false},
		{" 2024-05-01 12:00:00\n", noon, false},
		{"2024-05-01 12:00:00.125", ms(125), false},
		{"2024-05-01 12:00:00+00:00", noon, true},
		{"2024:05:01 12:00:00", noon, false},
		{"2024:05:01 12:00:00.5", ms(500), false},
		{"2024-05-01", noon.Add(-12 * time.Hour), false},
		{"1714564800", noon, true},
		{"1714564800.125", ms(125), true},
		{"1714564800125", ms(125), true},
		{"1714564800125.5", noon.Add(125500 * time.Microsecond), true},
		{"1714564800125000", ms(125), true},
		{"1714564800123456789", noon.Add(123456789), true},
		{"1714564800,125", ms(125), true}, // a decimal comma
		{"2024-05-01 12:00:00,125", ms(125), false},
		{"2024-05-01T12:00:00.0000000009Z", noon, true},
		{"2024-05-01T12:00Z", noon, true},
		{"2024-05-01T14:00:00+02", noon, true},
		{"2024-05-01 14:00:00 +0200", noon, true},
		{"2024-05-01 14:00:00.125+0200 [Europe/Berlin]", ms(125), true},
		{"2024-05-01 12:00:00 UTC", noon, true},
		{"2024-05-01 12:00:00.125 UTC", ms(125), true},
		{"2024-05-01 13:00 GMT+0100", noon, true},
		{"2024-05-01 08:00:00 EDT", noon, true},
		{"2024-5-1 12:00:00 PM", noon, false},
		{"2024/05/01 12:00:00 am", noon.Add(-12 * time.Hour), false},
		{"2024.05.01 12:00:00", noon, false},
		{"2024-04-30 24:00:05", noon.Add(-12*time.Hour + 5*time.Second), false},
		{"2024:04:30 24:00:05", noon.Add(-12*time.Hour + 5*time.Second), false},
		{"20240501", noon.Add(-12 * time.Hour), false},
		{"20240501T120000Z", noon, true},
		{"20240501T140000+0200", noon, true},
		{"20240501 120000", noon, false},
		{"20240501120000", noon, false},
		{"20240501120000125", ms(125), false},
		{"202405011200", noon, false},
		{"Wed, 01 May 2024 14:00:00 +0200", noon, true},
		{"Wed, 1 May 2024 14:00:00 +0200 (CEST)", noon, true},
		{"1 May 2024 12:00", noon, false},
		{"Wed May  1 12:00:00 2024", noon, false},
		{"Wed May 01 05:00:00 PDT 2024", noon, true},
		{"Wed May 01 12:00:00 +0000 2024", noon, true},
		{"May 1, 2024 12:00:00 PM", noon, false},
		{"01-May-2024 12:00:00", noon, false},
		{"5/1/2024 12:00:00 PM", time.Time{}, false}, // two dates
		{"01.05.2024 12:00:00", time.Time{}, false},
		{"12:00:00", time.Time{}, false},
		{"2024-05-01 25:00:00", time.Time{}, false},
		{"2024-05-01 24:60:00", time.Time{}, false},
		{"2024-02-30 12:00:00", time.Time{}, false},
		{"2024-05-01 13:00 PM", time.Time{}, false},
		{"2024-05-01 12:00:00 XYZ", time.Time{}, false},
		{"2024-05-01 12:00:00+15:00", time.Time{}, false},
		{"2024-05-01 12:00:00 [Nowhere/Land]", time.Time{}, false},
		{"2024-0501", time.Time{}, false},
		{"0", time.Time{}, false}, // since when?
		{"30", time.Time{}, false},
		{"-1.5", time.Time{}, false},
		{"100000000", time.Time{}, false},   // 1973
		{"99999999999", time.Time{}, false}, // 5138, or three years of milliseconds
		{"99999999", time.Time{}, false},    // no month 99
		{"NaT", time.Time{}, false},
		{"03/04/2021 12:00", time.Time{}, false},
		{"0000:00:00 00:00:00", time.Time{}, false},
		{"0001-01-01T00:00:00Z", time.Time{}, false},
		{"-62135596800", time.Time{}, false},
		{"99999999999999999999", time.Time{}, false},
		{"1e9", time.Time{}, false},
		{"1.2.3", time.Time{}, false},
		{"--1", time.Time{}, false},
		{".5", time.Time{}, false},
		{"yesterday", time.Time{}, false},
		{"", time.Time{}, false},
	} {
		got, zoned, ok := ParseTime(tc.text)
		if ok == tc.want.IsZero() || !got.Equal(tc.want) || zoned != tc.zoned {
			t.Errorf("%q: %v, zoned %t, ok %t; want %v, %t", tc.text, got, zoned, ok, tc.want, tc.zoned)
		}
	}
}

func TestTimeReader(t *testing.T) {
	for name, tc := range map[string]struct {
		layout  string
		elapsed bool
		texts   []string
		want    []string // RFC 3339, "": missing, "-": cannot be read
		notes   []string
	}{
		"elapsed":        {"", true, []string{"0", "30", "-1.5", "0,25", "1e3"}, []string{"1970-01-01T00:00:00Z", "1970-01-01T00:00:30Z", "1969-12-31T23:59:58.5Z", "1970-01-01T00:00:00.25Z", "1970-01-01T00:16:40Z"}, nil},
		"missing":        {"", false, []string{"", " ", "NaN", "NaT", "None", "null", "N/A", "never"}, []string{"", "", "", "", "", "", "", "-"}, nil},
		"milliseconds":   {"", false, []string{"1714564800125"}, []string{"2024-05-01T12:00:00.125Z"}, []string{"times are taken for milliseconds since 1970"}},
		"mixed":          {"", false, []string{"2024-05-01 12:00", "2024-05-01 12:00Z"}, []string{"2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z"}, []string{"times with a zone: 1, without: 1"}},
		"dates, numbers": {"", true, []string{"2024-05-01 12:00", "7"}, []string{"2024-05-01T12:00:00Z", "1970-01-01T00:00:07Z"}, []string{"1 of 2 times are numbers, taken for seconds since a beginning"}},
		"Go layout":      {"2.1.2006 15:04", false, []string{"01.05.2024 12:00", "1.5.2024 12:00", "2024-05-01 12:00", "13.13.2024 12:00"}, []string{"2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z", "-"}, nil},
		"strftime":       {"%m/%d/%Y %I:%M:%S.%f %p", false, []string{"5/1/2024 12:00:00.125 PM", "05/01/2024 12:00:00 pm"}, []string{"2024-05-01T12:00:00.125Z", "2024-05-01T12:00:00Z"}, nil},
		"strftime, zone": {"%d.%m.%y %H:%M %z", false, []string{"01.05.24 14:00 +0200"}, []string{"2024-05-01T14:00:00+02:00"}, nil},
	} {
		r, err := NewTimeReader(tc.layout, tc.elapsed)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range tc.texts {
			at, _, err := r.Read(text)
			got := ""
			if err != nil {
				got = "-"
			} else if !at.IsZero() {
				got = at.Format(time.RFC3339Nano)
			}
			if got != tc.want[i] {
				t.Errorf("%s: %q: %s, want %q", name, text, got, tc.want[i])
			}
		}
		if got := r.Notes(); !slices.Equal(got, tc.notes) {
			t.Errorf("%s: %q, want %q", name, got, tc.notes)
		}
	}
	for _, layout := range []string{"dd.mm.yyyy", "15:04:05", "%H:%M", "%Q", "%d.%m.%Y %", "2006-01-02 MST", "%Y %Z"} {
		if _, err := NewTimeReader(layout, false); err == nil {
			t.Errorf("layout %q passes", layout)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"2024-05-01T12:00:00Z", "1714564800.125", "2024:05:01 12:00:00", "-9223372036854775808", "9223372036854775807.999999999", "Wed, 1 May 2024 24:00:05 GMT+0200 (x)", "20240501T12 pm [UTC]", "1/May/2024 1:00a.m."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if at, _, ok := ParseTime(text); ok == at.IsZero() {
			t.Fatalf("%q: %v, ok %t", text, at, ok)
		}
	})
}

func BenchmarkParseTime(b *testing.B) {
	for _, text := range []string{"2024-05-01T12:00:00Z", "2024-05-01 12:00:00", "1714564800.125"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ParseTime(text)
			}
		})
	}
}
