package datasets

import (
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
		{"0", time.Unix(0, 0), true},
		{"30", time.Unix(30, 0), true},
		{"-1.5", time.Unix(-2, 5e8), true},
		{"1.1234567899", time.Unix(1, 123456789), true},
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

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"2024-05-01T12:00:00Z", "1714564800.125", "2024:05:01 12:00:00", "-9223372036854775808", "9223372036854775807.999999999"} {
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
