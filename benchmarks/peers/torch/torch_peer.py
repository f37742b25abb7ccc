"""Forward passes, Tent and MEMO in PyTorch eager, as their users write them, timed on request.

Reads a JSON object a line and answers each with one. The first names the network:

    {"net": "cifar_resnet18", "weights": "file.safetensors"}  ->  {"torch": "2.15.0", "tensors": 122}

and every other a method and its inputs, which are made by a rule so that the other side has the same:

    {"method": "tent3", "batch": 1, "rate": 0.001, "rounds": 5}  ->  {"seconds": 0.21, "logits": [...]}

seconds are those of process CPU time that one of the rounds took on average; logits are what the method predicted, of the last round. One thread.

forward   the logits of a batch, no gradient
tent2     Tent (Wang et al. 2021) on the scales and biases of BatchNorm, source statistics, the mean entropy of the batch, SGD: forward, backward,
          step, and the prediction from before the step, as the official code does
tent3     the same, and a forward pass after the step, which predicts
memo      MEMO (Zhang et al. 2022): a batch of views, the entropy of their mean prediction, one step of SGD on all parameters, the prediction
          of the plain input after it, and the source's parameters again

What a step changed is undone after every request, outside the time; MEMO undoes it after every input, which is part of the method and its time.
"""
import json
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

TYPES = {"F32": np.float32, "F16": np.float16}


class Basic(nn.Module):
    expansion = 1

    def __init__(self, cin, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = shortcut(cin, width, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, cin, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.downsample = shortcut(cin, 4 * width, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


def shortcut(cin, cout, stride):
    if cin == cout and stride == 1:
        return None
    return nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))


class ResNet(nn.Module):
    """torchvision's names; small is the stem for pictures of 32 pixels."""

    def __init__(self, block, depths, classes, small):
        super().__init__()
        self.small = small
        self.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False) if small else nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        cin = 64
        for i, depth in enumerate(depths):
            width = 64 << i
            blocks = []
            for j in range(depth):
                blocks.append(block(cin, width, 2 if i > 0 and j == 0 else 1))
                cin = width * block.expansion
            setattr(self, f"layer{i + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(cin, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        if not self.small:
            x = F.max_pool2d(x, 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


NETS = {
    "cifar_resnet18": (lambda k: ResNet(Basic, (2, 2, 2, 2), k, True), 32),
    "resnet50": (lambda k: ResNet(Bottleneck, (3, 4, 6, 3), k, False), 224),
}


def read_safetensors(name):
    """The format is a length, a JSON header and the bytes: nothing else needs to be installed."""
    with open(name, "rb") as f:
        header = json.loads(f.read(int.from_bytes(f.read(8), "little")))
        data = f.read()
    out = {}
    for key, t in header.items():
        if key != "__metadata__":
            first, last = t["data_offsets"]
            a = np.frombuffer(data[first:last], TYPES[t["dtype"]]).reshape(t["shape"])
            out[key] = torch.from_numpy(a.astype(np.float32))
    return out


def load(name, file):
    make, side = NETS[name]
    tensors = read_safetensors(file)
    net = make(len(tensors["fc.bias"]))
    missing, unexpected = net.load_state_dict(tensors, strict=False)
    missing = [m for m in missing if not m.endswith("num_batches_tracked")]
    if missing or unexpected:
        raise SystemExit(f"{file}: missing {missing}, unexpected {unexpected}")
    return net.eval(), side, len(tensors)


def batch(n, side):
    """Element i is sin(0.37 i + 0.11 (i mod 7)): smooth, and the same everywhere to a unit in the last place."""
    i = np.arange(n * 3 * side * side)
    return torch.from_numpy(np.sin(0.37 * i + 0.11 * (i % 7)).astype(np.float32).reshape(n, 3, side, side))


def entropy(log_p):
    return -(log_p.exp() * log_p).sum(1).mean()


class Peer:
    def __init__(self, name, file):
        self.net, self.side, self.tensors = load(name, file)
        self.source = [p.detach().clone() for p in self.net.parameters()]
        self.norms = [p for m in self.net.modules() if isinstance(m, nn.BatchNorm2d) for p in (m.weight, m.bias)]

    def forward(self, x, optimizer):
        with torch.no_grad():
            return self.net(x)

    def tent2(self, x, optimizer):
        logits = self.net(x)
        entropy(F.log_softmax(logits, 1)).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return logits.detach()

    def tent3(self, x, optimizer):
        self.tent2(x, optimizer)
        return self.forward(x, optimizer)

    def memo(self, views, optimizer):
        log_p = F.log_softmax(self.net(views), 1)
        marginal = log_p.logsumexp(0) - np.log(len(views))
        entropy(marginal[None]).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        logits = self.forward(views[:1], optimizer)
        self.restore()
        return logits

    def restore(self):
        with torch.no_grad():
            for p, s in zip(self.net.parameters(), self.source):
                p.copy_(s)

    def answer(self, method, batch_size, rate, rounds):
        x, run = batch(batch_size, self.side), getattr(self, method)
        moved = self.norms if method.startswith("tent") else list(self.net.parameters())
        for p in self.net.parameters():
            p.requires_grad_(False)
        if method != "forward":
            for p in moved:
                p.requires_grad_(True)
        optimizer = torch.optim.SGD(moved, lr=rate)
        seconds = 0.0
        for _ in range(rounds):
            start = time.process_time()
            logits = run(x, optimizer)
            seconds += time.process_time() - start
            self.restore()
        return {"seconds": seconds / rounds, "logits": logits.double().flatten().tolist()}


def main():
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    first = json.loads(sys.stdin.readline())
    peer = Peer(first["net"], first["weights"])
    print(json.dumps({"torch": torch.__version__, "tensors": peer.tensors}), flush=True)
    for line in sys.stdin:
        q = json.loads(line)
        print(json.dumps(peer.answer(q["method"], q["batch"], q.get("rate", 1e-3), q.get("rounds", 1))), flush=True)


if __name__ == "__main__":
    main()
