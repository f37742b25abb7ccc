package datasets

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestClockJumps(t *testing.T) {
	const word = "2024:05:01 10:00:0"
	for name, tc := range map[string]struct {
		times []string
		want  []string
	}{
		"none":   {[]string{word + "1", word + "3", word + "2"}, nil},
		"reset":  {[]string{word + "1", word + "2", "2000:01:01 00:00:01", "", "2000:01:01 00:00:03"}, []string{"c: the camera's clock falls from 2024-05-01 to 2000-01-01 at c/2.jpg: 2 pictures before it by name and 2 pictures from it on are so far apart; their order is that of the times"}},
		"ahead":  {[]string{word + "1", word + "2", "2035:01:01 00:00:00", word + "4"}, []string{"c: the camera's clock falls from 2035-01-01 to 2024-05-01 at c/3.jpg: 1 picture before it by name and 1 picture from it on are so far apart; their order is that of the times"}},
		"chance": {[]string{word + "1", "2000:01:01 00:00:00", word + "1", "2000:01:01 00:00:00", word + "1", "2000:01:01 00:00:00", word + "1", "2000:01:01 00:00:00"}, nil},
	} {
		files := map[string]string{}
		for i, s := range tc.times {
			files[fmt.Sprintf("c/%d.jpg", i)] = plainJPEG
			if s != "" {
				files[fmt.Sprintf("c/%d.jpg", i)] = at(s)
			}
		}
		l, err := List(context.Background(), tree(t, files), Options{})
		must(t, err)
		if slices.Contains(tc.times, "") {
			l.Warnings = slices.DeleteFunc(l.Warnings, func(w string) bool { return w == "c: 1 of 5 pictures has no capture time; it keeps its place by name" })
		}
		if !slices.Equal(l.Warnings, tc.want) {
			t.Errorf("%s: %q, want %q", name, l.Warnings, tc.want)
		}
	}
}

func TestClockFolds(t *testing.T) {
	const summer = "2021:10:31 0"
	hour := func(first string) string {
		return "c: the camera's clock falls back by " + first + " and their order is that of the times"
	}
	for name, tc := range map[string]struct {
		form  string
		times []string
		want  []string
	}{
		"the end of summer time": {
			"c/IMG_%04d.jpg",
			[]string{"1:50:00", "2:10:00", "2:40:00", "2:58:00", "2:05:00", "2:30:00", "3:10:00"},
			[]string{hour("53m0s, from 2021-10-31 02:58:00 to 2021-10-31 02:05:00, at c/IMG_0004.jpg, as at the end of summer time: 3 pictures before it by name and 2 pictures from it on lie in the time that it showed twice,")},
		},
		"set right by hours, twice": {
			"c/%d.jpg",
			[]string{"0:00:00", "7:00:00", "1:00:00", "8:00:00", "2:00:00", "9:00:00"},
			[]string{hour("6h0m0s, from 2021-10-31 07:00:00 to 2021-10-31 01:00:00, at c/2.jpg: 1 picture before it by name and 2 pictures from it on lie in the time that it showed twice,") + "; it falls 1 more time"},
		},
		"a burst out of turn":      {"c/%d.jpg", []string{"1:00:00", "1:00:02", "1:00:01", "1:00:03"}, nil},
		"numbers that start anew":  {"c/%d.jpg", []string{"1:30:00", "1:40:00", "1:00:00", "1:10:00", "1:20:00"}, nil},
		"names that say nothing":   {"c/%d.jpg", []string{"1:00:00", "8:00:00", "2:00:00", "7:00:00", "3:00:00", "6:00:00", "2:30:00", "5:00:00", "2:40:00"}, nil},
		"names of several cameras": {"c/%[1]c_%[1]d.jpg", []string{"1:00:00", "1:30:00", "1:10:00"}, nil},
		"far apart":                {"c/%d000.jpg", []string{"1:00:00", "1:30:00", "1:10:00"}, nil},
	} {
		files := map[string]string{}
		for i, s := range tc.times {
			n := i
			if strings.Contains(tc.form, "[1]c") {
				n += 'a'
			}
			files[fmt.Sprintf(tc.form, n)] = at(summer + s)
		}
		l, err := List(context.Background(), tree(t, files), Options{})
		must(t, err)
		if !slices.Equal(l.Warnings, tc.want) {
			t.Errorf("%s: %q, want %q", name, l.Warnings, tc.want)
		}
	}
}
