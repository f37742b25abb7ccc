"""Makes golden.json: Butterworth filters and polyphase resampling as SciPy does them. Usage: golden.py > golden.json"""

import json

import numpy as np
import scipy
from scipy import signal


def wave(n):
    """A deterministic signal of several frequencies that a few lines of Go can make, too."""
    t = np.arange(n)
    return np.sin(0.3 * t) + 0.5 * np.cos(1.7 * t + 1) + 0.01 * t + ((t * 7919) % 101) / 101


def pick(y):
    """Every value of the first 40 and of the last 20, and the sum of squares of all."""
    return {"n": len(y), "first": y[:40].tolist(), "last": y[-20:].tolist(), "power": float(np.sum(y * y))}


filters = []
for order, low, high, rate in [(4, 0.3, 35, 100), (2, 0.5, 30, 256), (4, 0, 40, 128), (3, 0.5, 0, 100), (1, 1, 4, 50), (5, 8, 12, 200), (4, 0.3, 35, 512)]:
    kind, edges = ("bandpass", [low, high]) if low and high else ("lowpass", high) if high else ("highpass", low)
    sos = signal.butter(order, edges, kind, fs=rate, output="sos")
    x = wave(700)
    zero = signal.sosfiltfilt(sos, x)
    causal, _ = signal.sosfilt(sos, x, zi=signal.sosfilt_zi(sos) * x[0])
    filters.append({"order": order, "low": low, "high": high, "rate": rate, "zero_phase": pick(zero), "causal": pick(causal)})

resampled = []
for n, up, down in [(300, 1, 2), (300, 2, 1), (511, 25, 64), (256, 100, 128), (100, 3, 7), (50, 7, 3), (3, 1, 2), (64, 1, 1), (1000, 25, 128)]:
    resampled.append({"n": n, "up": up, "down": down, "out": pick(signal.resample_poly(wave(n), up, down))})

print(json.dumps({"scipy": scipy.__version__, "filters": filters, "resampled": resampled}, indent=1))
