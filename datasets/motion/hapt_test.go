package motion

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oatta/oatta/internal/testdata"
)

// TestHAPT reads all of the real collection and holds every sample's label against labels.txt, read here in another way.
func TestHAPT(t *testing.T) {
	path := testdata.Shared(t, "data", "motion", "hapt_rawdata_acc.tar.gz")
	h, err := OpenHAPT(path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	spans := map[string][][3]int{}
	n := 0
	for line := range strings.Lines(fromTar(t, path, "RawData/labels.txt")) {
		var e, u, a, first, last int
		if _, err := fmt.Sscan(line, &e, &u, &a, &first, &last); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("acc_exp%02d_user%02d", e, u)
		spans[name] = append(spans[name], [3]int{a, first, last})
		n++
	}
	people, samples, labelled := map[string]bool{}, 0, 0
	counts := make([]int, len(haptActivities))
	for i := range h.Recordings {
		r, err := h.Open(i)
		got := mustRead(t, r, err)
		people[r.Header().Person] = true
		samples += len(got.times)
		want := make([]int32, len(got.times))
		for i := range want {
			want[i] = NoLabel
		}
		for _, s := range spans[r.Header().Name] {
			for k := s[1]; k <= s[2]; k++ {
				want[k-1] = int32(s[0] - 1)
				counts[s[0]-1]++
				labelled++
			}
		}
		if !slices.Equal(want, got.labels) {
			t.Errorf("%s: labels differ", r.Header().Name)
		}
		if last := got.times[len(got.times)-1]; last != float64(len(got.times)-1)/50 || len(r.Warnings()) > 0 {
			t.Errorf("%s: last sample at %v, warnings %q", r.Header().Name, last, r.Warnings())
		}
	}
	if len(h.Recordings) != 61 || len(people) != 30 || samples != 1_122_772 || n != 1214 || len(h.Warnings) > 0 {
		t.Errorf("%d recordings of %d people, %d samples, %d spans, warnings %q", len(h.Recordings), len(people), samples, n, h.Warnings)
	}
	t.Logf("%d of %d samples labelled; by activity %d", labelled, samples, counts)
	// The first samples of the first file, as they stand in it.
	r, err := h.Open(0)
	if d := cmp.Diff([]float32{0.9180555898766518, -0.1124999994242935, 0.5097222514293852}, mustRead(t, r, err).values[0]); d != "" {
		t.Error(d)
	}
}

// fromTar reads one file of an archive.
func fromTar(t *testing.T, path, name string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == name {
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
	}
}

// small is a collection of two recordings of three and five samples.
var small = map[string]string{
	"acc_exp02_user01.txt":  "1 2 3\n4 5 6\r\n\n7 8 9",
	"acc_exp01_user01.txt":  " 0.5\t-1.5e-1 NaN\n1 1 1\n2 2 2\n3 3 3\n4 4 4\n",
	"labels.txt":            "1 1 5 2 3\n1 1 7 4 4\n2 1 12 1 2\n",
	"gyro_exp01_user01.txt": "not looked at",
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func inRawData(files map[string]string) map[string]string {
	out := map[string]string{"README.txt": "", "Train/labels.txt": "x"}
	for name, text := range files {
		out["HAPT/RawData/"+name] = text
	}
	return out
}

func zipped(t testing.TB, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hapt.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func tarred(t testing.TB, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hapt.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, text)
	}
	w.Close()
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHAPTFolders(t *testing.T) {
	// Beside the recordings lies what a storage device keeps of deleted ones, the first by name.
	binned, binnedTar := inRawData(small), maps.Clone(small)
	for name, text := range small {
		for _, at := range []string{"#recycle/" + name, "__MACOSX/RawData/" + name} {
			binned[at], binnedTar[at] = "1 2 3\n"+text, "1 2 3\n"+text
		}
	}
	for name, path := range map[string]string{
		"deleted files":    folder(t, binned),
		"deleted, zip":     zipped(t, binned),
		"deleted, tar":     tarred(t, binnedTar),
		"folder":           folder(t, small),
		"folder within":    folder(t, inRawData(small)),
		"zip":              zipped(t, inRawData(small)),
		"tar":              tarred(t, small),
		"name with ending": folder(t, small) + string(filepath.Separator),
	} {
		h, err := OpenHAPT(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := h.Open(0)
		got := mustRead(t, r, err)
		if d := cmp.Diff([]int32{NoLabel, 4, 4, 6, NoLabel}, got.labels); d != "" || r.Header().Person != "user01" || got.values[0][1] != -0.15 || got.values[0][2] == got.values[0][2] {
			t.Errorf("%s: %s; %v", name, d, got.values[0])
		}
		r, err = h.Open(1)
		if got = mustRead(t, r, err); len(got.times) != 3 || got.values[2][2] != 9 || got.times[2] != 0.04 {
			t.Errorf("%s: %v", name, got)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestHAPTDamage(t *testing.T) {
	changed := func(file, text string) map[string]string {
		out := map[string]string{}
		for n, s := range small {
			out[n] = s
		}
		out[file] = text
		return out
	}
	for want, files := range map[string]map[string]string{
		"want labels.txt and files":                   {"labels.txt": ""},
		"labels.txt:1: 4 numbers, want 5":             changed("labels.txt", "1 1 5 2"),
		"labels.txt:2: activity 13: want 1 to 12":     changed("labels.txt", "1 1 5 1 1\n1 1 13 2 3"),
		"labels.txt:1: experiment 1 is of user 1":     changed("labels.txt", "1 2 5 2 3"),
		"labels.txt:1: samples 3 to 2":                changed("labels.txt", "1 1 5 3 2"),
		"labels.txt:2: samples 3 to 4 overlap":        changed("labels.txt", "1 1 5 2 3\n1 1 6 3 4"),
		"labels.txt:1: x is no whole number":          changed("labels.txt", "1 1 x 2 3"),
		"are one experiment":                          changed("acc_exp01_user07.txt", "1 2 3"),
		"acc_exp01_user01.txt:2: 2 numbers, want 3":   changed("acc_exp01_user01.txt", "1 2 3\n4 5\n"),
		"acc_exp01_user01.txt:2: more than 3 numbers": changed("acc_exp01_user01.txt", "1 2 3\n4 5 6 7\n"),
		`acc_exp01_user01.txt:1: "\xff" is no number`: changed("acc_exp01_user01.txt", "1 \xff 3\n"),
		"acc_exp01_user01: no samples":                changed("acc_exp01_user01.txt", "\n\n"),
		"acc_exp01_user01.txt:1: a line of more than": changed("acc_exp01_user01.txt", strings.Repeat("1", 100000)),
	} {
		for _, path := range []string{folder(t, files), tarred(t, files)} {
			h, err := OpenHAPT(path)
			if err == nil {
				var r *Recording
				if r, err = h.Open(0); err == nil {
					_, err = readAll(r)
				}
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
	h, err := OpenHAPT(folder(t, changed("labels.txt", "1 1 5 2 9\n7 1 1 1 1\n")))
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Open(0)
	mustRead(t, r, err)
	want := []string{"labels.txt:2: there is no experiment 7", "labels.txt: acc_exp02_user01 has no labels", "acc_exp01_user01: labels.txt:1 labels samples up to 9, the file has 5"}
	if d := cmp.Diff(want, append(h.Warnings, r.Warnings()...)); d != "" {
		t.Error(d)
	}
	if _, err := OpenHAPT(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no error of a folder that is not there")
	}
	if _, err := Open(filepath.Join(folder(t, small), "acc_exp01_user01.txt"), Options{}); err == nil || !strings.Contains(err.Error(), "open its folder") {
		t.Error(err)
	}
}

// An archive of a few kilobytes may hold gigabytes of labels.
func TestHAPTLabelsBounded(t *testing.T) {
	line := "9 1 1 1" + strings.Repeat(" ", 60_000) + "2\n"
	path := zipped(t, map[string]string{"acc_exp01_user01.txt": "0 0 1\n", "labels.txt": strings.Repeat(line, maxLabelBytes/60_000+1)})
	if h, err := OpenHAPT(path); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("%v, %v", h, err)
	}
}
