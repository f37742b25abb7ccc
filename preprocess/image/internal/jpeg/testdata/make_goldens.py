#!/usr/bin/env python3
"""Makes goldens.json: what Pillow's libjpeg-turbo makes of the files in pictures/, damaged ones included.

Needs numpy and pillow; the versions that were used are written into the file. The files themselves cannot be made by Pillow: those called
arith, s_, sp_, prog_ and plain are cjpeg's of libjpeg-turbo 3.1, of a picture of waves and noise (-arithmetic, -sample, -progressive,
-restart), those called inks are make_inks.py's; damaged_* are such files that were cut, or in which a few bytes were changed, left out or
added.

    python make_goldens.py   # writes beside itself

Each file: width, height, and the SHA-256 of the bytes of all planes at full size, sample by sample: grey, Y, Cb, Cr, or inks.
"""
import hashlib
import json
import os

import PIL
from PIL import Image, ImageFile, features

HERE = os.path.dirname(os.path.abspath(__file__))
ImageFile.LOAD_TRUNCATED_IMAGES = True

goldens = {}
for name in sorted(os.listdir(os.path.join(HERE, "pictures"))):
    with Image.open(os.path.join(HERE, "pictures", name)) as im:
        if im.mode == "RGB":
            im.draft("YCbCr", im.size)
        im.load()
        goldens[name] = {"width": im.width, "height": im.height, "sha256": hashlib.sha256(im.tobytes()).hexdigest()}
with open(os.path.join(HERE, "goldens.json"), "w") as f:
    body = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in goldens.items())
    versions = {"pillow": PIL.__version__, "libjpeg-turbo": features.version("libjpeg_turbo")}
    f.write(f'{{"versions": {json.dumps(versions)},\n"decoded": {{\n{body}\n}}}}\n')
