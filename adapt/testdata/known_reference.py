"""Labels that are known for certain among predictions: goldens of the references beside this file.

`python3 known_reference.py` (needs numpy) writes known_golden.json anew.

The paper's modes take a known label for a prediction that is 1 there and 0 elsewhere; what auto and its hindsight make of one is in their references,
by the name `known`. A label that is known need not be likely: here every third is one that the predictor thinks little of.
"""
import json
import pathlib

import numpy as np

import auto2_reference
import auto3_reference
import hindsight_reference as hindsight
import oatta_reference

GATES = ("off", "ewma", "window")


def labels(rng, q, share):
    """A class by item, or None; the most likely class two times of three, else any."""
    likely = [int(k) if rng.random() < 2 / 3 else int(rng.integers(q.shape[1])) for k in q.argmax(1)]
    return [k if rng.random() < share else None for k in likely]


def certain(q, known):
    return [v if k is None else np.eye(len(v))[k] for v, k in zip(q, known)]


def causal(f, q, known, told):
    """The answers of a filter, whose step is told of known labels or takes certain predictions for what they are."""
    steps = zip(certain(q, known), known)
    out = [f.step(v, k is not None)[0] if told else f.step(v)[0] for v, k in steps]
    return np.array([v if k is None else np.eye(len(v))[k] for v, k in zip(out, known)])


def rounded(x):
    return np.round(np.asarray(x), 13).tolist()


def case(rng, note, q, share, lag, **config):
    K, known = q.shape[1], labels(rng, q, share)
    out = dict(note=note, K=K, lag=lag, config={k: np.asarray(v).tolist() for k, v in config.items()}, q=q.tolist(), known=[-1 if k is None else k for k in known])
    for edition, auto in (("auto2", auto2_reference.Auto2), ("auto3", auto3_reference.Auto3)):
        out[edition] = rounded(causal(auto(K, **config), q, known, True))
    if not config:
        out["paper"] = {g: rounded(causal(oatta_reference.Paper(K, gate=None if g == "off" else g), q, known, False)) for g in GATES}
    h = hindsight.Hindsight(q, known=known, **config)
    out.update(smoothed=rounded(h.smooth()), path=h.viterbi().tolist(), lagged=rounded(hindsight.lagged(q, lag, known=known, **config)))
    return out


def golden(seed=20261129):
    rng, cases = np.random.default_rng(seed), []
    add = lambda *args, **config: cases.append(case(rng, *args, **config))
    stay = lambda K, sure: lambda y: y if rng.random() < sure else int(rng.integers(K))
    around = lambda K, sure: lambda y: (y + 1) % K if rng.random() < sure else int(rng.integers(K))
    for K, T in ((2, 50), (3, 50), (5, 50), (20, 30)):
        P, f = hindsight.normalised(rng.dirichlet(np.ones(K), K) + 2 * np.eye(K)), rng.dirichlet(np.full(K, 5.0))
        q = hindsight.stream(rng, K, T, stay(K, 0.9))
        add("stays", q, 0.15, 4)
        add("stays, population", q, 0.15, 3, population=P, frequencies=f)
        add("without order", hindsight.stream(rng, K, T, stay(K, 0.0)), 0.1, 2)
    add("cycle, a matrix", hindsight.stream(rng, 3, 300, around(3, 0.8), 2.0), 0.1, 4)
    add("window moves", hindsight.stream(rng, 3, 330, stay(3, 0.9)), 0.05, 7)
    add("all known but one", hindsight.stream(rng, 3, 20, stay(3, 0.8)), 0.95, 3)
    add("all known", hindsight.stream(rng, 3, 12, stay(3, 0.8)), 1.0, 3)
    add("prior", hindsight.stream(rng, 3, 40, stay(3, 0.8)), 0.2, 3, prior=[0.6, 0.3, 0.1])
    return dict(seed=seed, cases=cases)


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    with open(here / "known_golden.json", "w") as file:
        json.dump(golden(), file, separators=(",", ":"))
        file.write("\n")
