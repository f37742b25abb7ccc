#!/usr/bin/env python3
"""text_cnn.json: logits of text_cnn by PyTorch in float64, with the weights and texts of the rule that backbonetest/fill.go and golden.go follow.

Usage: text_cnn_reference.py > text_cnn.json      (python 3.11, torch 2.15.0)
"""
import json, math
import torch
from torch import nn

M = (1 << 64) - 1
VOCABULARY, CLASSES, TOKENS = 1000, 3, 16


def k(name, n):
    seed = 0xCBF29CE484222325
    for b in name.encode():
        seed = (seed ^ b) * 0x100000001B3 & M
    out = []
    for i in range(n):
        x = seed + (i + 1) * 0x9E3779B97F4A7C15 & M
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M
        x = (x ^ x >> 27) * 0x94D049BB133111EB & M
        out.append((x ^ x >> 31) >> 40)
    return out


def fill(name, shape):
    u = torch.tensor([v * 2.0**-23 - 1 for v in k(name, math.prod(shape))], dtype=torch.float64).reshape(shape)
    if name.endswith("embeddings.weight"):
        v = 0.5 * u
    elif len(shape) >= 2:
        v = u * math.sqrt(3.0 / math.prod(shape[1:]))
    elif name.endswith("bias"):
        v = 0.1 * u
    else:
        v = 1.0 + 0.1 * u
    return v.float().double()


def text(name):
    real = 16 if int(name.split(".")[1]) % 2 == 0 else 11
    ids = [200 + v % (VOCABULARY - 200) for v in k(name, TOKENS)[:real]] + [0] * (TOKENS - real)
    ids[0], ids[real - 1] = 101, 102
    return torch.tensor([ids]), torch.tensor([[1] * real + [0] * (TOKENS - real)])


class TextCNN(nn.Module):
    def __init__(self, width=48, filters=128, hidden=64):
        super().__init__()
        self.embeddings = nn.Embedding(VOCABULARY, width)
        self.conv = nn.Conv1d(width, filters, 3, padding=1)
        self.norm = nn.LayerNorm(width + 2 * filters)
        self.hidden = nn.Linear(width + 2 * filters, hidden)
        self.classifier = nn.Linear(hidden, CLASSES)

    def forward(self, ids, mask):
        seen = mask.unsqueeze(1).double()
        count = seen.sum(2).clamp(min=1)
        x = self.embeddings(ids).transpose(1, 2) * seen
        y = torch.relu(self.conv(x)) * seen
        z = torch.cat([x.sum(2) / count, y.max(2)[0], y.sum(2) / count], 1)
        return self.classifier(torch.relu(self.hidden(self.norm(z))))


net = TextCNN().double().eval()
with torch.no_grad():
    for name, t in net.state_dict().items():
        t.copy_(fill(name, tuple(t.shape)))
    logits = {n: net(*text(n))[0].tolist() for n in ("input.0", "input.1")}
print(json.dumps({"vocabulary": VOCABULARY, "classes": CLASSES, "logits": logits}, indent=1))
