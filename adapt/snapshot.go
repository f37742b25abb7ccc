package adapt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// A snapshot is, little-endian:
//
//	 0  8  magic "OATTAFLT"
//	 8  4  version, 5
//	12  4  classes K
//	16  8  steps
//	24  4  length n of the settings
//	28  8  steps of zero evidence; not in version 1
//	36  8  missed steps before the next item, all ones for a break; not in versions 1 and 2
//	44  n  the resolved settings as JSON, whose numbers read back to the bit; up to version 3 auto is its first edition,
//	    .  up to version 4 its learned matrix keeps all classes apart
//	    .  the state, 8 bytes a number, in the order of the visit methods: its length follows from K and the settings alone
//	    4  CRC-32C of all before
//
// The sum is there for accidents (a bad disk, a cut file), so a CRC that processors compute in hardware is enough: it adds little
// to the 16 MB that a thousand classes take, all kept apart. Against forgery there is [Seal].
const (
	snapshotMagic   = "OATTAFLT"
	snapshotVersion = 5
	snapshotHead    = 44
	snapshotTail    = 4
)

// snapshotHeads are the lengths of the heads by version.
var snapshotHeads = [...]int{1: 28, 2: 36, 3: snapshotHead, 4: snapshotHead, snapshotVersion: snapshotHead}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// persistent is a mode whose whole state can be walked. A field of the state that visit leaves out would break the promise that a
// restored filter continues bit for bit; a test compares the fields of the types with a list.
type persistent interface {
	mode
	visit(v visitor)
	consistent() error // relations between the parts; visit's bounds hold already
	settle()           // forms what visit leaves out, of a state that is consistent
}

var (
	_ persistent = (*paper)(nil)
	_ persistent = (*mixture)(nil)
)

// MarshalBinary returns a snapshot of the filter: settings, steps and state, versioned and checksummed. A filter restored from it
// continues bit for bit on the same kind of machine. Its length depends on K and the settings only.
//
// A snapshot holds what the filter learned of the stream: the transition matrix, the class frequencies and the current belief,
// hence what was probably seen last and the routine of whoever made the stream. It holds no input, no time but a gap told before the next item, and no name. [Seal] it
// before it leaves a trusted place.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// AppendBinary appends the snapshot of [Filter.MarshalBinary] to dst. The error is that of a filter not made by [New], or of a
// state that could not be restored; dst then comes back as it was.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	state, ok := f.mode.(persistent)
	if !ok {
		return dst, errors.New("adapt: snapshot: the filter was not made by New")
	}
	if err := sound(state); err != nil { // never write what could not be read back
		return dst, fmt.Errorf("adapt: snapshot after step %d: %w", f.steps, err)
	}
	settings, err := json.Marshal(f.settings)
	if err != nil {
		return dst, fmt.Errorf("adapt: snapshot: settings: %w", err)
	}
	start := len(dst)
	dst = slices.Grow(dst, snapshotHead+len(settings)+int(stateSize(f.classes, f.settings, snapshotVersion))+snapshotTail)
	dst = append(dst, snapshotMagic...)
	dst = binary.LittleEndian.AppendUint32(dst, snapshotVersion)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(f.classes))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.steps))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(settings)))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.excluded))
	dst = binary.LittleEndian.AppendUint64(dst, f.gap.encode())
	w := writer{append(dst, settings...)}
	state.visit(&w)
	return binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.buf[start:], castagnoli)), nil
}

// UnmarshalBinary replaces the filter, settings and all, by the one in the snapshot. After an error the filter is as it was. See
// [Restore], which it follows.
func (f *Filter) UnmarshalBinary(data []byte) error {
	restored, err := Restore(data)
	if err != nil {
		return err
	}
	*f = *restored
	return nil
}

// Restore returns the filter in a snapshot of [Filter.MarshalBinary]. Data that are cut, changed, of another kind or of a newer
// version give an error, as does a state that no filter can be in. It allocates no more than a small multiple of len(data),
// whatever the data claim, and retains none of them.
func Restore(data []byte) (*Filter, error) {
	f, err := restore(data)
	if err != nil {
		return nil, fmt.Errorf("adapt: snapshot: %w", err)
	}
	return f, nil
}

func restore(data []byte) (*Filter, error) {
	head, err := parseHead(data)
	if err != nil {
		return nil, err
	}
	settings, err := head.parseSettings()
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	// Before anything of size K x K is made, the data must be seen to hold it.
	if want := stateSize(head.classes, settings, head.version); int64(len(head.state)) != want {
		return nil, fmt.Errorf("state of %d bytes: want %d for %d classes under these settings", len(head.state), want, head.classes)
	}
	f := newResolved(head.classes, settings)
	f.steps, f.excluded, f.gap = head.steps, head.excluded, head.gap
	state := f.mode.(persistent)
	state.visit(&reader{head.state, head.version})
	if err := sound(state); err != nil {
		return nil, err
	}
	state.settle()
	return f, nil
}

// snapshotParts are the parts of a snapshot whose frame and checksum are right; the slices point into the data.
type snapshotParts struct {
	version                  int
	classes, steps, excluded int
	gap                      gap
	settings, state          []byte
}

func parseHead(data []byte) (p snapshotParts, err error) {
	if !bytes.HasPrefix(data, []byte(snapshotMagic)) {
		return p, errors.New("not a filter's snapshot: it does not begin with " + snapshotMagic)
	}
	if len(data) < snapshotHeads[1]+snapshotTail {
		return p, fmt.Errorf("cut short: %d bytes", len(data))
	}
	le := binary.LittleEndian
	version := le.Uint32(data[8:])
	if version < 1 || version > snapshotVersion {
		return p, fmt.Errorf("version %d: this program reads versions 1 to %d", version, snapshotVersion)
	}
	head := snapshotHeads[version]
	if len(data) < head+snapshotTail {
		return p, fmt.Errorf("cut short: %d bytes", len(data))
	}
	body, tail := data[:len(data)-snapshotTail], data[len(data)-snapshotTail:]
	if got, want := crc32.Checksum(body, castagnoli), le.Uint32(tail); got != want {
		return p, fmt.Errorf("damaged or cut short: checksum %08x, recorded %08x", got, want)
	}
	classes, steps, length := le.Uint32(data[12:]), le.Uint64(data[16:]), le.Uint32(data[24:])
	if classes < 1 || classes > MaxClasses {
		return p, fmt.Errorf("%d classes: want 1 to %d", classes, MaxClasses)
	}
	if steps > math.MaxInt {
		return p, fmt.Errorf("%d steps", steps)
	}
	var excluded uint64
	if version >= 2 {
		excluded = le.Uint64(data[28:])
	}
	if version >= 3 {
		if p.gap, err = decodeGap(le.Uint64(data[36:]), steps); err != nil {
			return p, err
		}
	}
	if excluded > steps {
		return p, fmt.Errorf("%d steps of zero evidence among %d", excluded, steps)
	}
	if uint64(length) > uint64(len(body)-head) {
		return p, fmt.Errorf("settings of %d bytes in a snapshot of %d", length, len(data))
	}
	rest := body[head:]
	return snapshotParts{int(version), int(classes), int(steps), int(excluded), p.gap, rest[:length], rest[length:]}, nil
}

// parseSettings reads the settings and holds them to what [New] accepts. A field that this program does not know is an error: the
// filter would not continue as it began.
func (p snapshotParts) parseSettings() (Settings, error) {
	var s struct {
		Settings
		Auto json.RawMessage `json:"auto,omitempty"` // hides that of Settings
	}
	d := json.NewDecoder(bytes.NewReader(p.settings))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s.Settings, err
	}
	if int(d.InputOffset()) != len(p.settings) {
		return s.Settings, errors.New("more than one value")
	}
	if s.Auto != nil {
		edition := 0
		if p.version < 4 {
			edition = 1
		}
		var err error
		if s.Settings.Auto, err = readAuto(s.Auto, edition); err != nil {
			return s.Settings, err
		}
		if p.version < 5 && p.classes > mostActive && s.Settings.Auto.Edition == 3 {
			s.Settings.Auto.Active = p.classes
		}
	}
	return s.resolved(p.classes)
}

// stateSize returns the bytes of the state: what the visit methods walk, without making it. The sizes of the settings are bounded
// by resolved, so that nothing overflows.
func stateSize(classes int, s Settings, version int) int64 {
	if s.Gate == GateAuto {
		return 8 * autoNumbers(int64(classes), s.Auto, version)
	}
	k := int64(classes)
	numbers := k*k + 5*k + 2 // counts; rows, p, q, prior, marginal; scale, llr
	if s.Gate == GateWindow {
		numbers += int64(s.Paper.Window) + 3
	}
	return 8 * numbers
}

func autoNumbers(k int64, a *Auto, version int) int64 {
	marginals, grid, fulls, others := int64(len(a.Marginals)), int64(len(a.Grid)), int64(max(len(a.FullErrors), 1)), int64(len(a.PopulationErrors))
	sticky := grid * int64(len(a.Errors))
	matrix := k*k + 4*k + 2 // counts; posterior, rows, u, carried; total, started
	if a.lumped(int(k)) {
		active := int64(a.Active)
		matrix = (active+2)*(active+2) + active + 3*k + 2 // counts; classes; posterior, rows, columns; their number, started
	}
	if version >= 3 {
		matrix++ // scale
	}
	none := marginals // beside mu
	if a.Static > 0 {
		none += int64(len(a.Errors))
	}
	each := k*(2+none+grid+sticky+others) + fulls*matrix // last, mass, what is without order and posteriors
	weights := 1 + none + grid + sticky + fulls + others
	if others > 0 && a.Frequencies+a.StaticFrequencies > 0 { // twins
		each, weights = each+k*others, weights+1+others
	}
	numbers := int64(len(a.Temperatures)) * (each + weights)
	if version >= 3 {
		numbers += 2 // sharpness
	}
	if a.Edition > 2 {
		numbers++ // steps since static forgot
	}
	return numbers
}
