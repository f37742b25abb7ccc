"""Writes the goldens torch-*.pt and torch-*.json with PyTorch itself. Made by both ends of the formats in use:

    python3 make_torch.py new    # PyTorch 2.15.0: byte order, alignment and identity records, _rebuild_tensor_v3
    python3 make_torch.py old    # PyTorch 1.13.0: the zip without them, and the row of pickles of before 1.6

Each JSON file holds, by file and by name in it, a tensor's type, shape and elements: the bits of each as float32, as a signed number.
A file that must be refused is null. All tensors are fixed, so that a second run writes the same ones (and other identities)."""
import argparse, collections, json, os, pathlib, sys
import torch

tag = sys.argv[1]
assert torch.__version__.startswith({"new": "2.15.", "old": "1.13."}[tag])
here = pathlib.Path(__file__).parent
names = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.int16: "I16", torch.float16: "F16", torch.bfloat16: "BF16", torch.int32: "I32",
    torch.float32: "F32", torch.float64: "F64", torch.int64: "I64",
}
if tag == "new":
    names |= {torch.uint16: "U16", torch.uint32: "U32", torch.uint64: "U64"}
want = {}


def told(t):
    # In float64 first: PyTorch has no way from uint32 and uint64 to float32 on some devices.
    t = t.detach().clone()
    wide = t if t.dtype == torch.float32 else t.to(torch.float64).to(torch.float32)
    return {"dtype": names[t.dtype], "shape": list(t.shape), "bits": wide.flatten().view(torch.int32).tolist()}


def save(name, obj, tensors, **how):
    torch.save(obj, here / f"torch-{tag}-{name}", **how)
    want[f"torch-{tag}-{name}"] = tensors and {k: told(t) for k, t in tensors.items()}


def state():
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6) / 3 - 2
    d = collections.OrderedDict()
    d["parameter"] = torch.nn.Parameter(base.clone())
    d["base"] = base
    d["transposed"] = base.t()
    d["row"] = base[2]
    d["column"] = base[:, 1]
    d["steps"] = base[1::2, ::3]
    d["block"] = base[1:3, 2:5]
    d["permuted"] = base.reshape(2, 3, 4).permute(2, 0, 1)
    d["channels_last"] = torch.arange(24.0).reshape(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)
    d["expanded"] = base[:1, :1].expand(3, 2)
    d["nan"] = torch.tensor([0x7F800001, -1, 0x7FC00000, -(1 << 31)], dtype=torch.int32).view(torch.float32)  # a signaling one, and -0
    d["scalar"] = torch.tensor(1.25)
    d["scalar_view"] = base[3, 5]
    d["empty"] = torch.zeros(0, 3)
    d["empty_view"] = base[4:]
    d["empty_inside"] = torch.zeros(2, 0, 4)
    d["double"] = torch.tensor([1 / 3, -1e300, 5e-324], dtype=torch.float64)
    d["half"] = torch.tensor([1.5, -65504, 6e-8], dtype=torch.float16)
    d["bfloat16"] = torch.tensor([1.5, -3e38, 1e-40]).to(torch.bfloat16)
    d["int64"] = torch.tensor([-(1 << 40), 3])
    d["int32"] = torch.tensor([[-7], [1 << 30]], dtype=torch.int32)
    d["int16"] = torch.tensor([-300, 300], dtype=torch.int16)
    d["int8"] = torch.tensor([-128, 127], dtype=torch.int8)
    d["uint8"] = torch.tensor([0, 255], dtype=torch.uint8)
    d["bool"] = torch.tensor([True, False, True])
    return d


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = torch.nn.Conv1d(1, 2, 3), torch.nn.BatchNorm1d(2)
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.arange(p.numel()).reshape(p.shape) + 10.0 * i)

    def forward(self, x):
        return self.bn(self.conv(x))


class Call:
    """Runs a command when it is unpickled by Python."""

    def __reduce__(self):
        return os.system, ("echo executed",)


d, net = state(), Net()
save("plain.pt", dict(d), d)
save("legacy.pt", d, d, _use_new_zipfile_serialization=False)

# What training programs put around a state dict: optimizer, arguments, best accuracy, random numbers, the version.
import numpy as np

optimizer = torch.optim.AdamW(net.parameters())
net(torch.ones(2, 1, 5)).sum().backward()
optimizer.step()
wrapped = torch.nn.DataParallel(net).state_dict()  # the prefix "module."
checkpoint = {
    "epoch": 3, "best": np.float64(0.5), "optimizer": optimizer.state_dict(), "args": argparse.Namespace(lr=0.1, out=None), "history": collections.defaultdict(list, loss=[2.5, 1.5]),
    "seen": collections.Counter("aab"), "rng": np.arange(3, dtype=np.uint32), "size": torch.Size([1, 2]), "device": torch.device("cpu"), "dtype": torch.float16,
    "version": torch.__version__, "classes": {1, 2},
}
save("checkpoint.pt", {**checkpoint, "state_dict": wrapped}, net.state_dict())
save("model.pt", {"model": net.state_dict(), "model_ema": {k: v + 1 for k, v in net.state_dict().items()}}, net.state_dict())
save("nested.pt", {"state_dict": {"model": net.state_dict()}}, net.state_dict())

# Attributes of their own make another form of both.
p, t = torch.nn.Parameter(torch.ones(2)), torch.ones(3)
p.kind, t.kind = "bias", "buffer"
save("attributes.pt", {"p": p, "t": t}, {"p": p, "t": t})

save("module.pt", net, None)
# The old format keeps a class's source text and path beside it where Python finds them, which exec prevents.
exec("class Bare(torch.nn.Module): ...")
save("module-legacy.pt", Bare(), None, _use_new_zipfile_serialization=False)
save("system.pt", {"state_dict": net.state_dict(), "extra": Call()}, None)
save("sparse.pt", {"w": torch.eye(2).to_sparse()}, None)
save("quantized.pt", {"w": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)}, None)
save("complex.pt", {"w": torch.ones(2, dtype=torch.complex64)}, None)
save("meta.pt", {"w": torch.ones(2, device="meta")}, None)
if tag == "new":
    wide = {"u16": torch.arange(65534, 65536).to(torch.uint16)[1:], "u32": torch.tensor([1 << 31]).to(torch.uint32), "u64": torch.tensor([1 << 62]).to(torch.uint64)}
    save("unsigned.pt", wide, wide)
    save("negated.pt", {"w": torch.tensor([1 + 2j]).conj().imag}, None)  # PyTorch 1.13 loses the sign
    save("float8.pt", {"w": torch.ones(2).to(torch.float8_e4m3fn)}, None)

with open(here / f"torch-{tag}.json", "w") as out:  # a line for each tensor
    out.write(json.dumps(want, sort_keys=True).replace("}, ", "},\n") + "\n")
