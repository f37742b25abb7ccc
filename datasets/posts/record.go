package posts

import (
	"errors"
	"math"
	"strings"
	"time"
)

// record is a post as it is held: 40 bytes beside its id, whatever its text. Texts and ids stand in the order of the file without gaps, so that each
// ends where that of the next record begins.
type record struct {
	text                int64 // where its text begins
	second              int64 // since 1970
	nano                uint32
	zone                uint32 // of zones; 0: no time
	id                  uint32 // where its id begins
	stream, label, line uint32
}

// zone is how times are told: where, and whether that is known.
type zone struct {
	place  *time.Location
	offset int // seconds east of Greenwich
	zoned  bool
}

// zoneName tells zones apart: each time that is parsed has a Location of its own.
type zoneName struct {
	place, name string
	offset      int
	zoned       bool
}

// chunk is how many records are allocated at once: growing never copies them.
const chunk = 1 << 12

// records are posts in the order of the file. The zero value is empty.
type records struct {
	chunks  [][]record
	n       int
	ids     []byte
	streams names
	labels  names
	zones   []zone
	zoneOf  map[zoneName]uint32
}

// names gives each of a set of strings a number.
type names struct {
	all []string
	of  map[string]uint32
}

// number returns the number of a name, which it copies: it may be part of a long row.
func (n *names) number(name string) (number uint32, isNew bool) {
	if i, ok := n.of[name]; ok {
		return i, false
	}
	if n.of == nil {
		n.of = map[string]uint32{}
	}
	i := uint32(len(n.all))
	own := strings.Clone(name)
	n.all, n.of[own] = append(n.all, own), i
	return i, true
}

// at returns a record; that behind the last one says where text and id of the last one end.
func (r *records) at(i int) *record { return &r.chunks[i/chunk][i%chunk] }

// push appends a record.
func (r *records) push(x record) {
	if r.n%chunk == 0 {
		r.chunks = append(r.chunks, make([]record, chunk))
	}
	*r.at(r.n) = x
	r.n++
}

var errMany = errors.New("more than the 4 billion lines, or bytes of ids, that a file of posts may have")

// add appends a post whose text begins at text, and returns about how many bytes of memory that took.
func (r *records) add(p *Post, text int64) (size int, err error) {
	if p.Line > math.MaxUint32 || len(r.ids)+len(p.ID) > math.MaxUint32 {
		return 0, errMany
	}
	x := record{text: text, id: uint32(len(r.ids)), line: uint32(p.Line)}
	size = postOverhead + len(p.ID)
	var isNew bool
	if x.stream, isNew = r.streams.number(p.Stream); isNew {
		size += len(p.Stream)
	}
	if x.label, isNew = r.labels.number(p.Label); isNew {
		size += len(p.Label)
	}
	if !p.Time.IsZero() {
		x.second, x.nano, x.zone = p.Time.Unix(), uint32(p.Time.Nanosecond()), r.zoneNumber(p.Time, p.Zoned)
	}
	r.ids = append(r.ids, p.ID...)
	r.push(x)
	return size, nil
}

// zoneNumber returns the number of the zone of a time.
func (r *records) zoneNumber(t time.Time, zoned bool) uint32 {
	name, offset := t.Zone()
	key := zoneName{t.Location().String(), name, offset, zoned}
	n, ok := r.zoneOf[key]
	if !ok {
		if r.zoneOf == nil {
			r.zoneOf, r.zones = map[zoneName]uint32{}, make([]zone, 1)
		}
		n = uint32(len(r.zones))
		r.zoneOf[key], r.zones = n, append(r.zones, zone{t.Location(), offset, zoned})
	}
	return n
}

// time returns when a post was written, the zero time if that is not known.
func (r *records) time(x *record) (t time.Time, zoned bool) {
	if x.zone == 0 {
		return time.Time{}, false
	}
	z := &r.zones[x.zone]
	return time.Unix(x.second, int64(x.nano)).In(z.place), z.zoned
}
