"""Compares two files of JSON lines: alike.py ONE TWO. Words must be equal, numbers but for 1e-3; says by how much they differ."""

import json
import sys

MOST = 1e-3
largest = 0.0


def compare(a, b, where):
    global largest
    if type(a) in (int, float) and type(b) in (int, float):
        largest = max(largest, abs(a - b))
        if abs(a - b) > MOST:
            sys.exit(f"{where}: {a} and {b}")
    elif isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key in a:
            compare(a[key], b[key], f"{where}: {key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            compare(x, y, f"{where}[{i}]")
    elif a != b:
        sys.exit(f"{where}: {a!r} and {b!r}")


one, two = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[1:3])
if not one:
    sys.exit("no lines")
compare(one, two, "lines")
print(f"{len(one)} lines, numbers differ by at most {largest:.0e}:", end=" ")
