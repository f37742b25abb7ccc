"""Tests of the module in a wheel that is installed: python -m unittest, with the repository's samples in OATTA_SAMPLES."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
import warnings
from pathlib import Path

import numpy as np

import oatta

try:
    import pandas as pd
except ImportError:
    pd = None

SAMPLES = Path(os.environ.get("OATTA_SAMPLES", Path(__file__).parents[3] / "datasets" / "samples"))


def predictions(items: int = 60, classes: int = 3) -> np.ndarray:
    """Probabilities of a classifier that errs on classes that stay for ten items."""
    draw = np.random.default_rng(1)
    truth = np.repeat(np.arange(items // 10) % classes, 10)
    scores = draw.gamma(1.0, size=(items, classes))
    scores[np.arange(items), truth] += 1.5
    return scores / scores.sum(axis=1, keepdims=True)


class Filter(unittest.TestCase):
    def test_arrays(self) -> None:
        q = predictions()
        p = oatta.filter(q)
        self.assertEqual(p.shape, q.shape)
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
        self.assertGreater(np.abs(p - q).max(), 0.01)

    def test_the_future_matters_with_smooth_alone(self) -> None:
        q = predictions()
        np.testing.assert_array_equal(oatta.filter(q)[:30], oatta.filter(q[:30]))
        self.assertGreater(np.abs(oatta.filter(q, smooth=True)[:30] - oatta.filter(q[:30], smooth=True)).max(), 1e-6)

    def test_streams_are_apart(self) -> None:
        q = predictions()
        both = np.stack([q, q[::-1]], axis=1).reshape(-1, 3)
        p = oatta.filter(both, streams=["a", "b"] * len(q))
        np.testing.assert_array_equal(p[0::2], oatta.filter(q))
        np.testing.assert_array_equal(p[1::2], oatta.filter(np.ascontiguousarray(q[::-1])))

    def test_lines_of_a_lag_come_back_in_order(self) -> None:
        q = predictions()
        both = np.stack([q, q[::-1]], axis=1).reshape(-1, 3)
        p = oatta.filter(both, streams=np.array(["a", "b"] * len(q)), lag=5)
        np.testing.assert_allclose(p[0::2], oatta.filter(q, lag=5), atol=1e-12)

    def test_times_matter(self) -> None:
        q = predictions()
        start = np.datetime64("2026-01-01T00:00:00")
        times = start + np.arange(len(q)).astype("timedelta64[s]")
        times[30:] += np.timedelta64(30, "D")
        p = oatta.filter(q, times=[f"{t}Z" for t in times])
        self.assertGreater(np.abs(p - oatta.filter(q)).max(), 1e-6)

    def test_some_times_are_not_known(self) -> None:
        q = predictions()[:3]
        known = ["2026-05-01T06:00:00Z", None, "2026-05-01T06:02:00Z"]
        np.testing.assert_allclose(oatta.filter(q, times=known).sum(axis=1), 1, atol=1e-9)
        if pd is not None:
            frame = pd.DataFrame(q).assign(at=pd.to_datetime(known))
            np.testing.assert_array_equal(oatta.filter(frame, times="at").to_numpy(), oatta.filter(q, times=known))

    def test_details(self) -> None:
        q = predictions()
        d = oatta.filter_details(q, viterbi=True)
        self.assertEqual(d.labels.shape, (60,))
        self.assertTrue(((d.gates >= 0) & (d.gates <= 1)).all())
        self.assertTrue(set(d.labels) <= {0, 1, 2})

    def test_nothing(self) -> None:
        self.assertEqual(oatta.filter(np.zeros((0, 4))).shape, (0, 4))

    def test_shapes(self) -> None:
        for q in (np.ones(3), np.ones((3, 1)), np.ones((2, 2, 2))):
            with self.assertRaisesRegex(ValueError, "want \\[items, classes\\]"):
                oatta.filter(q)
        with self.assertRaisesRegex(ValueError, "streams are 2: want 60"):
            oatta.filter(predictions(), streams=["a", "b"])

    def test_words_of_the_program(self) -> None:
        q = predictions()
        q[7, 1] = np.nan
        with self.assertRaises(oatta.Error) as caught:
            oatta.filter(q)
        self.assertIn("8", str(caught.exception))
        with self.assertRaisesRegex(oatta.Error, "gate"):
            oatta.filter(predictions(), gate="ajar")

    @unittest.skipIf(pd is None, "pandas is not installed")
    def test_frames(self) -> None:
        q = predictions()
        frame = pd.DataFrame(q, columns=["fox", "deer", "empty"], index=[f"item{i}" for i in range(len(q))])
        p = oatta.filter(frame)
        self.assertEqual(list(p.columns), list(frame.columns))
        self.assertEqual(list(p.index), list(frame.index))
        np.testing.assert_array_equal(p.to_numpy(), oatta.filter(q))
        frame["camera"] = "north"
        frame["at"] = pd.date_range("2026-01-01", periods=len(q), freq="min", tz="UTC")
        p = oatta.filter(frame, streams="camera", times="at")
        self.assertEqual(list(p.columns), ["fox", "deer", "empty"])


class Program(unittest.TestCase):
    def test_version(self) -> None:
        found = oatta.version()
        self.assertRegex(found["version"], r"^\d+\.\d+\.\d+")

    def test_is_the_one_of_the_wheel(self) -> None:
        self.assertTrue(os.path.samefile(os.path.dirname(oatta.program()), os.path.dirname(sys.executable)))

    def test_as_a_module(self) -> None:
        out = subprocess.run([sys.executable, "-m", "oatta", "version"], stdout=subprocess.PIPE, check=True).stdout
        self.assertIn(b"oatta", out)


def engine() -> bool:
    return "version" in oatta.version().get("onnxruntime", {})


class Run(unittest.TestCase):
    def test_without_a_network_the_program_says_what_to_do(self) -> None:
        env = dict(os.environ, OATTA_ORT_LIB="", OATTA_CACHE=os.devnull)
        saved = dict(os.environ)
        os.environ.update(env)
        try:
            if engine():
                self.skipTest("the system has a library")
            with self.assertRaisesRegex(oatta.Error, "setup"):
                oatta.run_records("images", SAMPLES / "heron")
        finally:
            os.environ.clear()
            os.environ.update(saved)

    def test_nothing_there(self) -> None:
        with self.assertRaises(oatta.Error) as caught:
            oatta.run_records("images", SAMPLES / "nothing-there")
        self.assertIn("nothing-there", str(caught.exception))
        self.assertEqual(caught.exception.code, 2)

    def test_the_heron(self) -> None:
        if not engine():
            self.skipTest("no ONNX Runtime")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            records = oatta.run_records("images", SAMPLES / "heron", metadata=SAMPLES / "heron.csv", causal=True)
        self.assertEqual(len(records), 10)
        self.assertEqual({r["label"] for r in records} >= {"pelican"}, True)
        if pd is None:
            return
        table = oatta.run("images", SAMPLES / "heron", metadata=SAMPLES / "heron.csv", causal=True)
        self.assertEqual(len(table), 10)
        self.assertIn("adapted_label", table.columns)


if __name__ == "__main__":
    unittest.main()
