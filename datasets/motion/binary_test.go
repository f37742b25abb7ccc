package motion

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// patched returns a block of a CWA file with some bytes changed and the checksum put right.
func patched(block []byte, change func(b []byte)) []byte {
	b := bytes.Clone(block)
	change(b)
	binary.LittleEndian.PutUint16(b[510:], 0)
	sum := uint16(0)
	for i := 0; i < 512; i += 2 {
		sum += binary.LittleEndian.Uint16(b[i:])
	}
	binary.LittleEndian.PutUint16(b[510:], -sum)
	return b
}

// numbered returns a block of a sequence, which begins at a second of 1 January 2024.
func numbered(block []byte, sequence uint32, at time.Duration) []byte {
	return patched(block, func(b []byte) {
		t := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(at)
		binary.LittleEndian.PutUint32(b[10:], sequence)
		binary.LittleEndian.PutUint32(b[14:], uint32(t.Year()-2000)<<26|uint32(t.Month())<<22|uint32(t.Day())<<17|uint32(t.Hour())<<12|uint32(t.Minute())<<6|uint32(t.Second()))
		binary.LittleEndian.PutUint16(b[4:], 0)
		offset := -float64(at%time.Second) / 1e7 // 100 Hz: the whole second was so many samples before the block
		binary.LittleEndian.PutUint16(b[26:], uint16(int16(math.Round(offset))))
	})
}

func cwaOf(t *testing.T, parts ...[]byte) (*Recording, read) {
	t.Helper()
	header := file(t, "ax3_packed.cwa")[:cwaHeader]
	r, err := newCWA("t.cwa", bytes.NewReader(bytes.Join(append([][]byte{header}, parts...), nil)))
	return r, mustRead(t, r, err)
}

// TestCWATimes holds times against those that generate.py meant.
func TestCWATimes(t *testing.T) {
	for _, tt := range []struct {
		file        string
		start, step float64 // seconds after 23:59:00
		most        float64
	}{
		{"ax3_packed.cwa", 0.37, 0.01004, 0.0101}, // stamps are those of whole samples
		{"ax3_wide.cwa", 0.123, 0.02, 1e-4},       // stamps have fractions, of 1/32768 s
		{"ax6.cwa", 0.37, 0.01, 1e-6},
	} {
		r, err := openCWA(filepath.Join("testdata", tt.file))
		got := mustRead(t, r, err)
		start := r.Header().Start.Sub(time.Date(2024, 2, 28, 23, 59, 0, 0, time.UTC)).Seconds()
		for i, at := range got.times {
			if off := math.Abs(start + at - tt.start - float64(i)*tt.step); off > tt.most {
				t.Fatalf("%s: sample %d is %v s off", tt.file, i, off)
			}
		}
		if w := r.Warnings(); w != nil {
			t.Errorf("%s: %q", tt.file, w)
		}
	}
}

func TestCWAHeader(t *testing.T) {
	r, err := openCWA(filepath.Join("testdata", "ax3_packed.cwa"))
	mustRead(t, r, err)
	h := r.Header()
	if h.Person != "P 07" || h.Device != "Axivity AX3 4660" || h.Name != "ax3_packed" || h.Zoned {
		t.Errorf("%+v", h)
	}
}

// TestCWADamage: blocks are exchanged, missing, damaged, of another layout, from two sessions, and not blocks at all.
func TestCWADamage(t *testing.T) {
	base := file(t, "ax3_packed.cwa")[cwaHeader:][:512]
	six := file(t, "ax6.cwa")[cwaHeader:][:512]
	block := func(k int) []byte { return numbered(base, uint32(k), time.Duration(k)*1200*time.Millisecond) }
	var far [][]byte
	for k := range 60 {
		far = append(far, block(k+1))
	}
	far = append(far, block(0), block(61))
	spoilt := block(2)
	spoilt[200] ^= 1
	for name, tt := range map[string]struct {
		parts    [][]byte
		samples  int
		gaps     int
		warnings []string
	}{
		"good":        {[][]byte{block(0), block(1), block(2)}, 360, 0, nil},
		"exchanged":   {[][]byte{block(0), block(2), block(1), block(3)}, 480, 0, []string{"blocks out of order put back: 1, the first at t.cwa: block at byte 2048"}},
		"first later": {[][]byte{block(2), block(1), block(0)}, 360, 0, []string{"blocks out of order put back: 2, the first at t.cwa: block at byte 1536"}},
		"missing":     {[][]byte{block(0), block(2)}, 240, 1, nil},
		"damaged":     {[][]byte{block(0), block(1), spoilt, block(3)}, 360, 1, []string{"damaged blocks left out: 1, the first at t.cwa: block at byte 2048: checksum is wrong"}},
		"far":         {far, 61 * 120, 0, []string{"blocks out of order put back: 1, the first at t.cwa: block at byte 31744", "blocks repeated or too far out of order left out: 1, the first at t.cwa: block at byte 31744"}},
		"twice":       {[][]byte{block(0), block(1), block(1), block(2)}, 360, 0, []string{"blocks repeated or too far out of order left out: 1, the first at t.cwa: block at byte 2048"}},
		"another":     {[][]byte{block(0), numbered(six, 1, 1200*time.Millisecond), block(2)}, 240, 1, []string{"blocks without the 3 axes of the first one left out: 1, the first at t.cwa: block at byte 1536: 6"}},
		"erased":      {[][]byte{block(0), bytes.Repeat([]byte{0xff}, 1024), block(1)}, 240, 0, []string{"damaged blocks left out: 2, the first at t.cwa: block at byte 1536: not a block of samples"}},
		"too many": {
			[][]byte{patched(block(0), func(b []byte) { b[28], b[29] = 0xff, 0xff })},
			120, 0,
			[]string{"blocks that claim more samples than they can hold: 1, the first at t.cwa: block at byte 1024"},
		},
		"none":         {[][]byte{block(0), patched(block(1), func(b []byte) { b[28] = 0 }), block(2)}, 240, 1, nil},
		"no date":      {[][]byte{block(0), patched(block(1), func(b []byte) { copy(b[14:], "\xff\xff\xff\xff") })}, 120, 0, []string{"damaged blocks left out: 1, the first at t.cwa: block at byte 1536: 0xffffffff is no time"}},
		"half rate":    {[][]byte{block(0), patched(block(1), func(b []byte) { b[24]--; b[26], b[27] = 0xf6, 0xff })}, 240, 0, []string{"blocks that have not the 100 Hz of the first one: 1, the first at t.cwa: block at byte 1536: 50 Hz"}},
		"two sessions": {[][]byte{block(0), block(1), patched(numbered(base, 0, time.Hour), func(b []byte) { b[6]++ })}, 360, 1, nil},
		"cut":          {[][]byte{block(0), block(1)[:511]}, 120, 0, []string{"t.cwa: the file ends within a block, at byte 2047"}},
	} {
		r, got := cwaOf(t, tt.parts...)
		gaps := 0
		for i := 1; i < len(got.times); i++ {
			if got.times[i]-got.times[i-1] > 0.5 {
				gaps++
			}
		}
		if len(got.times) != tt.samples || gaps != tt.gaps {
			t.Errorf("%s: %d samples, want %d; %d gaps, want %d", name, len(got.times), tt.samples, gaps, tt.gaps)
		}
		if d := cmp.Diff(tt.warnings, r.Warnings()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestCWAOldest(t *testing.T) {
	block := file(t, "ax3_packed.cwa")[cwaHeader:][:512]
	old := bytes.Clone(block)
	old[24], old[26], old[27], old[510], old[511] = 0, 40, 0, 1, 2 // no rate code, 40 Hz where the offset was, no checksum
	r, got := cwaOf(t, old)
	if r.Header().Rate != 40 || len(got.times) != 120 || got.times[1] != 0.025 {
		t.Errorf("rate %v, %d samples, second at %v", r.Header().Rate, len(got.times), got.times[1])
	}
}

func TestCWAErrors(t *testing.T) {
	good := file(t, "ax3_packed.cwa")
	for want, b := range map[string][]byte{
		"header of 0 bytes, want 1024":    nil,
		"header of 700 bytes, want 1024":  good[:700],
		`it begins with "PK", want MD`:    append([]byte("PK"), good[2:]...),
		"the file ends behind its header": good[:1024],
		"not a block of samples":          append(bytes.Clone(good[:1024]), make([]byte, 512)...),
	} {
		if _, err := newCWA("t.cwa", bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// logRecord makes a record of log.bin.
func logRecord(kind byte, second uint32, payload []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{logMark, kind}, second)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(payload)))
	b = append(b, payload...)
	return append(b, checksum(b))
}

// gt3xOf makes an archive.
func gt3xOf(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, files[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const goodInfo = "Serial Number: NEO1C16110020\nSample Rate: 2\nSubject Name: P 07\n"

// second is two samples of 12 bits a axis: y, x, z of 341 LSB are one g.
var second = string([]byte{0x15, 0x50, 0x00, 0xEA, 0xB1, 0x55, 0x00, 0x00, 0x00})

func logged(parts ...[]byte) string { return string(bytes.Join(parts, nil)) }

func TestGT3XDamage(t *testing.T) {
	at := func(s uint32) []byte { return logRecord(logPacked, s, []byte(second)) }
	spoilt := at(101)
	spoilt[12] ^= 4
	lies := logRecord(logPacked, 101, []byte(second))
	lies[6], lies[7] = 0xff, 0xff // longer than the file
	for name, tt := range map[string]struct {
		log      string
		times    []float64
		warnings []string
	}{
		"good":       {logged(at(100), at(101)), []float64{0, .5, 1, 1.5}, nil},
		"gap":        {logged(at(100), at(105)), []float64{0, .5, 5, 5.5}, nil},
		"zeros":      {logged(at(100), make([]byte, 9), at(101)), []float64{0, .5, 1, 1.5}, nil},
		"USB":        {logged(at(100), logRecord(logPacked, 104, []byte{0}), at(101)), []float64{0, .5, 1, 1.5}, nil},
		"unknown":    {logged(at(100), logRecord(99, 7, make([]byte, 60000)), at(101)), []float64{0, .5, 1, 1.5}, nil},
		"again":      {logged(at(100), at(100), at(101)), []float64{0, .5, 1, 1.5}, []string{"samples before their predecessor left out: 1, the first at t.gt3x: log.bin: record at byte 18", "samples at the time of their predecessor left out: 1, the first at t.gt3x: log.bin: record at byte 18"}},
		"damaged":    {logged(at(100), spoilt, at(102)), []float64{0, .5, 2, 2.5}, []string{"damaged records left out: 1, the first at t.gt3x: log.bin: record at byte 18: mark or checksum is wrong, 18 bytes are passed over"}},
		"long":       {logged(at(100), lies, at(102)), []float64{0, .5, 2, 2.5}, []string{"damaged records left out: 1, the first at t.gt3x: log.bin: record at byte 18: mark or checksum is wrong, 18 bytes are passed over"}},
		"rubbish":    {logged(at(100), bytes.Repeat([]byte("rubbish"), 50000), at(102)), []float64{0, .5, 2, 2.5}, nil},
		"cut":        {logged(at(100), at(101)[:10]), []float64{0, .5}, []string{"t.gt3x: log.bin: the file ends within a record, at byte 28"}},
		"three":      {logged(at(100), logRecord(logWide, 101, make([]byte, 18))), []float64{0, .5, 1, 1 + 1./3, 1 + 2./3}, []string{"records without the 2 samples of a second: 1, the first at t.gt3x: log.bin: record at byte 18: 3"}},
		"part of 16": {logged(at(100), logRecord(logWide, 101, make([]byte, 14))), []float64{0, .5, 1, 1.5}, nil},
	} {
		b := gt3xOf(t, "info.txt", goodInfo, "log.bin", tt.log)
		r, err := newGT3X("t.gt3x", bytes.NewReader(b), int64(len(b)))
		got := mustRead(t, r, err)
		if d := cmp.Diff(tt.times, got.times, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff([][]float32{{0, 1, -1}, {0, 1, 0}}, got.values[:2]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if name == "rubbish" { // several pieces of it
			if w := r.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "damaged records left out: ") {
				t.Errorf("%s: %q", name, w)
			}
			continue
		}
		if d := cmp.Diff(tt.warnings, r.Warnings()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestGT3XScale: what says how many units a g are, and the axes that a firmware exchanges.
func TestGT3XScale(t *testing.T) {
	log := logRecord(logWide, 100, []byte{0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0}) // 256, 512, 0
	parameter := logRecord(logSettings, 99, []byte{0, 0, 55, 0, 0, 0, 0x40, 10})
	for name, tt := range map[string]struct {
		info string
		log  string
		want []float32
	}{
		"serial number": {"Serial Number: MOS2D1\nSample Rate: 2", logged(log), []float32{1, 2, 0}},
		"info.txt":      {"Serial Number: MOS2D1\nSample Rate: 2\nAcceleration Scale: 512,0", logged(log), []float32{0.5, 1, 0}},
		"nonsense":      {"Serial Number: MOS2D1\nSample Rate: 2\nAcceleration Scale: 0", logged(log), []float32{1, 2, 0}},
		"parameter":     {"Serial Number: MOS2D1\nSample Rate: 2\nAcceleration Scale: 256", logged(parameter, log), []float32{0.5, 1, 0}},
		"turned":        {"Serial Number: MOS2D1\nFirmware: 1.6.0\nSample Rate: 2", logged(log), []float32{2, -1, 0}},
	} {
		b := gt3xOf(t, "log.bin", tt.log, "info.txt", tt.info)
		r, err := newGT3X("t.gt3x", bytes.NewReader(b), int64(len(b)))
		if d := cmp.Diff(tt.want, mustRead(t, r, err).values[0]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if v := sspFloat(0x09400000); v != 256 {
		t.Errorf("ACCEL_SCALE of the description's example is %v", v)
	}
}

func TestGT3XErrors(t *testing.T) {
	log := logged(logRecord(logPacked, 100, []byte(second)))
	for want, b := range map[string][]byte{
		"not a GT3X file: zip":                          []byte("PK no zip"),
		"holds no info.txt":                             gt3xOf(t, "log.bin", log),
		"holds neither log.bin nor activity.bin":        gt3xOf(t, "info.txt", goodInfo),
		"info.txt:2: Sample Rate: x is no number":       gt3xOf(t, "info.txt", "A: b\nSample Rate: x\n", "log.bin", log),
		"info.txt: Sample Rate is 0":                    gt3xOf(t, "info.txt", "A: b\n", "log.bin", log),
		"info.txt: more than 1 MiB":                     gt3xOf(t, "info.txt", strings.Repeat("a", maxInfo+1), "log.bin", log),
		"log.bin: no samples: no record of activity":    gt3xOf(t, "info.txt", goodInfo, "log.bin", ""),
		"log.bin: no samples: damaged records left out": gt3xOf(t, "info.txt", goodInfo, "log.bin", "nothing of the kind"),
		"how many units a g are is not said":            gt3xOf(t, "info.txt", "Serial Number: XYZ\nSample Rate: 2\n", "log.bin", log),
		"activity.bin: no samples":                      gt3xOf(t, "info.txt", goodInfo, "activity.bin", "1234"),
	} {
		r, err := newGT3X("t.gt3x", bytes.NewReader(b), int64(len(b)))
		if err == nil {
			_, err = readAll(r)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestCut cuts every fixture at every byte: an error or what is left, and never a panic.
func TestCut(t *testing.T) {
	for _, name := range []string{"ax3_damaged.cwa", "damaged75.gt3x", "nhanes.gt3x"} {
		whole := file(t, name)
		for n := range whole {
			b := whole[:n]
			var r *Recording
			var err error
			if strings.HasSuffix(name, ".cwa") {
				r, err = newCWA(name, bytes.NewReader(b))
			} else {
				r, err = newGT3X(name, bytes.NewReader(b), int64(n))
			}
			if err != nil {
				continue
			}
			if got, err := readAll(r); err == nil && len(got.times) == 0 {
				t.Fatalf("%s cut at %d: neither samples nor an error", name, n)
			}
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, path := range []string{write("a.bin", file(t, "ax6.cwa")), write("b.dat", file(t, "wide100.gt3x")), write("c.txt", []byte("time,x\n0,1\n1,2\n"))} {
		r, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open(write("empty.csv", nil), Options{}); err == nil || !strings.Contains(err.Error(), "file is empty") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "absent.cwa"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if !IsRecording("A.CWA.gz") || IsRecording("a.txt") {
		t.Error("IsRecording")
	}
}

// blocks is an endless CWA file, of which nothing is kept.
type blocks struct {
	base  []byte
	k, n  int
	ready []byte
}

func (s *blocks) Read(p []byte) (int, error) {
	if len(s.ready) == 0 {
		if s.k == s.n {
			return 0, io.EOF
		}
		s.ready = numbered(s.base, uint32(s.k), time.Duration(s.k)*1200*time.Millisecond)
		s.k++
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// TestMemoryIsFlat reads a day of 100 Hz.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("8.6 million samples")
	}
	whole := file(t, "ax3_packed.cwa")
	in := io.MultiReader(bytes.NewReader(whole[:cwaHeader]), &blocks{base: whole[cwaHeader:][:512], n: 72_000})
	r, err := newCWA("t.cwa", in)
	if err != nil {
		t.Fatal(err)
	}
	heap := func() float64 {
		goruntime.GC()
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	times, values := make([]float64, 1000), make([]float32, 5000)
	samples, first := 0, 0.0
	for {
		n, err := r.Read(times, values, nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if samples += n; first == 0 && samples > 1_000_000 {
			first = heap()
		}
	}
	if now := heap(); now > 1.05*first+1<<18 {
		t.Errorf("heap grew from %.0f to %.0f bytes", first, now)
	}
	if samples != 72_000*120 || r.Warnings() != nil {
		t.Errorf("%d samples, %q", samples, r.Warnings())
	}
}

// hapt, csv, cwa and gt3x in bytes of the file and samples a second.
func benchmarkReader(b *testing.B, size int, open func() (*Recording, error)) {
	b.Helper()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	times := make([]float64, 4096)
	var values []float32
	samples := 0
	for b.Loop() {
		r, err := open()
		if err != nil {
			b.Fatal(err)
		}
		if values == nil {
			values = make([]float32, 4096*len(r.Header().Channels))
		}
		for err == nil {
			var n int
			n, err = r.Read(times, values, nil)
			samples += n
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(samples)/b.Elapsed().Seconds(), "samples/s")
}

func BenchmarkCWA(b *testing.B) {
	whole := file(b, "ax3_packed.cwa")
	text := bytes.Clone(whole[:cwaHeader])
	for k := range 4000 {
		text = append(text, numbered(whole[cwaHeader:][:512], uint32(k), time.Duration(k)*1200*time.Millisecond)...)
	}
	benchmarkReader(b, len(text), func() (*Recording, error) { return newCWA("t.cwa", bytes.NewReader(text)) })
}

func BenchmarkGT3X(b *testing.B) {
	payload := bytes.Repeat([]byte(second), 50)
	var log []byte
	for k := range 4000 {
		log = append(log, logRecord(logPacked, uint32(k), payload)...)
	}
	text := gt3xOf(b, "info.txt", strings.Replace(goodInfo, ": 2", ": 100", 1), "log.bin", string(log))
	benchmarkReader(b, len(log), func() (*Recording, error) {
		return newGT3X("t.gt3x", bytes.NewReader(text), int64(len(text)))
	})
}

func BenchmarkHARTH(b *testing.B) {
	var text strings.Builder
	text.WriteString("timestamp,back_x,back_y,back_z,thigh_x,thigh_y,thigh_z,label\n")
	start := time.Date(2019, 1, 12, 0, 0, 0, 0, time.UTC)
	for i := range 100_000 {
		fmt.Fprintf(&text, "%s,-0.760242,0.299570,0.468570,-5.092732,-0.298644,0.709439,6\n", start.Add(time.Duration(i)*20*time.Millisecond).Format("2006-01-02 15:04:05.000"))
	}
	benchmarkReader(b, text.Len(), func() (*Recording, error) {
		return newCSV("S006.csv", strings.NewReader(text.String()), Options{Channels: harthChannels})
	})
}

func BenchmarkHAPT(b *testing.B) {
	text := strings.Repeat("0.9180555898766518 -0.1124999994242935 0.5097222514293852\n", 20_000)
	benchmarkReader(b, len(text), func() (*Recording, error) {
		r := &Recording{labels: newDictionary(haptActivities...), head: Header{Channels: make([]Channel, 3)}}
		r.dec = &haptDecoder{source: &haptText{newLines("t.txt", strings.NewReader(text))}, rec: r}
		return r, nil
	})
}
