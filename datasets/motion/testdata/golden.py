"""Makes golden.json: what actipy and pygt3x read in the files of generate.py. Usage: golden.py golden.json

Needs the packages actipy (and Java) and pygt3x. Of each recording: how many samples, every 7th time and sample, and the sum of all values.
"""

import glob
import json
import os
import sys
from importlib.metadata import version

import actipy
import numpy as np
from pygt3x.reader import FileReader

here = os.path.dirname(os.path.abspath(__file__))


def picked(times, values):
    """times in seconds since the first."""
    times = np.asarray(times, dtype=float)
    values = np.asarray(values, dtype=float)
    return {
        "n": len(times),
        "times": [round(t, 6) for t in (times[::7] - times[0]).tolist()],
        "values": [[round(v, 9) for v in row] for row in values[::7].tolist()],
        "sums": values.sum(axis=0).tolist(),
    }


def by_actipy(path):
    try:
        data, info = actipy.read_device(path, resample_hz=None, lowpass_hz=None, calibrate_gravity=False, detect_nonwear=False, verbose=False)
    except Exception as e:  # what it does not read is part of the record
        return {"error": type(e).__name__}
    names = [c for c in data.columns if c not in ("temperature", "light")]
    out = picked(data.index.view("int64") / 1e9, data[names].to_numpy())
    out["start"] = data.index[0].isoformat()
    out["columns"] = names
    out["rate"] = info.get("SampleRate")
    return out


def by_pygt3x(path):
    try:
        with FileReader(path) as r:
            a = r.acceleration
            scale = r.info.acceleration_scale or (256 if r.info.serial_number.startswith("MOS") else 341)
            xyz = a[:, 1:4] if r.nhanes else np.round(a[:, 1:4] / scale, 3)
            keep = a[:, 4] == 0  # not filled in for idle sleep
            out = picked(a[keep, 0], xyz[keep])
            return out
    except Exception as e:
        return {"error": type(e).__name__}


golden = {"versions": {p: version(p) for p in ("actipy", "pygt3x")}, "actipy": {}, "pygt3x": {}}
for path in sorted(glob.glob(os.path.join(here, "*.cwa")) + glob.glob(os.path.join(here, "*.gt3x"))):
    name = os.path.basename(path)
    golden["actipy"][name] = by_actipy(path)
    if name.endswith(".gt3x"):
        golden["pygt3x"][name] = by_pygt3x(path)
with open(sys.argv[1], "w") as f:
    json.dump(golden, f, separators=(",", ":"))
