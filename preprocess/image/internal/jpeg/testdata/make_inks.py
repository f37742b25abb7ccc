#!/usr/bin/env python3
"""Makes the pictures of four components in pictures/ (CMYK and YCCK), from which make_goldens.py goes on. Needs numpy and pillow 13.

    python make_inks.py   # writes beside itself
"""
import io
import os
import struct

import numpy as np
from PIL import Image

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures")
rng = np.random.default_rng(12)


def scene(w, h):
    y, x = np.mgrid[0:h, 0:w]
    p = np.stack([127 + 90 * np.sin(x / 7 + k) + 30 * np.cos(y / 5 * (k + 1)) for k in range(4)], -1) + rng.normal(0, 8, (h, w, 4))
    return Image.frombytes("CMYK", (w, h), np.clip(p, 0, 255).astype(np.uint8).tobytes())


def jpeg(im, **kw):
    b = io.BytesIO()
    im.save(b, "JPEG", quality=85, **kw)
    return b.getvalue()


def transform(data, t):
    """Adobe's mark says what the planes are: 0 inks, 2 luma and chroma and black."""
    at = data.index(b"Adobe") + 11
    return data[:at] + bytes([t]) + data[at + 1:]


def unmarked(data):
    at = data.index(b"\xff\xee")
    return data[:at] + data[at + 2 + struct.unpack(">H", data[at + 2:at + 4])[0]:]


def resampled(data, factors, w, h):
    """Takes the same blocks for those of other sampling factors: another picture, of as many blocks."""
    data = bytearray(data)
    at = data.index(b"\xff\xc0")
    data[at + 5:at + 9] = struct.pack(">HH", h, w)
    for i, f in enumerate(factors):
        data[at + 11 + 3 * i] = f
    return bytes(data)


def put(name, data):
    with open(os.path.join(OUT, name), "wb") as f:
        f.write(data)


base = jpeg(scene(83, 61))
put("inks_noadobe.jpg", unmarked(base))
put("inks_sampled.jpg", jpeg(scene(83, 61), subsampling=1))
put("inks_luma_sampled.jpg", transform(jpeg(scene(83, 61), subsampling=1), 2))
put("inks_luma_both.jpg", transform(resampled(jpeg(scene(48, 48)), [0x21, 0x11, 0x11, 0x21], 93, 32), 2))
put("inks_progressive.jpg", unmarked(jpeg(scene(83, 61), progressive=True)))
luma = transform(jpeg(scene(83, 61), restart_marker_blocks=8), 2)
put("damaged_inks.jpg", base[:len(base) * 2 // 3])
put("damaged_inks_luma.jpg", luma[:len(luma) // 2] + b"\xff\xd9")
at = luma.index(b"\xff\xd3")
put("damaged_inks_lostrst.jpg", luma[:at] + luma[at + 2:])
