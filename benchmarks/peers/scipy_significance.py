"""Writes the golden of package significance: signed-rank tests by SciPy and Holm's correction by statsmodels.

    python scipy_significance.py > ../significance/testdata/golden.json

Needs NumPy, SciPy 1.13 or later and statsmodels. A p-value that is not a number is written as null.
"""
import json
import math
import warnings

import numpy
import scipy
import statsmodels
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests


def number(x):
    return None if math.isnan(x) else float(x)


def test(name, d):
    d = [float(v) for v in d]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of samples without a rank
        statistic, p = wilcoxon(d)
    return {"name": name, "differences": d, "statistic": number(statistic), "p": number(p)}


def tests(r):
    yield test("one", [2])
    for n in range(2, 61):  # SciPy refuses a single zero
        yield test(f"whole numbers, {n}", r.integers(-5, 6, n))
        yield test(f"distinct, {n}", (r.permutation(n) + 1) * r.choice([-1, 1], n))
        yield test(f"shifted, {n}", numpy.round(r.normal(0.4, 1, n), 6))
        yield test(f"all zero, {n}", numpy.zeros(n))
        yield test(f"one is not zero, {n}", numpy.eye(1, n, n // 2)[0] * -3)
        yield test(f"all equal, {n}", numpy.ones(n))
        yield test(f"all of one sign, {n}", numpy.arange(1, n + 1))
        yield test(f"pairs of ties, {n}", numpy.array([(i // 2 + 1) * (-1) ** r.integers(0, 2) for i in range(n)]))
        yield test(f"a zero among distinct ones, {n}", numpy.concatenate([[0], numpy.arange(1, n) * r.choice([-1, 1], n - 1)]))


def corrections(r):
    for m in range(1, 9):
        for kind in ["uniform", "small", "ties", "ones"]:
            p = {"uniform": r.random(m), "small": r.random(m) ** 6, "ties": r.integers(1, 4, m) / 64, "ones": numpy.ones(m)}[kind]
            yield {"p": [float(v) for v in p], "adjusted": [float(v) for v in multipletests(p, method="holm")[1]]}


r = numpy.random.default_rng(20260128)
golden = {
    "made_by": "benchmarks/peers/scipy_significance.py",
    "versions": {"numpy": numpy.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__},
    "wilcoxon": list(tests(r)),
    "holm": list(corrections(r)),
}
print("{")
for i, (key, value) in enumerate(golden.items()):
    end = "," if i < len(golden) - 1 else ""
    if isinstance(value, list):  # a case a line
        print(f'"{key}": [\n' + ",\n".join(json.dumps(v) for v in value) + f"\n]{end}")
    else:
        print(f'"{key}": {json.dumps(value)}{end}')
print("}")
