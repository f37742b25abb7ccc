"""Reads written.npz, which WriteNPZ made of all.safetensors, by numpy, and compares it with what the reference reader of safetensors
makes of the source: numpy 2.4.6, safetensors 0.8.0."""
import sys
import numpy as np
from safetensors.numpy import load_file

here = sys.path[0]
want, got = load_file(f"{here}/all.safetensors"), np.load(f"{here}/written.npz", allow_pickle=False)
assert sorted(got.files) == sorted(want), got.files
for name, w in want.items():
    g = got[name]
    assert g.dtype == w.dtype and g.shape == w.shape and g.tobytes() == w.tobytes(), name
print(len(want), "arrays are the same")
