package pipeline

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
)

// A journal is a file of frames: 4 bytes length, 4 bytes CRC-32C of the payload, payload, all little-endian, after an 8-byte magic.
// A frame that was cut off or damaged ends the journal: what comes after it never happened.
const journalMagic = "OATTAJ2\n"

// journalName is what the magics of all versions begin with.
const journalName = "OATTAJ"

// maxFrame bounds what a damaged length can ask for: a batch of 4096 items with 16384 classes.
const maxFrame = 1 << 29

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type journal struct{ f *os.File }

// createJournal starts a journal with one frame, the header. The file must not exist.
func createJournal(path string, header []byte) (*journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	j := &journal{f}
	if _, err := f.WriteString(journalMagic); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := j.append(append(startFrame(nil), header...)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// checkMagic reports a file that is called like a journal and is none. A journal that was cut off in its magic is one.
func checkMagic(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	start := make([]byte, len(journalMagic))
	n, err := io.ReadFull(f, start)
	if cutOff(err) != nil {
		return err
	}
	if text := string(start[:n]); !strings.HasPrefix(text, journalName) && !strings.HasPrefix(journalName, text) {
		return fmt.Errorf("%s: not a journal of oatta, and in its place: move it", path)
	}
	return nil
}

// openJournal opens an existing journal and returns its header; errNoHeader if it has none.
func openJournal(path string) (*journal, []byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o644)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{f}
	var header []byte
	_, err = j.scan(func(n int, payload []byte) (bool, error) {
		header = append([]byte(nil), payload...)
		return false, nil
	})
	if err == nil && header == nil {
		err = errNoHeader
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return j, header, nil
}

// errNoHeader says that a run was killed before its journal had a header: nothing was written, so nothing is lost.
var errNoHeader = errors.New("journal without a header")

// startFrame appends the place of a frame's head; the payload follows, and append fills the head in.
func startFrame(dst []byte) []byte { return append(dst, 0, 0, 0, 0, 0, 0, 0, 0) }

// append writes a frame that startFrame began, in one write: a kill leaves a whole frame or a torn last one.
func (j *journal) append(frame []byte) error {
	payload := frame[8:]
	if len(payload) > maxFrame {
		return fmt.Errorf("%s: a batch of %d bytes is more than a journal takes, %d: make it smaller", j.f.Name(), len(payload), maxFrame)
	}
	binary.LittleEndian.PutUint32(frame, uint32(len(payload)))
	binary.LittleEndian.PutUint32(frame[4:], crc32.Checksum(payload, castagnoli))
	_, err := j.f.Write(frame)
	return err
}

// scan calls fn with every whole frame from the beginning, the header being frame 0, until fn returns false. It returns the offset
// behind the last frame for which fn returned true, and leaves the file's position undefined.
func (j *journal) scan(fn func(n int, payload []byte) (bool, error)) (end int64, err error) {
	if _, err := j.f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	r := bufio.NewReaderSize(j.f, 1<<20)
	magic := make([]byte, len(journalMagic))
	if _, err := io.ReadFull(r, magic); err != nil {
		return 0, cutOff(err)
	}
	if string(magic) != journalMagic {
		return 0, fmt.Errorf("%s: a journal of another version of oatta: --overwrite starts again", j.f.Name())
	}
	info, err := j.f.Stat()
	if err != nil {
		return 0, err
	}
	end = int64(len(journalMagic))
	var payload []byte
	for n := 0; ; n++ {
		payload, err = readFrame(r, payload, info.Size()-end)
		if payload == nil || err != nil {
			return end, err
		}
		more, err := fn(n, payload)
		if !more || err != nil {
			return end, err
		}
		end += 8 + int64(len(payload))
	}
}

// readFrame returns the next payload in buf's memory, or nil at the end or at damage. left is what the file still holds, more than
// which no damaged length may ask for. Only failures of the disk are errors.
func readFrame(r io.Reader, buf []byte, left int64) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, cutOff(err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0 || size > maxFrame || int64(size) > left {
		return nil, nil
	}
	if cap(buf) < int(size) {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err := io.ReadFull(r, buf); err != nil {
		return nil, cutOff(err)
	}
	if crc32.Checksum(buf, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, nil
	}
	return buf, nil
}

// cutOff forgives what an interruption leaves behind.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// truncate cuts the journal behind offset end and goes there.
func (j *journal) truncate(end int64) error {
	if err := j.f.Truncate(end); err != nil {
		return err
	}
	_, err := j.f.Seek(end, io.SeekStart)
	return err
}

func (j *journal) sync() error  { return j.f.Sync() }
func (j *journal) close() error { return j.f.Close() }
