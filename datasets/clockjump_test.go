package datasets

import (
	"context"
	"fmt"
	"slices"
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
