package weights

import (
	"fmt"
	"strings"
)

// makers are the functions that make a tensor, which a tensor with attributes of its own names again among its arguments.
var makers = map[global]rebuild{
	"torch._utils._rebuild_tensor":               rebuildTensor,
	"torch._utils._rebuild_tensor_v2":            rebuildTensor,
	"torch._utils._rebuild_tensor_v3":            rebuildTensorV3,
	"torch._utils._rebuild_parameter":            firstArg,
	"torch._utils._rebuild_parameter_with_state": firstArg,
}

// globals are the other names that state dicts and the checkpoints around them use, and what becomes of a call; nil is a name that is
// only mentioned. All names beside these are errors. The classes that make an opaque value only describe a training run; nothing in
// them is looked at.
var globals = map[global]rebuild{
	"collections.OrderedDict":             orderedDict,
	"collections.defaultdict":             func(tuple) (any, error) { return &dict{}, nil },
	"torch._tensor._rebuild_from_type_v2": rebuildFromType,
	"torch.nn.parameter.Parameter":        firstArg,
	"torch.Size":                          firstArg,
	"torch.device":                        firstArg,
	"torch.torch_version.TorchVersion":    firstArg,
	"torch.Tensor":                        nil,
	"_codecs.encode":                      firstArg,
	"builtins.list":                       nil,
	"__builtin__.list":                    nil,
	"builtins.set":                        makeOpaque("builtins.set"),
	"__builtin__.set":                     makeOpaque("builtins.set"),
	"collections.Counter":                 makeOpaque("collections.Counter"),
	"argparse.Namespace":                  makeOpaque("argparse.Namespace"),
	"numpy.ndarray":                       nil,
	"numpy.dtype":                         makeOpaque("numpy.dtype"),
	"numpy.core.multiarray.scalar":        makeOpaque("numpy scalar"),
	"numpy._core.multiarray.scalar":       makeOpaque("numpy scalar"),
	"numpy.core.multiarray._reconstruct":  makeOpaque("numpy.ndarray"),
	"numpy._core.multiarray._reconstruct": makeOpaque("numpy.ndarray"),
}

// torchDTypes are the types that a pickle names apart from a storage's class.
var torchDTypes = map[global]DType{
	"torch.bool": Bool, "torch.uint8": U8, "torch.int8": I8,
	"torch.int16": I16, "torch.short": I16, "torch.uint16": U16, "torch.float16": F16, "torch.half": F16, "torch.bfloat16": BF16,
	"torch.int32": I32, "torch.int": I32, "torch.uint32": U32, "torch.float32": F32, "torch.float": F32,
	"torch.float64": F64, "torch.double": F64, "torch.int64": I64, "torch.long": I64, "torch.uint64": U64,
}

// untyped is the class of storages whose elements' type stands with each tensor; they count bytes.
const untyped global = "torch.storage.UntypedStorage"

// unread are the beginnings of names by which honest files hold what this package does not read, and what their owner can do.
var unread = []struct{ prefix, why string }{
	{"torch._utils._rebuild_sparse", "a sparse tensor is not read: save its to_dense()"},
	{"torch._utils._rebuild_qtensor", "a quantised tensor is not read: save its dequantize()"},
	{"torch.Q", "a quantised tensor is not read: save its dequantize()"},
	{"torch._utils._rebuild_meta_tensor", `a tensor of the device "meta" has no elements`},
	{"torch.Complex", "complex numbers are not read: save real and imag apart"},
	{"torch.complex", "complex numbers are not read: save real and imag apart"},
	{"torch.float8", "8-bit floats are not read: save them as bfloat16"},
	{"torch.storage._load_from_bytes", "a tensor that Python's pickle wrote is not read: write it with torch.save"},
	{"torch.jit.", "a TorchScript program is not read: save model.state_dict()"},
	{"", "not among those of a state dict, and nothing from a file is executed; save model.state_dict() alone"},
}

// newGlobal checks a name against the allowed ones: those of functions and classes, of storages and of torch's types.
func newGlobal(module, name string) (any, error) {
	g := global(module + "." + name)
	_, called := globals[g]
	_, maker := makers[g]
	_, dtype := torchDTypes[g]
	_, class := g.storage()
	if called || maker || dtype || class {
		return g, nil
	}
	for _, u := range unread {
		if strings.HasPrefix(string(g), u.prefix) {
			return nil, fmt.Errorf("global %.200q: %s", string(g), u.why)
		}
	}
	panic("models/weights: the last beginning is empty, and every name starts with it")
}

// storage returns the element type of a storage class such as torch.FloatStorage or torch.cuda.HalfStorage; an untyped one counts bytes.
func (g global) storage() (DType, bool) {
	if g == untyped {
		return U8, true
	}
	name, ok := strings.CutPrefix(string(g), "torch.")
	if !ok {
		return 0, false
	}
	return dtypeBy(storageOf, strings.TrimPrefix(name, "cuda."))
}

func callTorch(f global, args tuple) (any, error) {
	do := globals[f]
	if do == nil {
		do = makers[f]
	}
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
