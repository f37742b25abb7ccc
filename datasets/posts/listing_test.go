package posts

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// told is a reader of posts that are there.
type told struct{ posts []Post }

func (r *told) Next() (Post, error) {
	if len(r.posts) == 0 {
		return Post{}, io.EOF
	}
	p := r.posts[0]
	r.posts = r.posts[1:]
	return p, nil
}

func (r *told) notes() []string { return nil }

// plainOrder is the plain twin of a listing: slices of posts by stream, sorted by time.
func plainOrder(all []Post) (out [][]Post) {
	at := map[string]int{}
	for _, p := range all {
		if _, ok := at[p.Stream]; !ok {
			at[p.Stream] = len(out)
			out = append(out, nil)
		}
		out[at[p.Stream]] = append(out[at[p.Stream]], p)
	}
	for _, posts := range out {
		instants := !slices.ContainsFunc(posts, func(p Post) bool { return !p.Time.IsZero() && !p.Zoned })
		key := func(p Post) time.Time {
			if _, seconds := p.Time.Zone(); !instants {
				return p.Time.Add(time.Duration(seconds) * time.Second)
			}
			return p.Time
		}
		last, keys := time.Time{}, map[int]time.Time{}
		if i := slices.IndexFunc(posts, func(p Post) bool { return !p.Time.IsZero() }); i >= 0 {
			last = key(posts[i])
		}
		for _, p := range posts {
			if !p.Time.IsZero() {
				last = key(p)
			}
			keys[p.Line] = last
		}
		slices.SortStableFunc(posts, func(a, b Post) int { return keys[a.Line].Compare(keys[b.Line]) })
	}
	return out
}

// randomPosts are of few users and times, with zones or without, some without a time, with texts of up to size bytes.
func randomPosts(r *rand.Rand, n, size int) (all []Post) {
	zones := []*time.Location{time.UTC, time.FixedZone("", -7*3600), time.FixedZone("PDT", -7*3600), time.FixedZone("", 5*3600+1800)}
	for i := range n {
		p := Post{Stream: fmt.Sprint("u", r.IntN(9)), Line: i + 1, Text: strings.Repeat(string(rune('a'+i%26)), r.IntN(size))}
		if r.IntN(3) > 0 {
			p.ID, p.Label = fmt.Sprint(r.IntN(n)), fmt.Sprint(r.IntN(3))
		}
		if p.Zoned = p.Stream < "u3" || p.Stream < "u6" && r.IntN(2) == 0; r.IntN(5) > 0 {
			zone := time.UTC
			if p.Zoned {
				zone = zones[r.IntN(len(zones))]
			}
			p.Time = time.Date(2026, 1, 1, r.IntN(9), 0, 0, r.IntN(2), zone)
		} else {
			p.Zoned = false
		}
		all = append(all, p)
	}
	return all
}

// A listing has the posts of its plain twin, whether its texts are held or wait in a file.
func TestListingTwin(t *testing.T) {
	for seed := range uint64(8) {
		n, size := 3000, 60
		if seed%2 == 1 {
			n, size = 9000, 3000 // three times what is held, and more than a chunk
		}
		all := randomPosts(rand.New(rand.NewPCG(seed, 0)), n, size)
		want := plainOrder(all)
		list, err := collect(&told{all}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if waits := list.texts.file != nil; waits != (seed%2 == 1) {
			t.Errorf("seed %d: texts in a file: %t", seed, waits)
		}
		got := streamsOf(t, list)
		same := func(a, b Post) bool {
			equal := a.Time.Equal(b.Time) && a.Time.Format(time.RFC3339Nano+"MST") == b.Time.Format(time.RFC3339Nano+"MST")
			a.Time, b.Time = time.Time{}, time.Time{}
			return equal && a == b
		}
		if !slices.EqualFunc(got, want, func(a, b []Post) bool { return slices.EqualFunc(a, b, same) }) {
			t.Errorf("seed %d: posts differ from the plain order", seed)
		}
	}
}

// A temporary file leaves nothing behind, and one that cannot be made, or is gone, is an error.
func TestSpoolFile(t *testing.T) {
	folder := t.TempDir()
	temporaryFolder(t, folder)
	all := randomPosts(rand.New(rand.NewPCG(1, 0)), 6000, 3000)
	list, err := collect(&told{all}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	texts := list.Texts()
	if err := texts.texts.file.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := texts.Text(0); err == nil || !strings.Contains(err.Error(), "temporary file of texts") {
		t.Errorf("%q of a closed file, %v", text, err)
	}
	_ = texts.Close()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	temporaryFolder(t, folder+"/gone")
	if _, err := collect(&told{all}, Options{}); err == nil || !strings.Contains(err.Error(), "temporary file of texts") {
		t.Errorf("no folder for the file: %v", err)
	}
}

// temporaryFolder says where temporary files lie from now on.
func temporaryFolder(t *testing.T, folder string) {
	t.Helper()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder) // the name of Windows
}

// Rows that are long do not stay in memory with the id that is cut from them.
func TestListingMemory(t *testing.T) {
	const n = 200_000
	row := "Mon Apr 06 22:19:45 PDT 2009," + strings.Repeat("x", 200) + "\n"
	var b strings.Builder
	b.WriteString("id,user,time,text\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,u%d,%s", i, i%1000, row)
	}
	r, err := newCSV("f", strings.NewReader(b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	list, err := collect(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	per := float64(heap()-before) / n
	goruntime.KeepAlive(b.String())
	t.Logf("%.1f bytes a post", per)
	if per > 60 {
		t.Errorf("%.1f bytes a post, want at most 60", per)
	}
	if got := list.Post(n - 1).ID; got != fmt.Sprint(n-1) {
		t.Errorf("id %s", got)
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
