package weights

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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
	offset  int64 // elements
	shape   []int
	stride  []int
}

// rebuild makes data of the arguments of an allowed function.
type rebuild func(args tuple) (any, error)

// globals are the names that state dicts and the checkpoints around them use, and what becomes of a call. All other names are errors.
// The classes that make an opaque value only describe a training run; nothing in them is looked at.
var globals = map[global]rebuild{
	"collections.OrderedDict":                    orderedDict,
	"collections.defaultdict":                    func(tuple) (any, error) { return &dict{}, nil },
	"torch._utils._rebuild_tensor_v2":            rebuildTensor,
	"torch._utils._rebuild_tensor":               rebuildTensor,
	"torch._utils._rebuild_parameter":            firstArg,
	"torch._utils._rebuild_parameter_with_state": firstArg,
	"torch.nn.parameter.Parameter":               firstArg,
	"torch.Size":                                 firstArg,
	"torch.device":                               firstArg,
	"torch.Tensor":                               nil,
	"_codecs.encode":                             firstArg,
	"builtins.set":                               makeOpaque("builtins.set"),
	"__builtin__.set":                            makeOpaque("builtins.set"),
	"argparse.Namespace":                         makeOpaque("argparse.Namespace"),
	"numpy.dtype":                                makeOpaque("numpy.dtype"),
	"numpy.core.multiarray.scalar":               makeOpaque("numpy scalar"),
	"numpy._core.multiarray.scalar":              makeOpaque("numpy scalar"),
}

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

// newGlobal checks a name against the allowed ones: those of globals, of storages and of torch's dtypes.
func newGlobal(module, name string) (any, error) {
	g := global(module + "." + name)
	if _, ok := globals[g]; ok {
		return g, nil
	}
	if _, ok := g.storage(); ok || slices.Contains(torchDTypes, string(g)) {
		return g, nil
	}
	return nil, fmt.Errorf("global %q is not among those of a state dict, and nothing from a file is executed; save model.state_dict() alone", string(g))
}

var torchDTypes = strings.Fields("torch.float torch.float16 torch.float32 torch.float64 torch.double torch.half torch.bfloat16 torch.bool " +
	"torch.uint8 torch.int8 torch.int16 torch.int32 torch.int64 torch.long torch.int torch.short")

// storage returns the element type of a storage class such as torch.FloatStorage or torch.cuda.HalfStorage.
func (g global) storage() (DType, bool) {
	name, ok := strings.CutPrefix(string(g), "torch.")
	if !ok {
		return 0, false
	}
	return dtypeBy(storageOf, strings.TrimPrefix(name, "cuda."))
}

func callTorch(f global, args tuple) (any, error) {
	do := globals[f]
	if do == nil {
		return nil, fmt.Errorf("%s is not called in a state dict", f)
	}
	v, err := do(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f, err)
	}
	return v, nil
}

func makeOpaque(class global) rebuild {
	return func(tuple) (any, error) { return opaque{class}, nil }
}

func firstArg(args tuple) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("no argument")
	}
	return args[0], nil
}

// rebuildTensor takes storage, offset, size, stride, and flags of training that are not looked at.
func rebuildTensor(args tuple) (any, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("%d arguments, want 4 or more", len(args))
	}
	t := &torchTensor{}
	var ok bool
	if t.storage, ok = args[0].(*storage); !ok {
		return nil, fmt.Errorf("%T is no storage", args[0])
	}
	if t.offset, ok = args[1].(int64); !ok || t.offset < 0 || t.offset > t.storage.count {
		return nil, fmt.Errorf("offset %v into a storage of %d elements", args[1], t.storage.count)
	}
	var err error
	if t.shape, err = sizes(args[2]); err != nil {
		return nil, err
	}
	t.stride, err = sizes(args[3])
	return t, err
}

// sizes reads a tuple of numbers that are at least 0.
func sizes(v any) ([]int, error) {
	items, ok := v.(tuple)
	if !ok || len(items) > maxRank {
		return nil, fmt.Errorf("%T is no shape of at most %d sizes", v, maxRank)
	}
	out := make([]int, len(items))
	for i, item := range items {
		n, ok := item.(int64)
		if !ok || n < 0 || n > maxBytes {
			return nil, fmt.Errorf("size %v of a shape", item)
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
		return nil, fmt.Errorf("storage %.80v: want class, key, location and a number of elements", t[1:])
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

// unpickle runs the one pickle at the cursor.
func (s storages) unpickle(in *cursor) (any, error) {
	m := machine{in: in, call: callTorch, persist: s.persist}
	return m.run()
}
