"""Classifiers on ordered streams, before and after an order-aware filter.

A thin module over the program ``oatta``, which comes in the same wheel: it writes what the program reads, and reads what it writes.

    import numpy, oatta
    adapted = oatta.filter(numpy.array([[0.7, 0.3], [0.4, 0.6]]))
    table = oatta.run("images", "pictures/", metadata="times.csv")

What the program refuses is an :class:`Error` with the program's words.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

import numpy as np

from ._program import Error, call, program

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd  # type: ignore[import-untyped,import-not-found,unused-ignore]

__all__ = ["Error", "Filtered", "PartialFailure", "call", "filter", "filter_details", "program", "run", "run_records", "version"]

Probabilities = TypeVar("Probabilities", "npt.NDArray[np.float64]", "pd.DataFrame")
Option = Union[None, bool, int, float, str, "os.PathLike[str]"]
Column = Union[str, Sequence[Any], "npt.NDArray[Any]", None]


class PartialFailure(UserWarning):
    """Some items could not be answered; the others were. The text is the program's."""


class Filtered(NamedTuple):
    """What the filter says of each item, in the order of the input."""

    adapted: npt.NDArray[np.float64]  # [items, classes], probabilities
    labels: npt.NDArray[np.int64]  # [items], positions of classes; with viterbi of the most probable path
    gates: npt.NDArray[np.float64]  # [items], in [0, 1]: the share of the answer that owes itself to order


def filter(q: Probabilities, streams: Column = None, times: Column = None, **options: Option) -> Probabilities:
    """Adapted probabilities of predictions that another program made, of the same type as ``q``.

    q: probabilities of classes, [items, classes], in the order in which the items came: an array, or a DataFrame with a column a class.
    streams: which stream each item is of, [items], or the name of a column of ``q``; None: all are of one stream.
    times: when each item came, [items], as anything that prints as a date and time, or the name of a column of ``q``; None, or None or NaT
        for an item: not known.
    options: flags of ``oatta filter``: ``smooth=True`` is ``--smooth``, ``long_gap="2h"`` is ``--long-gap 2h``.

    Of a DataFrame the columns of classes come back, with the same index.
    """
    if isinstance(q, np.ndarray):
        return filter_details(q, streams, times, **options).adapted
    named = [c for c in (streams, times) if isinstance(c, str)]
    classes = q.drop(columns=named)
    adapted = filter_details(q, streams, times, **options).adapted
    return type(q)(adapted, index=classes.index, columns=classes.columns)


def filter_details(q: Any, streams: Column = None, times: Column = None, **options: Option) -> Filtered:
    """What :func:`filter` returns as an array, with labels and gates."""
    if isinstance(streams, str):
        q, streams = q.drop(columns=[streams]), q[streams].tolist()
    if isinstance(times, str):
        q, times = q.drop(columns=[times]), q[times].tolist()
    values = np.asarray(q, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"q has shape {values.shape}: want [items, classes], of two classes or more")
    if len(values) == 0:
        return Filtered(values, np.zeros(0, np.int64), np.zeros(0))
    lines = _lines(values, _column("streams", streams, len(values)), _column("times", times, len(values)))
    out = call(["filter", "--format", "jsonl", "--on-error", "stop", "--quiet", *_flags(options), "-"], "".join(lines).encode())
    adapted, labels, gates = np.empty_like(values), np.zeros(len(values), np.int64), np.zeros(len(values))
    for line in out.splitlines():
        item = json.loads(line)
        i = int(item["id"])
        adapted[i], labels[i], gates[i] = item["adapted"], int(item["adapted_label"]), item["gate"]
    return Filtered(adapted, labels, gates)


def run(kind: str, inputs: Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]], **options: Option) -> pd.DataFrame:
    """Classify raw data and return a DataFrame with a row an item; needs pandas.

    kind: images, motion, sleep or text.
    inputs: a file or folder, or several.
    options: flags of ``oatta run KIND``: ``causal=True`` is ``--causal``, ``model="net.onnx"`` is ``--model net.onnx``.

    The columns are the fields of the JSON lines that the program writes, among them ``label``, ``prob``, ``adapted_label`` and
    ``adapted_prob``. Items that failed have an ``error``, and a :class:`PartialFailure` warns of them.
    """
    import pandas

    return pandas.DataFrame(run_records(kind, inputs, **options))


def run_records(
    kind: str, inputs: Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]], **options: Option
) -> List[Dict[str, Any]]:
    """What :func:`run` returns, as a list with a dictionary an item, without pandas."""
    names = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "results.jsonl")
        call(["run", kind, "--format", "jsonl", "-o", out, *_flags(options), "--", *[os.fspath(n) for n in names]], partial=_warn)
        with open(out, encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
    return [r for r in records if "classes" not in r or len(r) > 1]  # the first line may name the classes


def version() -> Dict[str, Any]:
    """Versions of the program, of Go and of ONNX Runtime, as ``oatta version --json`` tells them."""
    found: Dict[str, Any] = json.loads(call(["version", "--json"]))
    return found


def _warn(message: str) -> None:
    warnings.warn(message, PartialFailure, stacklevel=4)


# _column returns what was given for each item as text; what is missing (None, NaN, NaT) is empty.
def _column(name: str, values: Any, items: int) -> Optional[List[str]]:
    if values is None:
        return None
    texts = ["" if v is None or v != v else str(v) for v in (values.tolist() if hasattr(values, "tolist") else values)]
    if len(texts) != items:
        raise ValueError(f"{name} are {len(texts)}: want {items}, one an item")
    return texts


def _lines(values: npt.NDArray[np.float64], streams: Optional[List[str]], times: Optional[List[str]]) -> Iterable[str]:
    for i, probs in enumerate(values.tolist()):
        item = {"id": str(i), "stream": streams[i] if streams else "all", "probs": probs}
        if times and times[i]:
            item["time"] = times[i]
        yield json.dumps(item) + "\n"


def _flags(options: Mapping[str, Option]) -> List[str]:
    """Keywords as flags; what is None is left out."""
    out: List[str] = []
    for name, value in options.items():
        if value is None:
            continue
        text = value if isinstance(value, str) else os.fspath(value) if isinstance(value, os.PathLike) else json.dumps(value)
        out.append(f"--{name.strip('_').replace('_', '-')}={text}")
    return out
