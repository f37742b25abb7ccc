package motion

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oatta/oatta/datasets/internal/message"
)

// openGT3X opens a recording of an ActiGraph: a zip of info.txt and log.bin, or, of firmware up to 2.5.0, activity.bin. Channels are x, y
// and z in g, rounded to a thousandth as the descriptions of both formats ask for.
//
// A device that sleeps while it lies still (idle sleep mode) records nothing: that is a gap. ActiGraph's own software fills it with the
// last sample.
func openGT3X(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("motion: %s: %w", show(path), message.Cause(err))
	}
	r, err := statAndOpen(path, f)
	if err != nil {
		_ = f.Close() // the error that counts is the first
		return nil, err
	}
	r.closer = closers{r.closer, f}
	return r, nil
}

func statAndOpen(path string, f *os.File) (*Recording, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("motion: %s: %w", show(path), message.Cause(err))
	}
	return newGT3X(path, f, info.Size())
}

// closers closes the file within the zip, then the zip.
type closers []io.Closer

// Close implements io.Closer.
func (cs closers) Close() error {
	var first error
	for _, c := range cs {
		if err := c.Close(); first == nil {
			first = err
		}
	}
	return first
}

// The limits of an archive. A month of 100 Hz takes 1.6 GB.
const (
	maxInfo = 1 << 20
	maxLog  = 16 << 30
)

// newGT3X is openGT3X of an open file of size bytes, which must stay open; name stands in messages.
func newGT3X(name string, in io.ReaderAt, size int64) (*Recording, error) {
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("motion: %s: not a GT3X file: %w", show(name), err)
	}
	r := &Recording{head: Header{Name: baseName(name), Channels: []Channel{{"x", "g"}, {"y", "g"}, {"z", "g"}}}}
	a := gt3xArchive{name, z}
	info, err := a.info(r)
	if err != nil {
		return nil, err
	}
	r.head.Rate, r.head.Person, r.head.Device = info.rate, info.subject, info.device()
	if err := a.openSamples(r, info); err != nil {
		return nil, err
	}
	return r, nil
}

// openSamples opens the file with the samples, of either kind.
func (a gt3xArchive) openSamples(r *Recording, info gt3xInfo) error {
	file, open := "log.bin", openLog
	if a.find(file) == nil {
		file, open = "activity.bin", openActivity
	}
	f := a.find(file)
	if f == nil {
		return fmt.Errorf("motion: %s: holds neither log.bin nor activity.bin", show(a.name))
	}
	place := show(a.name) + ": " + file
	body, err := f.Open()
	if err != nil {
		return fmt.Errorf("motion: %s: %w", place, err)
	}
	if err := open(r, place, &limitedReader{r: body, left: maxLog}, info); err != nil {
		_ = body.Close() // the error that counts is the first
		return err
	}
	r.closer = body
	return nil
}

// limitedReader ends a stream with an error where it grows beyond all measure.
type limitedReader struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("more than %d GiB", int64(maxLog)>>30)
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}

type gt3xArchive struct {
	name string
	zip  *zip.Reader
}

func (a gt3xArchive) find(name string) *zip.File {
	for _, f := range a.zip.File {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// gt3xInfo is what is needed of info.txt.
type gt3xInfo struct {
	rate     float64
	scale    float64 // units a g, 0 if the file does not say
	start    time.Time
	serial   string
	firmware string
	kind     string
	subject  string
}

func (i gt3xInfo) device() string {
	return strings.TrimSpace(strings.TrimSpace("ActiGraph "+i.kind) + " " + i.serial)
}

// serialScale returns the units a g of devices that do not say: GT3X+ and wGT3X+ have 6 g, the BT ones 8 g.
func (i gt3xInfo) serialScale() float64 {
	switch {
	case strings.HasPrefix(i.serial, "MOS"), strings.HasPrefix(i.serial, "TAS"):
		return 256
	case strings.HasPrefix(i.serial, "NEO"), strings.HasPrefix(i.serial, "CLE"), strings.HasPrefix(i.serial, "MRA"):
		return 341
	}
	return 0
}

// info reads info.txt: a line a value, "Sample Rate: 30".
func (a gt3xArchive) info(r *Recording) (i gt3xInfo, err error) {
	f := a.find("info.txt")
	if f == nil {
		return i, fmt.Errorf("motion: %s: not a GT3X file: holds no info.txt", show(a.name))
	}
	in, err := f.Open()
	if err != nil {
		return i, fmt.Errorf("motion: %s: info.txt: %w", show(a.name), err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxInfo+1))
	if err != nil {
		return i, fmt.Errorf("motion: %s: info.txt: %w", show(a.name), err)
	}
	if len(text) > maxInfo {
		return i, fmt.Errorf("motion: %s: info.txt: more than %d MiB", show(a.name), maxInfo>>20)
	}
	line := 0
	for s := range strings.SplitSeq(strings.TrimPrefix(string(text), "\ufeff"), "\n") {
		line++
		key, value, _ := strings.Cut(s, ":")
		if err := i.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return i, fmt.Errorf("motion: %s: info.txt:%d: %w", show(a.name), line, err)
		}
	}
	if !(i.rate > 0 && i.rate <= maxRate) {
		return i, fmt.Errorf("motion: %s: info.txt: Sample Rate is %v, want over 0 and at most %d", show(a.name), i.rate, maxRate)
	}
	if !utf8.ValidString(i.subject) {
		r.notes.say("%s: info.txt: Subject Name is not UTF-8: %s", show(a.name), show(i.subject))
		i.subject = strconv.Quote(i.subject)
	}
	return i, nil
}

// set takes a line. Values that are of no use here are not looked at.
func (i *gt3xInfo) set(key, value string) (err error) {
	switch key {
	case "Sample Rate":
		i.rate, err = decimal(value)
	case "Acceleration Scale":
		if i.scale, err = decimal(value); err == nil && !scaleMakesSense(i.scale) {
			i.scale = 0
		}
	case "Start Date":
		i.start, err = fromTicks(value)
	case "Serial Number":
		i.serial = strings.ToValidUTF8(value, "?")
	case "Device Type":
		i.kind = strings.ToValidUTF8(value, "?")
	case "Firmware":
		i.firmware = value
	case "Subject Name":
		i.subject = value
	}
	if err != nil {
		return fmt.Errorf("%s: %s is no number", key, show(value))
	}
	return nil
}

// scaleMakesSense refuses what would turn samples into nonsense, from 16 units a g to all of 16 bits.
func scaleMakesSense(scale float64) bool { return scale >= 16 && scale <= 32768 }

// decimal reads a number that may have a decimal comma, as devices that were set up in some countries write.
func decimal(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err == nil && v-v != 0 {
		return 0, strconv.ErrRange
	}
	return v, err
}

// unixTicks is 1970 in .NET's ticks of 100 ns since the year 1.
const unixTicks = 621_355_968_000_000_000

func fromTicks(s string) (time.Time, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v == 0 {
		return time.Time{}, err
	}
	const perSecond = 10_000_000
	v -= unixTicks
	return time.Unix(v/perSecond, v%perSecond*100).UTC(), nil
}

// thousandths rounds as the descriptions of the format do.
func thousandths(v float64) float32 { return float32(math.Round(v*1000) / 1000) }

// unpack12 returns the signed 12-bit number i of a run that is packed most significant bits first: two numbers in three bytes.
func unpack12(b []byte, i int) int {
	at := i / 2 * 3
	var v uint16
	if i%2 == 0 {
		v = uint16(b[at])<<4 | uint16(b[at+1])>>4
	} else {
		v = uint16(b[at+1]&0x0f)<<8 | uint16(b[at+2])
	}
	return int(int16(v<<4) >> 4)
}

// packedSamples returns how many samples of three axes are in n bytes; of an odd count the last half byte is not used.
func packedSamples(n int) int { return n * 2 / 9 }
