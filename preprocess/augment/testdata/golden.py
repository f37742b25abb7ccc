#!/usr/bin/env python3
"""Makes golden.json: SciPy's CubicSpline (not-a-knot), as in magnitude_warp of uchidalab/time_series_augmentation: values at
0..samples-1 of the spline through n points, evenly spaced from 0 to samples-1.

    python golden.py   # writes beside itself; needs numpy and scipy
"""
import json
import os

import numpy as np
import scipy
from scipy.interpolate import CubicSpline

rng = np.random.default_rng(2017)
cases = []
for samples, n in ((2, 6), (5, 4), (30, 6), (128, 6), (100, 9), (64, 5)):
    points = rng.normal(1.0, 0.2, n)
    values = CubicSpline(np.linspace(0, samples - 1.0, n), points)(np.arange(samples))
    cases.append({"samples": samples, "points": points.tolist(), "values": values.tolist()})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json"), "w") as f:
    body = ",\n".join(json.dumps(c) for c in cases)
    f.write(f'{{"scipy": "{scipy.__version__}", "numpy": "{np.__version__}", "splines": [\n{body}\n]}}\n')
