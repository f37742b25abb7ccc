"""ResNet-20 from scratch on binary batches of CIFAR-10 in PyTorch, as `oatta train images --arch cifar-resnet20 --recipe cifar` has it.

    python torch_cifar.py --epochs 4 --seed 0 --threads 1 data_batch_1.bin test_batch.bin

With --weights it begins as the other does whose seed was that of `oatta models build cifar_resnet20 --init SEED -o init.onnx` and then
`oatta models convert init.onnx -o init.safetensors`. The last file is the test; what is right of it is printed after the last epoch. Akamaster's network: 3 x 3 convolutions without biases, shortcuts
of every other pixel and channels of zeros, He's normal weights by inputs. The recipe: SGD with Nesterov's momentum 0.9, batches of 128, rate 0.1 cut
by ten after half and three quarters of the steps, decay 5e-4 of all but biases and norms, pictures moved by up to 4 pixels, black moving in, and
mirrored half the time. Each epoch leaves over what fills no batch.
"""
import argparse
import json
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.stride, self.more = stride, cout - cin

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        if self.more:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, self.more // 2, self.more // 2))
        return F.relu(y + x)


class ResNet20(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.layer1 = nn.Sequential(*(Block(16, 16, 1) for _ in range(3)))
        self.layer2 = nn.Sequential(Block(16, 32, 2), Block(32, 32, 1), Block(32, 32, 1))
        self.layer3 = nn.Sequential(Block(32, 64, 2), Block(64, 64, 1), Block(64, 64, 1))
        self.linear = nn.Linear(64, 10)
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_normal_(m.weight)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(F.relu(self.bn1(self.conv1(x))))))
        return self.linear(x.mean((2, 3)))

    def begin_with(self, name):
        """Takes the weights of a file of safetensors in float32, as `oatta models convert` writes it."""
        with open(name, "rb") as f:
            data = f.read()
        at = 8 + int.from_bytes(data[:8], "little")
        state = self.state_dict()
        for key, t in json.loads(data[8:at]).items():
            if key != "__metadata__":
                begin, end = t["data_offsets"]
                state[key].copy_(torch.from_numpy(np.frombuffer(data[at + begin:at + end], np.float32).copy()).view(t["shape"]))


def read(name):
    """Returns pictures [N, 3, 32, 32] as bytes, and labels [N]."""
    rows = np.fromfile(name, np.uint8).reshape(-1, 3073)
    return torch.from_numpy(rows[:, 1:].reshape(-1, 3, 32, 32).copy()), torch.from_numpy(rows[:, 0].astype(np.int64))


def shown(pixels, changed):
    """Standardises pictures; changed ones are padded with black, cropped and perhaps mirrored."""
    if changed:
        padded = F.pad(pixels, (4, 4, 4, 4))
        pixels = pixels.clone()
        for i in range(len(pixels)):
            dy, dx, mirrored = (int(torch.randint(n, ())) for n in (9, 9, 2))
            one = padded[i, :, dy:dy + 32, dx:dx + 32]
            pixels[i] = one.flip(2) if mirrored else one
    mean, std = (torch.tensor(v).view(3, 1, 1) for v in (MEAN, STD))
    return (pixels.float() / 255 - mean) / std


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        return sum(int((net(shown(x[i:i + 128], False)).argmax(1) == y[i:i + 128]).sum()) for i in range(0, len(x), 128)) / len(x)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--weights", help="safetensors to begin with, in place of a draw")
    p.add_argument("files", nargs="+")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    parts = [read(name) for name in a.files]
    x, y = (torch.cat(v) for v in zip(*parts[:-1]))
    net, batch = ResNet20(), 128
    if a.weights:
        net.begin_with(a.weights)
    decayed = [q for q in net.parameters() if q.dim() > 1]
    plain = [q for q in net.parameters() if q.dim() <= 1]
    optimizer = torch.optim.SGD([{"params": decayed, "weight_decay": 5e-4}, {"params": plain, "weight_decay": 0}], lr=0.1, momentum=0.9, nesterov=True)
    each = len(x) // batch
    total, step, begin = a.epochs * each, 0, time.time()
    for epoch in range(a.epochs):
        net.train()
        order, loss_sum = torch.randperm(len(x)), 0.0
        for k in range(each):
            for group in optimizer.param_groups:
                group["lr"] = 0.1 * 0.1 ** ((step >= total / 2) + (step >= 3 * total / 4))
            at = order[k * batch:(k + 1) * batch]
            loss = F.cross_entropy(net(shown(x[at], True)), y[at])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss_sum, step = loss_sum + loss.item(), step + 1
        print(f"epoch {epoch + 1}: loss {loss_sum / each:.4f}, {time.time() - begin:.0f} s", flush=True)
    print(f"torch {torch.__version__}, seed {a.seed}: {100 * accuracy(net, *parts[-1]):.2f} % of {len(parts[-1][1])}")


if __name__ == "__main__":
    main()
