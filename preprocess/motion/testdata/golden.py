"""Makes golden.json: resampling and filtering as SciPy does them. Usage: golden.py > golden.json"""

import json

import numpy as np
import scipy
from scipy import signal


def wave(n):
    """A deterministic signal of several frequencies that a few lines of Go can make, too, around 1 as gravity is."""
    t = np.arange(n)
    return (1 + np.sin(0.3 * t) + 0.5 * np.cos(1.7 * t + 1) + 0.01 * t + ((t * 7919) % 101) / 101).astype(np.float32).astype(np.float64)


def pick(y):
    """The first 40 values, the last 20, and the sum of squares of all."""
    return {"n": len(y), "first": y[:40].tolist(), "last": y[-20:].tolist(), "power": float(np.sum(y * y))}


resampled = []
for n, rate, to, up, down in [(300, 100, 50, 1, 2), (300, 25, 50, 2, 1), (511, 64, 25, 25, 64), (256, 128, 100, 25, 32), (1000, 30, 50, 5, 3), (3000, 75, 50, 2, 3), (5000, 100, 20, 1, 5), (64, 50, 50, 1, 1)]:
    x = wave(n)
    plain = signal.resample_poly(x, up, down, padtype="edge")
    # Divided by what a constant becomes: each position's taps sum to one.
    level = signal.resample_poly(np.ones(n), up, down, padtype="edge")
    y = plain / level
    resampled.append({"n": n, "from": rate, "to": to, "out": pick(y), "off_plain": float(np.max(np.abs(y - plain)))})

filtered = []
for order, low, high, rate, n in [(4, 0.5, 20, 50, 30000), (3, 0, 15, 50, 30000), (2, 0.25, 0, 50, 30000)]:
    kind, edges = ("bandpass", [low, high]) if low and high else ("lowpass", high) if high else ("highpass", low)
    sos = signal.butter(order, edges, kind, fs=rate, output="sos")
    x = wave(n)
    zero = signal.sosfiltfilt(sos, x)
    causal, _ = signal.sosfilt(sos, x, zi=signal.sosfilt_zi(sos) * x[0])
    filtered.append({"order": order, "low": low, "high": high, "rate": rate, "n": n, "zero_phase": pick(zero), "causal": pick(causal)})

print(json.dumps({"scipy": scipy.__version__, "resampled": resampled, "filtered": filtered}, indent=1))
