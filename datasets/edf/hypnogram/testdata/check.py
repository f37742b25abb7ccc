"""Reads stages.edf with three other programs and compares what they find. Usage: check.py (edfio, mne, pyedflib)."""

import pathlib

import edfio
import mne
import pyedflib

path = str(pathlib.Path(__file__).parent / "stages.edf")
# The start is 22:30:05.5 and the first epoch 12 seconds later; the file counts from 22:30:05.
want = [(12.5, 60, "W"), (72.5, 30, "N1"), (102.5, 60, "N2"), (162.5, 30, "N3"), (192.5, 30, "?"), (222.5, 30, "R"), (252.5, 30, "W")]
want = [(onset, float(duration), "Sleep stage " + stage) for onset, duration, stage in want]

f = edfio.read_edf(path)
assert [(a.onset, a.duration, a.text) for a in f.annotations] == want
assert (f.startdate.isoformat(), f.starttime.isoformat()) == ("2020-02-03", "22:30:05")

a = mne.read_annotations(path)
assert list(zip(a.onset.tolist(), a.duration.tolist(), a.description.tolist())) == want

with pyedflib.EdfReader(path) as r:
    onset, duration, text = r.readAnnotations()
    assert list(zip(onset.tolist(), [float(d) for d in duration], text.tolist())) == want
    assert r.getStartdatetime().isoformat() == "2020-02-03T22:30:05"
print("edfio", edfio.__version__, "mne", mne.__version__, "pyedflib", pyedflib.__version__, "agree")
