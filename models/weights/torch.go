package weights

import (
	"errors"
	"fmt"
)

// storage is a run of elements that one or more tensors view, by the key that the pickle gives it.
type storage struct {
	key   string
	dtype DType
	count int64 // elements
}

// torchTensor is what _rebuild_tensor_v2 makes: a view of a storage, not yet checked.
type torchTensor struct {
	storage *storage
	dtype   DType // the storage's, unless that is an untyped one
	offset  int64 // elements
	shape   []int
	stride  []int
}

// rebuild makes data of the arguments of an allowed function.
type rebuild func(args tuple) (any, error)

// orderedDict makes a dictionary, of a list of pairs if there is one: so Python 2, which wrote many of the older files, pickles it.
func orderedDict(args tuple) (any, error) {
	d := &dict{}
	if len(args) == 0 {
		return d, nil
	}
	pairs, ok := args[0].(*list)
	if !ok {
		return nil, errors.New("want a list of pairs")
	}
	for _, p := range pairs.items {
		kv, ok := p.(*list)
		if !ok || len(kv.items) != 2 {
			return nil, errors.New("want a list of pairs")
		}
		d.pairs = append(d.pairs, pair{kv.items[0], kv.items[1]})
	}
	return d, nil
}

func firstArg(args tuple) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("no argument")
	}
	return args[0], nil
}

// rebuildTensor takes storage, offset, size, stride, two facts of training that are not looked at, and metadata where there are some.
func rebuildTensor(args tuple) (any, error) {
	t, err := newTorchTensor(args)
	if err != nil {
		return nil, err
	}
	return t, checkMetadata(args[min(6, len(args)):])
}

// rebuildTensorV3 is the same with the type of the elements before the metadata, for types that have no storage class.
func rebuildTensorV3(args tuple) (any, error) {
	if len(args) < 7 {
		return nil, fmt.Errorf("%d arguments, want 7 or more", len(args))
	}
	t, err := newTorchTensor(args)
	if err != nil {
		return nil, err
	}
	name, _ := args[6].(global)
	d, ok := torchDTypes[name]
	if !ok {
		return nil, fmt.Errorf("%s is no type of elements", kind(args[6]))
	}
	t.dtype = d
	return t, checkMetadata(args[7:])
}

// rebuildFromType makes a tensor that has attributes of its own, which are not looked at: a function, a type, arguments, attributes.
func rebuildFromType(args tuple) (any, error) {
	if len(args) < 3 {
		return nil, fmt.Errorf("%d arguments, want 3 or more", len(args))
	}
	f, ok1 := args[0].(global)
	inner, ok2 := args[2].(tuple)
	if !ok1 || !ok2 || makers[f] == nil {
		return nil, errors.New("want a function that makes a tensor, a type and arguments")
	}
	return makers[f](inner)
}

func newTorchTensor(args tuple) (*torchTensor, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("%d arguments, want 4 or more", len(args))
	}
	t := &torchTensor{}
	var ok bool
	if t.storage, ok = args[0].(*storage); !ok {
		return nil, fmt.Errorf("%s is no storage", kind(args[0]))
	}
	if t.offset, ok = args[1].(int64); !ok || t.offset < 0 || t.offset > t.storage.count {
		return nil, fmt.Errorf("offset %v into a storage of %d elements", keyText(args[1]), t.storage.count)
	}
	t.dtype = t.storage.dtype
	var err error
	if t.shape, err = sizes(args[2]); err != nil {
		return nil, err
	}
	t.stride, err = sizes(args[3])
	return t, err
}

// checkMetadata refuses tensors whose elements are not what lies in the storage: PyTorch negates and conjugates lazily, and says so
// in a dictionary of flags such as {"neg": True}.
func checkMetadata(args tuple) error {
	if len(args) == 0 || args[0] == nil {
		return nil
	}
	flags, ok := args[0].(*dict)
	if !ok {
		return fmt.Errorf("%s is no metadata of a tensor", kind(args[0]))
	}
	for _, p := range flags.pairs {
		if p.value != any(false) {
			return fmt.Errorf("a tensor with the mark %.20q: save its resolve_neg() and resolve_conj()", fmt.Sprint(keyText(p.key)))
		}
	}
	return nil
}

// sizes reads a tuple of numbers that are at least 0.
func sizes(v any) ([]int, error) {
	items, ok := v.(tuple)
	if !ok || len(items) > maxRank {
		return nil, fmt.Errorf("%s is no shape of at most %d sizes", kind(v), maxRank)
	}
	out := make([]int, len(items))
	for i, item := range items {
		n, ok := item.(int64)
		if !ok || n < 0 || n > maxBytes {
			return nil, fmt.Errorf("size %v of a shape", keyText(item))
		}
		out[i] = int(n)
	}
	return out, nil
}

// storages hands out one storage per key, as the persistent ids of a pickle name them.
type storages map[string]*storage

// persist reads ("storage", class, key, location, elements) and, in the old format, a view that must be None.
func (s storages) persist(id any) (any, error) {
	t, ok := id.(tuple)
	if !ok || len(t) < 5 || t[0] != any("storage") {
		return nil, errors.New("a persistent id that names no storage")
	}
	class, ok1 := t[1].(global)
	key, ok2 := t[2].(string)
	count, ok3 := t[4].(int64)
	if !ok1 || !ok2 || !ok3 || count < 0 || count > maxBytes/8 {
		return nil, fmt.Errorf("storage %.80v: want class, key, location and a number of elements", keyText(t[2]))
	}
	if len(t) > 5 && t[5] != nil {
		return nil, fmt.Errorf("storage %q is a view of another: save the file again with PyTorch 1.6 or later", key)
	}
	d, ok := class.storage()
	if !ok {
		return nil, fmt.Errorf("storage %q: %s is not known here", key, class)
	}
	return s.get(storage{key, d, count})
}

func (s storages) get(want storage) (*storage, error) {
	have := s[want.key]
	if have == nil {
		have = &want
		s[want.key] = have
	}
	if *have != want {
		return nil, fmt.Errorf("storage %q is %d of %s and %d of %s", want.key, have.count, have.dtype, want.count, want.dtype)
	}
	return have, nil
}

// unpickle runs the one pickle at the cursor, in a file of size bytes, which compressed are fewer than the pickle's.
func (s storages) unpickle(in *cursor, size int64) (any, error) {
	m := machine{in: in, left: int(min(maxSteps, 1024+4*size)), call: callTorch, persist: s.persist}
	return m.run()
}
