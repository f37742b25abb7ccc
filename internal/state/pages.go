package state

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math/bits"
	"slices"
)

// bbolt trusts its pages: a turned bit can make it loop, take the memory of the machine, or pass over a part of the tree without a word. Its own
// Check trusts them as well. So the pages are read here first, by their format and with nothing but reads of the file: heads, tables of elements and
// keys, not values, which have checksums of their own. What passes is a tree, and every page of the file is in it or free, once.

// Flags of pages and elements, and sizes, as bbolt has them.
const (
	pageBranch, pageLeaf, pageFree = 0x01, 0x02, 0x10
	elementBucket                  = 0x01

	pageHead, elementSize, bucketHead, metaSize = 16, 16, 16, 64

	metaMagic, metaVersion = 0xED0CDAED, 2

	maxDepth  = 64
	maxBucket = 1 << 20 // bytes of a bucket's entry: bbolt puts small buckets, up to a quarter of a page, there
)

// pageMeta is one of the two heads of a file, of which the later counts.
type pageMeta struct {
	pageSize           int64
	root, free, end    uint64 // pages; end is the first that does not exist
	transaction, check uint64
}

// inspection is what the pages of a file tell without bbolt.
type inspection struct {
	transaction uint64
	census      census
}

// inspect reads the structure of a file of so many bytes. An error tells what is damaged. It needs a bit a page, and a few pages.
func inspect(r io.ReaderAt, size int64) (out inspection, err error) {
	meta, err := readMetas(r, size)
	if err != nil {
		return out, err
	}
	p := &pageReader{r: r, pageMeta: meta, seen: make([]uint64, (meta.end+63)/64)}
	if err := p.freelist(); err != nil {
		return out, err
	}
	if err := p.tree(branch{page: meta.root}, p.topElement(&out.census)); err != nil {
		return out, err
	}
	if n := p.unseen(); n > 0 {
		return out, fmt.Errorf("damaged: %d of %d pages are neither used nor free", n, meta.end)
	}
	out.transaction = meta.transaction
	return out, nil
}

// readMetas reads both heads. One that is wrong is no remains of a crash: it is written last, within one sector. Going back to the other, as bbolt
// does, would lose the last commit.
func readMetas(r io.ReaderAt, size int64) (now pageMeta, err error) {
	first, err := readMeta(r, 0)
	if err != nil {
		return now, err
	}
	second, err := readMeta(r, first.pageSize)
	if err != nil {
		return now, err
	}
	now = first
	if second.transaction > first.transaction {
		now = second
	}
	if now.end < 4 || now.end > uint64(size)/uint64(now.pageSize) {
		return now, fmt.Errorf("damaged or cut short: %d pages in %d bytes", now.end, size)
	}
	return now, nil
}

func readMeta(r io.ReaderAt, at int64) (m pageMeta, err error) {
	head := make([]byte, metaSize)
	if _, err := r.ReadAt(head, at+pageHead); err != nil {
		return m, fmt.Errorf("not a file of states, or cut short: %w", err)
	}
	le := binary.NativeEndian
	if le.Uint32(head) != metaMagic || le.Uint32(head[4:]) != metaVersion {
		return m, fmt.Errorf("not a file of states, or damaged: no head at byte %d", at)
	}
	sum := fnv.New64a()
	sum.Write(head[:metaSize-8])
	m = pageMeta{
		pageSize: int64(le.Uint32(head[8:])), root: le.Uint64(head[16:]), free: le.Uint64(head[32:]), end: le.Uint64(head[40:]),
		transaction: le.Uint64(head[48:]), check: le.Uint64(head[56:]),
	}
	if m.check != sum.Sum64() || m.pageSize < 1024 || m.pageSize > 1<<24 || bits.OnesCount64(uint64(m.pageSize)) != 1 {
		return m, fmt.Errorf("damaged: the head at byte %d does not fit its checksum", at)
	}
	return m, nil
}

// pageReader reads pages, each once.
type pageReader struct {
	pageMeta
	r     io.ReaderAt
	seen  []uint64 // a bit for each page
	heads [maxDepth + 1][]byte
}

// page is what is at hand of one: all that it says of itself, and its first bytes.
type page struct {
	id    uint64
	flags uint16
	count int
	span  int64  // bytes, with the pages that it runs on into
	head  []byte // the first of them
	r     io.ReaderAt
	at    int64 // in the file
}

func (p *pageReader) damaged(id uint64, format string, args ...any) error {
	return fmt.Errorf("damaged: page %d: %s", id, fmt.Sprintf(format, args...))
}

// open reads the beginning of a page and takes all that belongs to it as seen. What it returns is valid until another is opened at its depth.
func (p *pageReader) open(id uint64, depth int) (*page, error) {
	if depth > maxDepth {
		return nil, p.damaged(id, "the tree is over %d deep", maxDepth)
	}
	if id < 2 || id >= p.end {
		return nil, p.damaged(id, "there are %d pages", p.end)
	}
	at := int64(id) * p.pageSize
	if p.heads[depth] == nil {
		p.heads[depth] = make([]byte, p.pageSize)
	}
	head := p.heads[depth]
	if _, err := p.r.ReadAt(head, at); err != nil {
		return nil, p.damaged(id, "%v", err)
	}
	le := binary.NativeEndian
	overflow := uint64(le.Uint32(head[12:]))
	if own := le.Uint64(head); own != id {
		return nil, p.damaged(id, "it says that it is page %d", own)
	}
	if overflow >= p.end-id {
		return nil, p.damaged(id, "it runs on into %d more, and there are %d in all", overflow, p.end)
	}
	for i := range overflow + 1 {
		if err := p.see(id + i); err != nil {
			return nil, err
		}
	}
	return &page{
		id: id, flags: le.Uint16(head[8:]), count: int(le.Uint16(head[10:])), span: (int64(overflow) + 1) * p.pageSize, head: head, r: p.r, at: at,
	}, nil
}

func (p *pageReader) see(id uint64) error {
	if id < 2 || id >= p.end {
		return p.damaged(id, "there are %d pages", p.end)
	}
	if p.seen[id/64]>>(id%64)&1 != 0 {
		return p.damaged(id, "it is used twice, or free and used")
	}
	p.seen[id/64] |= 1 << (id % 64)
	return nil
}

// unseen returns how many pages were not, but for the two heads.
func (p *pageReader) unseen() uint64 {
	n := p.end - 2
	for _, w := range p.seen {
		n -= uint64(bits.OnesCount64(w))
	}
	return n
}

// bytes returns n bytes of the page from an offset, valid until the page is dropped.
func (g *page) bytes(from, n int64) ([]byte, error) {
	if from < 0 || n < 0 || from > g.span || n > g.span-from {
		return nil, fmt.Errorf("damaged: page %d: what it names lies outside of it", g.id)
	}
	if from+n <= int64(len(g.head)) {
		return g.head[from : from+n], nil
	}
	out := make([]byte, n)
	if _, err := g.r.ReadAt(out, g.at+from); err != nil {
		return nil, fmt.Errorf("damaged: page %d: %w", g.id, err)
	}
	return out, nil
}

// freelist takes the free pages, which stand in their order, as seen.
func (p *pageReader) freelist() error {
	g, err := p.open(p.free, 0)
	if err != nil {
		return err
	}
	if g.flags != pageFree {
		return p.damaged(g.id, "want the list of free pages")
	}
	from, count := int64(pageHead), int64(g.count)
	if count == 0xFFFF { // the number of a long list stands before it
		first, err := g.bytes(from, 8)
		if err != nil {
			return err
		}
		n := binary.NativeEndian.Uint64(first)
		if n > p.end {
			return p.damaged(g.id, "%d free pages of %d", n, p.end)
		}
		from, count = from+8, int64(n)
	}
	const chunk = 8 << 10
	for count > 0 {
		n := min(count, chunk)
		ids, err := g.bytes(from, 8*n)
		if err != nil {
			return err
		}
		for ; len(ids) > 0; ids = ids[8:] {
			if err := p.see(binary.NativeEndian.Uint64(ids)); err != nil {
				return err
			}
		}
		from, count = from+8*n, count-n
	}
	return nil
}

// branch is a part of the tree: a page and the keys that may be below it.
type branch struct {
	page  uint64
	least []byte // nil: no bound
	below []byte // nil: no bound
	depth int
}

// element is an entry of a leaf. bucket is its value where that is a bucket.
type element struct {
	key, bucket []byte
	depth       int
}

// tree walks a part of the tree and tells its elements in their order.
func (p *pageReader) tree(b branch, tell func(element) error) error {
	g, err := p.open(b.page, b.depth)
	if err != nil {
		return err
	}
	switch g.flags {
	case pageLeaf:
		return g.leaf(b, tell)
	case pageBranch:
		return p.descend(g, b, tell)
	}
	return p.damaged(g.id, "its kind is %#x", g.flags)
}

// descend walks the children of a page.
func (p *pageReader) descend(g *page, b branch, tell func(element) error) error {
	table, err := g.table()
	if err != nil {
		return err
	}
	if g.count == 0 {
		return p.damaged(g.id, "it has no children")
	}
	children := make([]branch, g.count)
	for i := range children {
		e := table[i*elementSize:]
		c := branch{page: binary.NativeEndian.Uint64(e[8:]), below: b.below, depth: b.depth + 1}
		if c.least, err = g.key(i, binary.NativeEndian.Uint32(e), binary.NativeEndian.Uint32(e[4:])); err != nil {
			return err
		}
		if i == 0 && b.least != nil && bytes.Compare(c.least, b.least) < 0 || i > 0 && bytes.Compare(c.least, children[i-1].least) <= 0 ||
			b.below != nil && bytes.Compare(c.least, b.below) >= 0 {
			return p.damaged(g.id, "its keys are not in order")
		}
		if i > 0 {
			children[i-1].below = c.least
		}
		children[i] = c
	}
	for _, c := range children {
		if err := p.tree(c, tell); err != nil {
			return err
		}
	}
	return nil
}

// leaf tells the elements of a page.
func (g *page) leaf(b branch, tell func(element) error) error {
	table, err := g.table()
	if err != nil {
		return err
	}
	last, le := b.least, binary.NativeEndian
	for i := range g.count {
		e := table[i*elementSize:]
		flags, at, keySize, valueSize := le.Uint32(e), le.Uint32(e[4:]), le.Uint32(e[8:]), le.Uint32(e[12:])
		found := element{depth: b.depth}
		if found.key, err = g.key(i, at, keySize); err != nil {
			return err
		}
		if order := bytes.Compare(found.key, last); last != nil && (order < 0 || order == 0 && i > 0) || b.below != nil && bytes.Compare(found.key, b.below) >= 0 {
			return fmt.Errorf("damaged: page %d: its keys are not in order", g.id)
		}
		value := int64(pageHead) + int64(i)*elementSize + int64(at) + int64(keySize)
		if value+int64(valueSize) > g.span {
			return fmt.Errorf("damaged: page %d: what it names lies outside of it", g.id)
		}
		switch flags {
		case 0:
		case elementBucket:
			if valueSize < bucketHead || valueSize > maxBucket {
				return fmt.Errorf("damaged: page %d: a bucket of %d bytes", g.id, valueSize)
			}
			if found.bucket, err = g.bytes(value, int64(valueSize)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("damaged: page %d: an element of the kind %#x", g.id, flags)
		}
		last = found.key
		if err := tell(found); err != nil {
			return err
		}
	}
	return nil
}

// table returns the table of elements.
func (g *page) table() ([]byte, error) { return g.bytes(pageHead, int64(g.count)*elementSize) }

// key returns the key of element i, whose place counts from the element.
func (g *page) key(i int, at, size uint32) ([]byte, error) {
	if size == 0 || size > MaxName+1 || int64(at) < int64(g.count-i)*elementSize {
		return nil, fmt.Errorf("damaged: page %d: a key of %d bytes at %d", g.id, size, at)
	}
	return g.bytes(pageHead+int64(i)*elementSize+int64(at), int64(size))
}

// topElement takes an element of the top of the tree, which holds buckets, and counts what is in each.
func (p *pageReader) topElement(c *census) func(element) error {
	return func(e element) error {
		if e.bucket == nil {
			return fmt.Errorf("damaged: %q stands where the buckets are", e.key)
		}
		if !slices.ContainsFunc(buckets, func(name []byte) bool { return bytes.Equal(name, e.key) }) {
			return fmt.Errorf("not a file of states, or damaged: it holds a bucket %q", e.key)
		}
		t := c.of(e.key)
		tell := func(inner element) error {
			if inner.bucket != nil {
				return fmt.Errorf("damaged: a bucket %q within the bucket %q", inner.key, e.key)
			}
			t.add(inner.key)
			return nil
		}
		if root := binary.NativeEndian.Uint64(e.bucket); root != 0 {
			return p.tree(branch{page: root, depth: e.depth + 1}, tell)
		}
		inline := e.bucket[bucketHead:] // a small bucket lies in the page of its name
		if len(inline) < pageHead || binary.NativeEndian.Uint16(inline[8:]) != pageLeaf {
			return fmt.Errorf("damaged: bucket %q is no page", e.key)
		}
		g := &page{flags: pageLeaf, count: int(binary.NativeEndian.Uint16(inline[10:])), span: int64(len(inline)), head: inline}
		return g.leaf(branch{}, tell)
	}
}
