package weights

import (
	"errors"
	"fmt"
)

// stackOps are the opcodes that build on what lies on the stack, or keep it. NEWOBJ and REDUCE are one: both apply
// a name to arguments, and applying is the hook's business.
var stackOps = map[byte]func(*machine) error{
	'\x80': func(m *machine) error { return m.protocol() },
	'\x95': func(m *machine) error { _, err := m.in.take(8); return err }, // FRAME: only a hint
	'0':    func(m *machine) error { return m.drop() },
	'1':    func(m *machine) error { _, err := m.popMark(); return err },
	'2':    func(m *machine) error { v, err := m.top(); return m.pushOr(v, err) },
	't':    func(m *machine) error { v, err := m.popMark(); return m.pushOr(tuple(v), err) },
	'\x85': func(m *machine) error { v, err := m.popN(1); return m.pushOr(tuple(v), err) },
	'\x86': func(m *machine) error { v, err := m.popN(2); return m.pushOr(tuple(v), err) },
	'\x87': func(m *machine) error { v, err := m.popN(3); return m.pushOr(tuple(v), err) },
	'l':    func(m *machine) error { v, err := m.popMark(); return m.pushOr(&list{v}, err) },
	'\x91': func(m *machine) error { v, err := m.popMark(); return m.pushOr(&list{v}, err) }, // FROZENSET
	'd':    func(m *machine) error { v, err := m.popMark(); return m.newDict(v, err) },
	'a':    func(m *machine) error { v, err := m.popN(1); return m.extend(v, err) },
	'e':    func(m *machine) error { v, err := m.popMark(); return m.extend(v, err) },
	'\x90': func(m *machine) error { v, err := m.popMark(); return m.extend(v, err) }, // ADDITEMS
	's':    func(m *machine) error { v, err := m.popN(2); return m.setItems(v, err) },
	'u':    func(m *machine) error { v, err := m.popMark(); return m.setItems(v, err) },
	'q':    func(m *machine) error { return m.put(1) },
	'r':    func(m *machine) error { return m.put(4) },
	'\x94': func(m *machine) error { return m.memoize(uint64(len(m.memo))) },
	'h':    func(m *machine) error { return m.get(1) },
	'j':    func(m *machine) error { return m.get(4) },
	'\x93': func(m *machine) error { return m.stackGlobal() },
	'R':    func(m *machine) error { return m.reduce() },
	'\x81': func(m *machine) error { return m.reduce() }, // NEWOBJ: a class and its arguments
	'b':    func(m *machine) error { return m.build() },
	'Q':    func(m *machine) error { return m.persistent() },
}

func (m *machine) pushOr(v any, err error) error {
	if err == nil {
		m.push(v)
	}
	return err
}

func (m *machine) protocol() error {
	v, err := m.in.uint(1)
	if err == nil && v > 5 {
		err = fmt.Errorf("protocol %d", v)
	}
	return err
}

// drop is POP, which unlike all others may take a mark.
func (m *machine) drop() error {
	if len(m.stack) == 0 {
		return errStack
	}
	m.stack = m.stack[:len(m.stack)-1]
	return nil
}

func (m *machine) newDict(items []any, err error) error {
	d := &dict{}
	if err == nil {
		err = d.add(items)
	}
	return m.pushOr(d, err)
}

func (d *dict) add(items []any) error {
	if len(items)%2 != 0 {
		return errors.New("a key without a value")
	}
	for i := 0; i < len(items); i += 2 {
		d.pairs = append(d.pairs, pair{items[i], items[i+1]})
	}
	return nil
}

// extend appends to the list on top. Objects that stand for nothing swallow what is added to them.
func (m *machine) extend(items []any, err error) error {
	if err != nil {
		return err
	}
	switch v := must(m.top()).(type) {
	case *list:
		v.items = append(v.items, items...)
	case opaque:
	default:
		return fmt.Errorf("cannot append to %T", v)
	}
	return nil
}

func (m *machine) setItems(items []any, err error) error {
	if err != nil {
		return err
	}
	switch v := must(m.top()).(type) {
	case *dict:
		return v.add(items)
	case opaque:
		return nil
	default:
		return fmt.Errorf("cannot set an item of %T", v)
	}
}

// must turns "nothing is there" into nil, which no switch above takes for a container.
func must(v any, err error) any {
	if err != nil {
		return nil
	}
	return v
}

func (m *machine) put(width uint64) error {
	key, err := m.in.uint(width)
	if err != nil {
		return err
	}
	return m.memoize(key)
}

func (m *machine) memoize(key uint64) error {
	v, err := m.top()
	if err == nil {
		m.memo[key] = v
	}
	return err
}

func (m *machine) get(width uint64) error {
	key, err := m.in.uint(width)
	if err != nil {
		return err
	}
	v, ok := m.memo[key]
	if !ok {
		return fmt.Errorf("the memo holds no %d", key)
	}
	m.push(v)
	return nil
}

func (m *machine) stackGlobal() error {
	v, err := m.popN(2)
	if err != nil {
		return err
	}
	module, ok1 := v[0].(string)
	name, ok2 := v[1].(string)
	if !ok1 || !ok2 {
		return errors.New("a global is named by two strings")
	}
	g, err := newGlobal(module, name)
	return m.pushOr(g, err)
}

// reduce calls a function of the allowed ones: the hook makes data of its arguments.
func (m *machine) reduce() error {
	v, err := m.popN(2)
	if err != nil {
		return err
	}
	f, ok1 := v[0].(global)
	args, ok2 := v[1].(tuple)
	if !ok1 || !ok2 {
		return fmt.Errorf("cannot call %s with %s", kind(v[0]), kind(v[1]))
	}
	if err := m.spend(weight(args)); err != nil {
		return err
	}
	out, err := m.call(f, args)
	return m.pushOr(out, err)
}

// weight counts the values among arguments, and among their own.
func weight(args tuple) int {
	n := len(args)
	for _, a := range args {
		switch a := a.(type) {
		case *list:
			n += len(a.items)
		case tuple:
			n += len(a)
		}
	}
	return n
}

// build sets attributes of the object on top, such as a state dict's _metadata. None of them matters here.
func (m *machine) build() error {
	if _, err := m.pop(); err != nil {
		return err
	}
	_, err := m.top()
	return err
}

func (m *machine) persistent() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	v, err := m.persist(id)
	return m.pushOr(v, err)
}
