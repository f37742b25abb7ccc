package datasets

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestOrderByTime(t *testing.T) {
	root := tree(t, map[string]string{
		"cam/3.jpg": at("2024:05:01 10:00:00"), "cam/1.jpg": at("2024:05:01 12:00:00"), "cam/2.jpg": at("2024:05:01 11:00:00"),
		"burst/a10.jpg": at("2024:05:01 10:00:00", "9"), "burst/a2.jpg": at("2024:05:01 10:00:00", "905"), "burst/a1.jpg": at("2024:05:01 10:00:00", "91"),
		"same/a10.jpg": at("2024:05:01 10:00:00"), "same/a2.jpg": at("2024:05:01 10:00:00"),
	})
	want(t, list(t, root, Options{}), root, `
stream burst
  burst/a10.jpg 2024-05-01 10:00:00.9 exif
  burst/a2.jpg 2024-05-01 10:00:00.905 exif
  burst/a1.jpg 2024-05-01 10:00:00.91 exif
stream cam
  cam/3.jpg 2024-05-01 10:00:00 exif
  cam/2.jpg 2024-05-01 11:00:00 exif
  cam/1.jpg 2024-05-01 12:00:00 exif
stream same
  same/a2.jpg 2024-05-01 10:00:00 exif
  same/a10.jpg 2024-05-01 10:00:00 exif
`)
}

// A picture without time stays behind its predecessor by name, wherever the time moves that.
func TestOrderKeepsPlaces(t *testing.T) {
	root := tree(t, map[string]string{
		"cam/00.jpg": plainJPEG, "cam/01.jpg": plainJPEG, "cam/02.jpg": at("2024:05:01 10:00:00"), "cam/03.jpg": plainJPEG, "cam/04.jpg": "",
		"cam/05.jpg": at("2024:05:01 09:00:00"), "cam/06.jpg": plainJPEG, "cam/07.jpg": at("2024:05:01 11:00:00"),
	})
	want(t, list(t, root, Options{}), root, `
stream cam
  cam/05.jpg 2024-05-01 09:00:00 exif
  cam/06.jpg
  cam/00.jpg
  cam/01.jpg
  cam/02.jpg 2024-05-01 10:00:00 exif
  cam/03.jpg
  cam/04.jpg
  cam/07.jpg 2024-05-01 11:00:00 exif
warning cam: 5 of 8 pictures have no capture time; they keep their place by name
`)
}

// An instant among instants; by the clock on the wall as soon as one picture has only that.
func TestOrderMixedClocks(t *testing.T) {
	files := map[string]string{
		"cam/1.jpg": at("2024:05:01 10:00:00", "", "+00:00"), "cam/2.jpg": at("2024:05:01 11:00:00", "", "+05:00"),
	}
	want(t, list(t, tree(t, files), Options{}), "", `
stream cam
  cam/2.jpg 2024-05-01 11:00:00 +05:00 exif
  cam/1.jpg 2024-05-01 10:00:00 +00:00 exif
`)
	files["cam/3.jpg"] = at("2024:05:01 10:30:00")
	want(t, list(t, tree(t, files), Options{}), "", `
stream cam
  cam/1.jpg 2024-05-01 10:00:00 +00:00 exif
  cam/3.jpg 2024-05-01 10:30:00 exif
  cam/2.jpg 2024-05-01 11:00:00 +05:00 exif
warning cam: times with a zone: 2, without: 1; the order is that of the clock on the wall
`)
}

func TestManyStreamsWithGaps(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("cam%d/1.jpg", i)] = at("2024:05:01 10:00:00")
		files[fmt.Sprintf("cam%d/2.jpg", i)] = plainJPEG
	}
	l, err := List(context.Background(), tree(t, files), Options{})
	must(t, err)
	if n := len(l.Warnings); n != 11 || l.Warnings[10] != "and 2 more streams with some pictures without capture time" {
		t.Errorf("warnings:\n%s", strings.Join(l.Warnings, "\n"))
	}
}

// The plain twin: the documented rule, written as directly as it can be, against the sort, for all assignments of a few times.
func TestOrderPlainTwin(t *testing.T) {
	stamps := []string{"", "2024:05:01 10:00:00", "2024:05:01 11:00:00"}
	for code := range 3 * 3 * 3 * 3 * 3 {
		var items []*item
		for i := range 5 {
			it := &item{Picture: Picture{Name: fmt.Sprint(i)}}
			it.Time, _ = parseStamp(stamps[code%3])
			code /= 3
			items = append(items, it)
		}
		expected := plainOrder(items)
		var got string
		for _, it := range sortStream(slices.Clone(items)) {
			got += it.Name
		}
		if got != expected {
			t.Errorf("%v: got %s, want %s", items, got, expected)
		}
	}
}

// plainOrder sorts by insertion: each untimed item directly behind its predecessor, those at the beginning before the first timed one.
func plainOrder(items []*item) string {
	var leading string
	var blocks []*item
	text := map[*item]string{} // of a timed item with its followers
	for _, it := range items {
		switch {
		case !it.Time.IsZero():
			blocks = append(blocks, it)
			text[it] = leading + it.Name
			leading = ""
		case len(blocks) == 0:
			leading += it.Name
		default:
			text[blocks[len(blocks)-1]] += it.Name
		}
	}
	if len(blocks) == 0 {
		return leading
	}
	// Leading items sort before everything of the same time.
	slices.SortStableFunc(blocks, func(a, b *item) int { return a.Time.Compare(b.Time) })
	var out string
	for _, b := range blocks {
		out += text[b]
	}
	return out
}

func TestListingDoesNotDependOnParallel(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("cam%d/%d.jpg", i%7, i)] = at(fmt.Sprintf("2024:05:01 10:%02d:00", i*37%60))
	}
	root := tree(t, files)
	first := list(t, root, Options{Parallel: 1})
	for _, n := range []int{0, 2, 16, 1000} {
		if got := list(t, root, Options{Parallel: n}); got != first {
			t.Errorf("%d workers give another listing", n)
		}
	}
}

func TestProgress(t *testing.T) {
	root := tree(t, map[string]string{"a.jpg": "", "b.jpg": "", "c.jpg": "", "d.txt": ""})
	var calls [][2]int
	var mu sync.Mutex
	list(t, root, Options{Parallel: 3, Progress: func(done, total int) {
		if !mu.TryLock() {
			t.Error("calls overlap")
		}
		defer mu.Unlock()
		calls = append(calls, [2]int{done, total})
	}})
	if !slices.Equal(calls, [][2]int{{1, 3}, {2, 3}, {3, 3}}) {
		t.Errorf("calls %v", calls)
	}
}

func TestStreamsOfListing(t *testing.T) {
	l, err := List(context.Background(), tree(t, map[string]string{"b/1.jpg": "", "a/1.jpg": "", "a/2.jpg": at("2024:05:01 10:00:00")}), Options{})
	must(t, err)
	var got []string
	n := 0
	for _, s := range l.Streams() {
		got = append(got, fmt.Sprintf("%s %d %d", s.Name, len(s.Pictures), s.Timed()))
		for _, p := range s.Pictures {
			if p.Stream != s.Name || path.Dir(p.Name) != s.Name {
				t.Errorf("%s in stream %s", p.Name, s.Name)
			}
		}
		n += len(s.Pictures)
	}
	if strings.Join(got, " ") != "a 2 1 b 1 0" || n != len(l.Pictures) {
		t.Errorf("streams %q", got)
	}
}
