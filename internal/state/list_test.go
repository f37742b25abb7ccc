package state

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Pages, one after the other, are the sorted list of all names with a prefix, in the clear and sealed; so are the names of all places, once each.
func TestPages(t *testing.T) {
	for _, key := range [][]byte{nil, testKey} {
		o := testOptions()
		o.Key = key
		s := mustOpen(t, temporary(t), o)
		r := rand.New(rand.NewPCG(1, 7))
		var all []string
		for _, space := range []string{"", "a", "a\x00", "ab", "b", "\xff"} {
			for range 40 {
				all = append(all, fmt.Sprintf("%s/%x", space, r.IntN(1<<20)))
			}
		}
		all = append(all, "a/", "/", "0")
		for i, name := range all {
			mustStep(t, s, name, i)
		}
		mustCommit(t, s, "1")
		mustStep(t, s, "a/new, and not committed", 1)
		slices.Sort(all)
		all = slices.Compact(all)
		for _, prefix := range []string{"", "/", "a/", "ab/", "\xff/", "c/", "0"} {
			var want []string
			for _, name := range all {
				if strings.HasPrefix(name, prefix) && name > prefix {
					want = append(want, name)
				}
			}
			var got []string
			for after := prefix; ; after = got[len(got)-1] {
				page, err := s.Page(prefix, after, 7)
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, page...); len(page) < 7 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("prefix %q, sealed %t: %d names, want %d: %q, %q", prefix, key != nil, len(got), len(want), got, want)
			}
		}
		if page, err := s.Page("a/", "", 1); err != nil || !slices.Equal(page, []string{"a/"}) {
			t.Errorf("before the first: %q, %v", page, err)
		}
		if page, err := s.Page("a/", "b", 9); err != nil || len(page) != 0 {
			t.Errorf("behind the last: %q, %v", page, err)
		}
		var got []string
		for from := []byte(nil); ; {
			names, next, err := s.Scan(from, 11)
			if err != nil || len(names) > 11 {
				t.Fatal(len(names), err)
			}
			if got = append(got, names...); next == nil {
				break
			}
			from = next
		}
		slices.Sort(got)
		if !slices.Equal(got, all) {
			t.Errorf("all places: %d names, want %d", len(got), len(all))
		}
		mustClose(t, s)
	}
}
