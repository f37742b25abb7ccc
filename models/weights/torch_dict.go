package weights

import (
	"fmt"
	"io"
	"strings"
)

// wrappers are the keys under which training programs put a state dict, first the ones that mean the weights to use.
var wrappers = []string{"state_dict", "model_state_dict", "model_state", "model", "net", "module", "params"}

// maxDepth bounds how deep state dicts are looked for: {"state_dict": {"model": {...}}} and no further.
const maxDepth = 3

// findStateDict returns the dictionary that holds tensors, and reports the way to it.
func findStateDict(v any) (*dict, error) {
	root, ok := v.(*dict)
	if !ok {
		return nil, fmt.Errorf("a state dict is a dictionary, this is %s", kind(v))
	}
	if d := root.find(maxDepth); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("no tensors in the dictionary; its keys are %.200q", root.keys())
}

// find prefers a wrapped dictionary over tensors beside it, which count steps or losses.
func (d *dict) find(depth int) *dict {
	for _, key := range wrappers {
		if inner, ok := d.get(key).(*dict); ok && depth > 1 {
			if found := inner.find(depth - 1); found != nil {
				return found
			}
		}
	}
	for _, p := range d.pairs {
		if _, ok := p.value.(*torchTensor); ok {
			return d
		}
	}
	return nil
}

// get returns the value of the last pair with the key, as Python does.
func (d *dict) get(key string) any {
	for i := len(d.pairs) - 1; i >= 0; i-- {
		if d.pairs[i].key == any(key) {
			return d.pairs[i].value
		}
	}
	return nil
}

func (d *dict) keys() (out []string) {
	for _, p := range d.pairs[:min(len(d.pairs), 10)] {
		out = append(out, fmt.Sprintf("%.40v", keyText(p.key)))
	}
	return out
}

// keyText does not print containers, which may hold themselves.
func keyText(v any) any {
	switch v.(type) {
	case string, int64:
		return v
	}
	return kind(v)
}

// kind names a value's kind in Python's words where it has some.
func kind(v any) string {
	switch v := v.(type) {
	case *torchTensor:
		return "a tensor"
	case *list, tuple:
		return "a list"
	case *dict:
		return "a dictionary"
	case *storage:
		return "a storage"
	case global:
		return string(v)
	case opaque:
		return "an object of " + string(v.class)
	}
	return fmt.Sprintf("%T", v)
}

// names of wrapper modules that DataParallel and torch.compile put before every name.
var prefixes = []string{"module.", "_orig_mod."}

// maxPrefixes is how often either may stand there; no program wraps a network more than twice.
const maxPrefixes = 4

// addStateDict makes a tensor of each pair that is one. place says where a storage lies.
func (f *File) addStateDict(v any, big bool, place func(*storage) (io.ReaderAt, int64, error)) error {
	d, err := findStateDict(v)
	if err != nil {
		return err
	}
	var names []string
	last := map[string]*torchTensor{}
	for _, p := range d.pairs {
		name, ok1 := p.key.(string)
		t, ok2 := p.value.(*torchTensor)
		if !ok1 || !ok2 {
			continue // epochs, settings and the like
		}
		if last[name] == nil {
			names = append(names, name)
		}
		last[name] = t
	}
	prefix := commonPrefix(names)
	for _, name := range names {
		t, err := last[name].locate(strings.TrimPrefix(name, prefix), big, place)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		if err := f.add(t); err != nil {
			return err
		}
	}
	return nil
}

// commonPrefix returns the prefixes that stand before every name, in whatever order, and at most a few: each is a look at all names.
func commonPrefix(names []string) (out string) {
	for range maxPrefixes {
		for _, p := range prefixes {
			if all(names, out+p) {
				out += p
			}
		}
	}
	return out
}

func all(names []string, prefix string) bool {
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return len(names) > 0
}

// locate turns a view into a tensor, which checks that it lies within its storage.
func (t *torchTensor) locate(name string, big bool, place func(*storage) (io.ReaderAt, int64, error)) (*Tensor, error) {
	r, base, err := place(t.storage)
	if err != nil {
		return nil, err
	}
	size := int64(t.dtype.Size())
	limit := t.storage.count*int64(t.storage.dtype.Size()) - t.offset*size
	if limit < 0 {
		return nil, fmt.Errorf("offset %d: beyond its storage of %d %s", t.offset, t.storage.count, t.storage.dtype)
	}
	v := view{r: r, base: base + t.offset*size, stride: t.stride, big: big}
	return newViewed(name, t.dtype, t.shape, v, limit)
}
