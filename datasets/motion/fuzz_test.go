package motion

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// check reads a recording that anybody may have made: an error or samples in order, never a panic.
func check(t *testing.T, r *Recording, err error) {
	t.Helper()
	if err != nil {
		return
	}
	defer r.Close()
	if h := r.Header(); len(h.Channels) == 0 || !(h.Rate > 0) {
		t.Fatalf("%d channels at %v Hz", len(h.Channels), h.Rate)
	}
	got, err := readAll(r)
	if err != nil {
		return
	}
	for i := 1; i < len(got.times); i++ {
		if !(got.times[i] > got.times[i-1]) {
			t.Fatalf("sample %d at %v after one at %v", i, got.times[i], got.times[i-1])
		}
	}
	for i, l := range got.labels {
		if l < NoLabel || int(l) >= len(r.Labels()) {
			t.Fatalf("sample %d has label %d of %d", i, l, len(r.Labels()))
		}
	}
	r.Warnings()
}

// FuzzCWA gives bytes as a file, and as blocks whose checksums are right.
func FuzzCWA(f *testing.F) {
	for _, name := range []string{"ax3_damaged.cwa", "ax3_wide.cwa", "ax6.cwa"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := newCWA("fuzz", bytes.NewReader(b))
		check(t, r, err)
		for at := cwaHeader; at+cwaSector <= len(b); at += cwaSector {
			copy(b[at:], patched(b[at:at+cwaSector], func([]byte) {}))
		}
		r, err = newCWA("fuzz", bytes.NewReader(b))
		check(t, r, err)
	})
}

// FuzzGT3X gives bytes as a file, as info.txt, as log.bin and as activity.bin.
func FuzzGT3X(f *testing.F) {
	f.Add(file(f, "damaged75.gt3x"))
	f.Add([]byte(goodInfo))
	f.Add([]byte(logged(logRecord(logSettings, 99, []byte{0, 0, 55, 0, 0, 0, 0x40, 10}), logRecord(logPacked, 100, []byte(second)), logRecord(logWide, 101, make([]byte, 12)))))
	f.Fuzz(func(t *testing.T, b []byte) {
		log := logged(logRecord(logPacked, 100, []byte(second)))
		for _, a := range [][]byte{b, gt3xOf(t, "info.txt", string(b), "log.bin", log), gt3xOf(t, "info.txt", goodInfo, "log.bin", string(b)), gt3xOf(t, "info.txt", goodInfo, "activity.bin", string(b))} {
			r, err := newGT3X("fuzz", bytes.NewReader(a), int64(len(a)))
			check(t, r, err)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("time,x,y,label\n0,1,2,a\n0.02,3,,b\n0.04,x,1,a\n", "", 0.0)
	f.Add("timestamp;acc [m/s^2]\n2024-02-28 23:59:59.980;1,5\n2024-02-29 00:00:00.000;\"2\"\n", "acc", 50.0)
	f.Add("----- Data File Created By ActiGraph date format M/d/yyyy at 50 Hz -----\nStart Date 1/2/2024\nStart Time 10:00:00\n-----\nAccelerometer X\n1\n", "", 0.0)
	f.Add("2024-02-28 02:59:59.980,1,2,3\r2024-02-28 02:00:00,1,2,3\r2035-01-01 00:00:00,1,2,3\r2000-01-01,1,2,3\r", "", 50.0)
	f.Add("t_ms\tx\n1709164799980\t1\n1709164800000\t2\n", "x", 0.0)
	f.Fuzz(func(t *testing.T, text, channel string, rate float64) {
		o := Options{Rate: rate}
		if channel != "" {
			o.Channels = strings.Split(channel, ",")
		}
		r, err := newCSV("fuzz", strings.NewReader(text), o)
		check(t, r, err)
		for _, more := range []Options{{NoHeader: true}, {SkipLines: 1, TimeLayout: "%d.%m.%Y %H:%M"}, {Quote: "none", Stream: "x", Only: "1"}, {Quote: "backslash"}} {
			more.Rate, more.Channels = o.Rate, o.Channels
			r, err := newCSV("fuzz", strings.NewReader(text), more)
			check(t, r, err)
		}
	})
}

// FuzzHAPT gives a text as samples and as labels.
func FuzzHAPT(f *testing.F) {
	f.Add("1 2 3\n4 5 6\n", "1 1 5 1 2\n")
	f.Fuzz(func(t *testing.T, samples, labels string) {
		h := &HAPT{Recordings: []HAPTRecording{{Experiment: 1, User: 1}}}
		if err := h.readLabels("labels.txt", strings.NewReader(labels)); err != nil {
			return
		}
		r := &Recording{labels: newDictionary(haptActivities...), head: Header{Rate: haptRate, Channels: make([]Channel, 3)}}
		r.dec = &haptDecoder{source: &haptText{newLines("a.txt", strings.NewReader(samples))}, spans: h.Recordings[0].spans, rec: r}
		check(t, r, nil)
	})
}

// Whatever bytes an archive of HAPT holds: an error, or recordings, and never a panic or much memory.
func FuzzHAPTArchive(f *testing.F) {
	for ending, path := range map[string]string{".zip": zipped(f, inRawData(small)), ".tar.gz": tarred(f, small)} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, ending == ".zip")
		f.Add(data[:len(data)/2], ending == ".zip")
		f.Add(data, ending != ".zip")
	}
	f.Fuzz(func(t *testing.T, data []byte, zip bool) {
		path := filepath.Join(t.TempDir(), "x.tar.gz")
		if zip {
			path = filepath.Join(t.TempDir(), "x.zip")
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := OpenHAPT(path)
		if err != nil {
			return
		}
		defer h.Close()
		for i := range min(len(h.Recordings), 3) {
			if r, err := h.Open(i); err == nil {
				_, _ = readAll(r)
			}
		}
	})
}
