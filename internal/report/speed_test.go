package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/report/items"
)

// many writes n results of pictures into a file, as run writes them.
func many(tb testing.TB, n int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "many.jsonl")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		at = at.Add(time.Duration(r.IntN(400)) * time.Second)
		raw := r.IntN(40)
		adapted := raw
		if r.IntN(12) == 0 {
			adapted = r.IntN(40)
		}
		fmt.Fprintf(w, `{"file":"camera %d/IMG_%06d.JPG","stream":"camera %d","time":"%s","label":"species %d","prob":%.6f,"adapted_label":"species %d","adapted_prob":%.6f,"gate":%.6f,"adapted_mode":"smoothed"}`+"\n",
			i*60/n, i, i*60/n, at.Format("2006-01-02T15:04:05"), raw, r.Float64(), adapted, r.Float64(), r.Float64())
	}
	if err := w.Flush(); err != nil || f.Close() != nil {
		tb.Fatal(err)
	}
	return path
}

// Fifty thousand items make a page that can be sent, and what is kept of them is little.
func TestManyItems(t *testing.T) {
	path := many(t, 50_000)
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, Settings{Inputs: root}, path)
	checkPage(t, page)
	if !strings.Contains(page, "<dd>50,000</dd>") || strings.Contains(page, "lines left out") {
		t.Error("the page does not count all of them")
	}
}

// The whole of a report of 50,000 items. of-wc is how many times as long it takes as counting the lines of the file, which wc does.
func BenchmarkReport(b *testing.B) {
	const n = 50_000
	path := many(b, n)
	begun := time.Now()
	for range 10 {
		if err := countLines(path); err != nil {
			b.Fatal(err)
		}
	}
	counting := time.Since(begun) / 10
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		f, err := items.Open(path, items.Options{})
		if err != nil {
			b.Fatal(err)
		}
		c, err := Gather([]*items.File{f}, Settings{})
		if err == nil {
			err = c.Again()
		}
		if err == nil {
			err = c.Page(io.Discard)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "items/s")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/counting.Seconds(), "of-wc")
}

func countLines(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	for lines := 0; ; {
		n, err := f.Read(buf)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
