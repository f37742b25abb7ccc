package weights

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
)

// Limits on a pickle. A state dict of 1,000 tensors takes some 200 kB and 40,000 opcodes. Memory is bounded by steps, of which a pickle
// has four for each byte of its file and maxSteps at most: an opcode is one and makes at most one small value; a call, which may copy what
// a memo holds and the pickle names again and again ("billion laughs"), is one more for each value among its arguments.
const (
	maxPickle = 64 << 20
	maxSteps  = 4 << 20
)

// The values of a pickle are nil, bool, int64, *big.Int, float64, string, []byte, tuple, *list, *dict, global, opaque and what the
// caller's hooks return.
type (
	tuple []any
	list  struct{ items []any }
	// dict keeps its pairs in order and finds none: keys may be of any kind, and later pairs win.
	dict struct{ pairs []pair }
	pair struct{ key, value any }
	// global is a class or function that the pickle names. It is only ever a name.
	global string
	// opaque stands for an object of an allowed class whose contents do not matter.
	opaque struct{ class global }
	// mark is where a run of values begins on the stack.
	mark struct{}
)

// machine interprets one pickle (protocols 2 to 5, and the binary opcodes of 1). It makes data of data; calls and persistent
// references go to the hooks, which know a fixed set of names and refuse all others.
type machine struct {
	in      *cursor
	stack   []any
	memo    map[uint64]any
	left    int // steps
	call    func(f global, args tuple) (any, error)
	persist func(id any) (any, error)
}

// cursor reads forward, no further than limit, and knows where it is.
type cursor struct {
	r          *bufio.Reader
	pos, limit int64
}

func newCursor(r io.ReaderAt, size int64) *cursor {
	limit := min(size, maxPickle)
	return &cursor{r: bufio.NewReader(io.NewSectionReader(r, 0, limit)), limit: limit}
}

// take returns the next n bytes; it allocates them only once it knows that they are there.
func (c *cursor) take(n uint64) ([]byte, error) {
	if n > uint64(c.limit-c.pos) {
		return nil, fmt.Errorf("%d bytes wanted, %d are left of at most %d", n, c.limit-c.pos, int64(maxPickle))
	}
	b := make([]byte, n)
	k, err := io.ReadFull(c.r, b)
	c.pos += int64(k)
	return b, err
}

// uint reads a little-endian number of n bytes.
func (c *cursor) uint(n uint64) (uint64, error) {
	b, err := c.take(n)
	var full [8]byte
	copy(full[:], b)
	return le.Uint64(full[:]), err
}

// counted reads a length of n bytes and as many bytes as it says.
func (c *cursor) counted(n uint64) ([]byte, error) {
	length, err := c.uint(n)
	if err != nil {
		return nil, err
	}
	return c.take(length)
}

// line reads up to a newline: names of modules and classes, so 256 bytes are plenty.
func (c *cursor) line() (string, error) {
	var b strings.Builder
	for b.Len() < 256 {
		next, err := c.take(1)
		if err != nil {
			return "", err
		}
		if next[0] == '\n' {
			return b.String(), nil
		}
		b.WriteByte(next[0])
	}
	return "", errors.New("a line of more than 256 bytes")
}

// run interprets up to STOP and returns the one value that is left. Errors give the byte of the opcode.
func (m *machine) run() (any, error) {
	m.memo = map[uint64]any{}
	for {
		at := m.in.pos
		op, err := m.in.take(1)
		if err == nil && op[0] == '.' {
			return m.pop()
		}
		if err == nil {
			err = m.step(op[0])
		}
		if err != nil {
			return nil, fmt.Errorf("pickle at byte %d: %w", at, err)
		}
	}
}

// spend takes n of the steps that are left.
func (m *machine) spend(n int) error {
	if m.left -= n; m.left < 0 {
		return errors.New("more opcodes and arguments than a state dict needs")
	}
	return nil
}

// step executes one opcode: first those that build on what lies on the stack, then those that push something.
func (m *machine) step(op byte) error {
	if err := m.spend(1); err != nil {
		return err
	}
	if do, ok := stackOps[op]; ok {
		return do(m)
	}
	read, ok := pushOps[op]
	if !ok {
		return fmt.Errorf("opcode %q is not one that state dicts use", op)
	}
	v, err := read(m.in)
	if err != nil {
		return err
	}
	m.push(v)
	return nil
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

var errStack = errors.New("the stack is empty, or a mark is missing")

// pop takes the last value off the stack; a mark is none.
func (m *machine) pop() (any, error) {
	v, err := m.top()
	if err == nil {
		m.stack = m.stack[:len(m.stack)-1]
	}
	return v, err
}

func (m *machine) top() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	v := m.stack[len(m.stack)-1]
	if _, ok := v.(mark); ok {
		return nil, errStack
	}
	return v, nil
}

// popMark takes everything after the last mark, and the mark, off the stack.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errStack
}

// popN takes n values, first the one that was pushed first.
func (m *machine) popN(n int) ([]any, error) {
	out := make([]any, n)
	for i := n - 1; i >= 0; i-- {
		v, err := m.pop()
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// pushOps read a value from the bytes that follow them. Names and meanings: CPython's Lib/pickletools.py.
var pushOps = map[byte]func(*cursor) (any, error){
	'(':    func(*cursor) (any, error) { return mark{}, nil },
	'N':    func(*cursor) (any, error) { return nil, nil },
	'\x88': func(*cursor) (any, error) { return true, nil },
	'\x89': func(*cursor) (any, error) { return false, nil },
	'}':    func(*cursor) (any, error) { return &dict{}, nil },
	']':    func(*cursor) (any, error) { return &list{}, nil },
	'\x8f': func(*cursor) (any, error) { return &list{}, nil }, // a set: order and uniqueness do not matter here
	')':    func(*cursor) (any, error) { return tuple(nil), nil },
	'K':    func(c *cursor) (any, error) { v, err := c.uint(1); return int64(v), err },
	'M':    func(c *cursor) (any, error) { v, err := c.uint(2); return int64(v), err },
	'J':    func(c *cursor) (any, error) { v, err := c.uint(4); return int64(int32(v)), err },
	'\x8a': func(c *cursor) (any, error) { b, err := c.counted(1); return integer(b), err },
	'G':    readFloat,
	'X':    func(c *cursor) (any, error) { b, err := c.counted(4); return string(b), err },
	'\x8c': func(c *cursor) (any, error) { b, err := c.counted(1); return string(b), err },
	'\x8d': func(c *cursor) (any, error) { b, err := c.counted(8); return string(b), err },
	'U':    func(c *cursor) (any, error) { b, err := c.counted(1); return string(b), err }, // Python 2's str
	'T':    func(c *cursor) (any, error) { b, err := c.counted(4); return string(b), err },
	'C':    func(c *cursor) (any, error) { b, err := c.counted(1); return b, err },
	'B':    func(c *cursor) (any, error) { b, err := c.counted(4); return b, err },
	'\x8e': func(c *cursor) (any, error) { b, err := c.counted(8); return b, err },
	'c':    readGlobal,
}

func readFloat(c *cursor) (any, error) {
	b, err := c.take(8)
	if err != nil {
		return nil, err
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
}

func readGlobal(c *cursor) (any, error) {
	module, err := c.line()
	if err != nil {
		return nil, err
	}
	name, err := c.line()
	if err != nil {
		return nil, err
	}
	return newGlobal(module, name)
}

// integer is a number of any length in two's complement, lowest byte first.
func integer(b []byte) any {
	if len(b) <= 8 {
		var full [8]byte
		if n := len(b); n > 0 && b[n-1] >= 0x80 {
			full = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
		}
		copy(full[:], b)
		return int64(le.Uint64(full[:]))
	}
	v := new(big.Int)
	for i := len(b) - 1; i >= 0; i-- {
		v.Or(v.Lsh(v, 8), big.NewInt(int64(b[i])))
	}
	if b[len(b)-1] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}
