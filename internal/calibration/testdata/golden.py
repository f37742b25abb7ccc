"""Writes golden.json, the judge of package calibration: numpy, float64, no code shared with it.

python3 golden.py > golden.json      (numpy 2; seed 20 of PCG64)

Predictions of four classes in twelve streams, over-confident by a factor that differs between streams; the temperature is found by
golden-section search on the loss itself, and the standard error by refitting 400 resamples of streams.
"""
import json
import sys

import numpy as np

FLOOR, BINS = 1e-12, 15


def loss(logs, truth, beta):
    z = logs * beta
    z = z - z.max(1, keepdims=True)
    return (np.log(np.exp(z).sum(1)) - z[np.arange(len(truth)), truth]).mean()


def fit(logs, truth):
    lo, hi = np.log(1 / 50), np.log(50)
    g = (5**0.5 - 1) / 2
    for _ in range(100):
        a, b = hi - g * (hi - lo), lo + g * (hi - lo)
        if loss(logs, truth, np.exp(a)) < loss(logs, truth, np.exp(b)):
            hi = b
        else:
            lo = a
    return float(np.exp(-(lo + hi) / 2))


def scores(logs, truth, temperature):
    z = logs / temperature
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    confidence, hit = p.max(1), p.argmax(1) == truth
    gap = confidence - hit
    wide = np.minimum((confidence * BINS).astype(int), BINS - 1)
    mass = np.empty(len(truth), int)
    mass[np.argsort(confidence, kind="stable")] = np.arange(len(truth)) * BINS // len(truth)
    ece = [sum(abs(gap[bins == k].sum()) for k in range(BINS)) / len(truth) for bins in (wide, mass)]
    return {"accuracy": hit.mean(), "nll": loss(logs, truth, 1 / temperature), "ece": ece[0], "ece_mass": ece[1]}


rng = np.random.default_rng(20)
q, truth, stream = [], [], []
for s in range(12):
    sharp = rng.uniform(1.5, 4)
    for _ in range(int(rng.integers(20, 60))):
        y = int(rng.integers(4))
        z = rng.normal(size=4)
        z[y] += 1.2
        p = np.exp(sharp * z - (sharp * z).max())
        q.append((p / p.sum()).round(9).tolist())
        truth.append(y)
        stream.append(s)
logs, t, streams = np.log(np.maximum(np.array(q), FLOOR)), np.array(truth), np.array(stream)
temperature = fit(logs, t)
resampled = []
for _ in range(400):
    rows = np.concatenate([np.flatnonzero(streams == s) for s in rng.integers(12, size=12)])
    resampled.append(fit(logs[rows], t[rows]))
json.dump({
    "q": q, "truth": truth, "stream": stream, "temperature": temperature, "standard_error": float(np.std(resampled)),
    "before": scores(logs, t, 1.0), "after": scores(logs, t, temperature),
}, sys.stdout)
