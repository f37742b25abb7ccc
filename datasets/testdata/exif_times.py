"""Writes exif_times.tsv: what Pillow reads of the capture times of the pictures under shared/data/cameratrap/images.

Usage: python exif_times.py SHARED > exif_times.tsv        (made with Pillow 13.0.0)
Columns: file, DateTimeOriginal, SubSecTimeOriginal, OffsetTimeOriginal; else those of DateTimeDigitized, else DateTime.
"""
import os
import sys

from PIL import Image

SOURCES = [(36867, 37521, 36881), (36868, 37522, 36882), (306, 37520, 36880)]


def tags(path):
    with Image.open(path) as im:
        exif = im.getexif()
        return {**dict(exif), **dict(exif.get_ifd(0x8769))}


def main(shared):
    root = os.path.join(shared, "data", "cameratrap", "images")
    rows = []
    for folder, _, files in os.walk(root):
        for name in files:
            if name == "index.json":
                continue
            path = os.path.join(folder, name)
            t = tags(path)
            cells = ["", "", ""]
            for source in SOURCES:
                if str(t.get(source[0], "")).strip("\0 ") not in ("", "0000:00:00 00:00:00"):
                    cells = [str(t.get(tag) or "").strip("\0 ") for tag in source]
                    break
            rows.append([os.path.relpath(path, root).replace(os.sep, "/")] + cells)
    for row in sorted(rows):
        print("\t".join(row))


main(sys.argv[1])
