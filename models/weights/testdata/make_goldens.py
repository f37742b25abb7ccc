"""Writes the goldens beside this file: numpy 2.4.6, safetensors 0.8.0; PyTorch's own files are made by Python's pickle with classes of
the same names, after the format that torch.save writes (protocol 2, persistent ids), without PyTorch."""
import collections, io, json, pickle, struct, sys, types, zipfile
import numpy as np
from safetensors.numpy import save_file

here = __file__.rsplit("/", 1)[0]
a = (np.arange(12, dtype=np.float32) - 3.5).reshape(3, 4)
arrays = {
    "f4": a, "f2": a.astype(np.float16), "f8": a.astype(np.float64) / 3, "i8": np.array([-2, 1 << 40]), "i4": np.array([[-7], [9]], np.int32),
    "i2": np.array([-300, 300], np.int16), "i1": np.array([-128, 127], np.int8), "u1": np.array([0, 255], np.uint8), "u2": np.array([65535], np.uint16),
    "u4": np.array([1 << 31], np.uint32), "u8": np.array([1 << 63], np.uint64), "b1": np.array([True, False]), "scalar": np.array(1.25, np.float32),
    "empty": np.zeros((0, 3), np.float32),
}
save_file(arrays, f"{here}/all.safetensors", metadata={"format": "np"})
odd = {"fortran": np.asfortranarray(a), "big": a.astype(">f4"), "bigfortran": np.asfortranarray(a.astype(">f8")), "cube": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))}
np.savez(f"{here}/all.npz", **arrays, **odd)
np.savez_compressed(f"{here}/compressed.npz", **arrays, **odd)
np.save(f"{here}/single.npy", a)
want = {k: {"shape": list(v.shape), "values": [float(x) for x in v.astype(np.float32).ravel()]} for k, v in {**arrays, **odd}.items()}
json.dump(want, open(f"{here}/arrays.json", "w"), indent=0, sort_keys=True)


def fake(module, name, **body):
    mod = sys.modules.get(module) or types.ModuleType(module)
    sys.modules[module] = mod
    cls = type(name, (), {"__module__": module, **body})
    setattr(mod, name, cls)
    return cls


fake("torch", "x"), fake("torch._utils", "x")
kinds = {n: fake("torch", n + "Storage") for n in ["Float", "Half", "BFloat16", "Double", "Long", "Bool"]}


def rebuild(*args): ...


for name in ["_rebuild_tensor_v2", "_rebuild_parameter"]:
    f = types.FunctionType(rebuild.__code__, {}, name)
    f.__module__, f.__qualname__ = "torch._utils", name
    setattr(sys.modules["torch._utils"], name, f)
utils = sys.modules["torch._utils"]


class Storage:
    def __init__(self, kind, key, data): self.kind, self.key, self.data = kind, key, data


class Tensor:
    def __init__(self, s, offset, shape, stride, parameter=False): self.s, self.args, self.parameter = s, (offset, shape, stride), parameter

    def __reduce_ex__(self, protocol):
        inner = (utils._rebuild_tensor_v2, (self.s, *self.args, False, collections.OrderedDict()))
        if not self.parameter:
            return inner
        self.parameter = False
        return (utils._rebuild_parameter, (self, True, collections.OrderedDict()))


class Pickler(pickle._Pickler):
    legacy = False

    def persistent_id(self, o):
        if isinstance(o, Storage):
            n = len(o.data) // {"Half": 2, "BFloat16": 2, "Double": 8, "Long": 8, "Bool": 1}.get(o.kind, 4)
            return ("storage", kinds[o.kind], o.key, "cpu", n) + ((None,) if self.legacy else ())


def dump(obj, legacy=False):
    b = io.BytesIO()
    p = Pickler(b, protocol=2)
    p.legacy = legacy
    p.dump(obj)
    return b.getvalue()


def state(order="<"):
    f = Storage("Float", "0", np.arange(12).astype(order + "f4").tobytes())
    half = Storage("Half", "1", np.array([1.5, -2]).astype(order + "f2").tobytes())
    bf = Storage("BFloat16", "2", np.array([0x3FC0, 0xC000]).astype(order + "u2").tobytes())
    n = Storage("Long", "3", np.array([7]).astype(order + "i8").tobytes())
    d = collections.OrderedDict()
    d["module.w"] = Tensor(f, 0, (3, 4), (4, 1), parameter=True)
    d["module.wt"] = Tensor(f, 0, (4, 3), (1, 4))  # shared with w, transposed
    d["module.row"] = Tensor(f, 4, (4,), (1,))
    d["module.expanded"] = Tensor(f, 2, (2, 2), (0, 1))
    d["module.half"] = Tensor(half, 0, (2,), (1,))
    d["module.bf"] = Tensor(bf, 0, (2,), (1,))
    d["module.count"] = Tensor(n, 0, (), ())
    return d, [f, half, bf, n]


def archive(path, obj, storages, order="little"):
    with zipfile.ZipFile(path, "w") as z:
        for name, data in [("data.pkl", dump(obj)), ("byteorder", order.encode()), *[("data/" + s.key, s.data) for s in storages], ("version", b"3\n")]:
            z.writestr(zipfile.ZipInfo("archive/" + name), data)


d, st = state()
archive(f"{here}/state.pt", {"epoch": 3, "best": 0.5, "state_dict": d, "optimizer": {"state": {0: {"step": d["module.count"]}}}}, st)
d, st = state(">")
archive(f"{here}/big.pt", d, st, "big")
d, st = state()
with open(f"{here}/legacy.pth", "wb") as w:
    for v in [0x1950A86A20F9469CFC6C, 1001, {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}]:
        w.write(pickle.dumps(v, protocol=2))
    w.write(dump(d, legacy=True))
    w.write(pickle.dumps([s.key for s in st], protocol=2))
    for s, size in zip(st, [4, 2, 2, 8]):
        w.write(struct.pack("<q", len(s.data) // size) + s.data)
