"""Writes metrics_golden.json: predictions drawn at random and what scikit-learn makes of them.

    python metrics_golden.py > metrics_golden.json

Each case has the truth and the probabilities of every item, the most probable class being the label. NLL and Brier score over
several classes are written out here, in NumPy.
"""
import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn import metrics

warnings.simplefilter("ignore")  # classes that are predicted and never true, which is the point of a case


def case(name, seed, items, prior, sharpness, silent=()):
    """prior: of the true classes; silent: classes that are never predicted."""
    rng = np.random.default_rng(seed)
    k = len(prior)
    truth = rng.choice(k, items, p=np.array(prior) / sum(prior))
    z = rng.normal(size=(items, k)) + sharpness * np.eye(k)[truth]
    z[:, list(silent)] -= 50
    p = np.exp(z - z.max(1, keepdims=True))
    p = np.round(p / p.sum(1, keepdims=True), 6)
    p[np.arange(items), p.argmax(1)] += 1 - p.sum(1)
    label = p.argmax(1)
    every = sorted(set(truth) | set(label))
    precision, recall, f1, support = metrics.precision_recall_fscore_support(truth, label, labels=every, zero_division=0)
    return {
        "name": name,
        "truth": truth.tolist(),
        "p": np.round(p, 6).tolist(),
        "accuracy": metrics.accuracy_score(truth, label),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, label),
        "macro_f1": metrics.f1_score(truth, label, average="macro", zero_division=0),
        "weighted_f1": metrics.f1_score(truth, label, average="weighted", zero_division=0),
        "kappa": metrics.cohen_kappa_score(truth, label),
        "nll": float(-np.log(np.maximum(np.round(p, 6)[np.arange(items), truth], 1e-15)).mean()),
        "brier": float(((np.round(p, 6) - np.eye(k)[truth]) ** 2).sum(1).mean()),
        "classes": [int(c) for c in every],
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "f1": f1.tolist(),
        "support": support.tolist(),
        "confusion": metrics.confusion_matrix(truth, label, labels=every).tolist(),
    }


cases = [
    case("two classes", 1, 60, [1, 1], 1.0),
    case("stages of sleep", 2, 150, [30, 6, 45, 12, 18], 1.5),
    case("a rare class that is never predicted", 3, 80, [10, 10, 1], 1.0, silent=[2]),
    case("a class that never occurs", 4, 60, [1, 1, 0, 1], 0.3),
    case("guesses", 5, 100, [1, 2, 3], 0.0),
    case("all right", 6, 20, [1, 1, 1], 30.0),
]
json.dump({"scikit-learn": sklearn.__version__, "numpy": np.__version__, "cases": cases}, sys.stdout)
print()
