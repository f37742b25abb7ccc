"""Makes golden.json: what Python's edfio reads from the files of shared data/edf. Usage: golden.py FOLDER > golden.json"""

import datetime
import hashlib
import json
import pathlib
import sys
import warnings

import edfio
import numpy as np

warnings.simplefilter("ignore")
folder = pathlib.Path(sys.argv[1])


def describe(path):
    try:
        read = edfio.read_bdf if path.suffix.lower() == ".bdf" else edfio.read_edf
        f = read(path)
        start = datetime.datetime.combine(f.startdate, f.starttime)
        signals = []
        for s in f.signals:
            digital, physical = s.digital.astype("<i4"), s.data
            row = {"label": s.label, "unit": s.physical_dimension, "rate": s.sampling_frequency, "samples": len(digital)}
            row["digital_sha256"] = hashlib.sha256(digital.tobytes()).hexdigest()
            try:
                row["first"], row["last"] = physical[:2].tolist(), physical[-2:].tolist()
                row["mean"] = float(np.mean(physical, dtype=np.float64))
            except ValueError as e:
                row["error"] = str(e)
            signals.append(row)
        notes = [[a.onset, a.duration, a.text] for a in f.annotations]
        return {"start": start.isoformat(), "patient": f.local_patient_identification, "recording": f.local_recording_identification,
                "records": f.num_data_records, "record_seconds": f.data_record_duration, "signals": signals, "annotations": notes}
    except Exception as e:
        return {"error": f"{type(e).__name__}: {e}"[:200]}


paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".edf", ".bdf"))
out = {p.relative_to(folder).as_posix(): describe(p) for p in paths}
lines = [f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'), ensure_ascii=False)}" for k, v in out.items()]
print('{"edfio":"%s","files":{\n%s\n}}' % (edfio.__version__, ",\n".join(lines)))
