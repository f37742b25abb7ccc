#!/usr/bin/env python3
"""Makes augmix_goldens.json: what Pillow and NumPy make of the operations of AugMix and of their mixture.

Needs numpy and pillow; the versions that were used are written into the file. A picture is named kind-WxH; its byte i is
k(name, i) >> 16 for noise, with k as in pseudoRandom of golden_test.go, 60 + a quarter of that for dull, and 77 for flat.

    python make_augmix_goldens.py   # writes beside itself

operations  SHA-256 of the RGB bytes after one operation, with the fill colour of MEMO's code (128, which is 128, 0, 0)
mixtures    SHA-256 of the float32 tensor [3, H, W], little endian, of whole mixtures in the float32 operations of MEMO's
            _augmix_aug: mean and std of ImageNet, given weights, given chains
crops       SHA-256 of the bytes of Image.crop and resize, as torchvision's resized_crop does it, columns first
"""
import hashlib
import json
import os
import random

import numpy as np
import PIL
from PIL import Image, ImageOps

from make_goldens import classic_resize, k24

HERE = os.path.dirname(os.path.abspath(__file__))
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)


def picture(name):
    kind, size = name.split("-")
    w, h = map(int, size.split("x"))
    v = k24(name, 3 * w * h) >> 16
    v = {"noise": v, "dull": 60 + v // 4, "flat": 0 * v + 77}[kind]
    return Image.fromarray(v.astype(np.uint8).reshape(h, w, 3))


def apply(im, kind, amount):
    def move(*a):
        return im.transform(im.size, Image.Transform.AFFINE, a, resample=Image.Resampling.BILINEAR, fillcolor=128)
    return {
        "autocontrast": lambda: ImageOps.autocontrast(im),
        "equalize": lambda: ImageOps.equalize(im),
        "rotate": lambda: im.rotate(amount, resample=Image.Resampling.BILINEAR, fillcolor=128),
        "solarize": lambda: ImageOps.solarize(im, amount),
        "shear_x": lambda: move(1, amount, 0, 0, 1, 0),
        "shear_y": lambda: move(1, 0, 0, amount, 1, 0),
        "translate_x": lambda: move(1, 0, amount, 0, 1, 0),
        "translate_y": lambda: move(1, 0, 0, 0, 1, amount),
        "posterize": lambda: ImageOps.posterize(im, amount),
    }[kind]()


def sha(a):
    return hashlib.sha256(a.tobytes()).hexdigest()


def draw(rng, w, h):
    """An operation with an amount, over the range of all severities."""
    kind = rng.choice(["autocontrast", "equalize", "rotate", "solarize", "shear_x", "shear_y", "translate_x", "translate_y",
                       "posterize"])
    sign = rng.choice([-1, 1])
    amount = {"rotate": sign * rng.randint(0, 30), "solarize": 256 - rng.randint(0, 256), "shear_x": sign * rng.uniform(0, .3),
              "shear_y": sign * rng.uniform(0, .3), "translate_x": sign * rng.randint(0, w // 3),
              "translate_y": sign * rng.randint(0, h // 3), "posterize": rng.randint(1, 4)}.get(kind, 0)
    return kind, amount


def operations(rng):
    names = ["noise-32x32", "dull-32x32", "dull-19x7", "noise-64x48", "flat-8x5", "dull-1x1", "noise-1x9", "noise-9x1",
             "dull-224x224"]
    cases = []
    for name in names:
        im = picture(name)
        todo = [draw(rng, *im.size) for _ in range(24)] + [("autocontrast", 0), ("equalize", 0)]
        if name == "noise-64x48":
            todo += [("rotate", d) for d in range(-30, 31)]
        for kind, amount in todo:
            cases.append({"picture": name, "kind": kind, "amount": amount, "sha256": sha(np.asarray(apply(im, kind, amount)))})
    return cases


def tensor(im):
    x = np.asarray(im).astype(np.float32) / np.float32(255)
    return ((x - MEAN) / STD).transpose(2, 0, 1)


def mixtures(rng):
    cases = []
    for name in ["noise-32x32", "dull-32x32", "dull-19x7", "flat-8x5", "dull-1x1", "dull-224x224"]:
        for _ in range(4):
            im = picture(name)
            w = np.float32(np.random.default_rng(rng.getrandbits(32)).dirichlet([1.0, 1.0, 1.0]))
            m = np.float32(rng.random())
            chains = [[draw(rng, *im.size) for _ in range(rng.randint(1, 3))] for _ in range(3)]
            mix = np.zeros_like(tensor(im))
            for i in range(3):
                aug = im.copy()
                for kind, amount in chains[i]:
                    aug = apply(aug, kind, amount)
                mix += w[i] * tensor(aug)
            mix = m * tensor(im) + (np.float32(1) - m) * mix
            assert mix.dtype == np.float32
            cases.append({"picture": name, "weights": [float(x) for x in w], "keep": float(m),
                          "chains": [[{"kind": k, "amount": a} for k, a in c] for c in chains], "sha256": sha(np.ascontiguousarray(mix))})
    return cases


def crops(rng):
    cases = []
    for _ in range(24):
        w, h = rng.randint(20, 120), rng.randint(20, 120)
        name = f"noise-{w}x{h}"
        cw = rng.randint(w // 3, w)
        ch = min(max(round(cw * rng.uniform(3 / 4, 4 / 3)), 1), h)
        x, y = rng.randint(0, w - cw), rng.randint(0, h - ch)
        how = rng.choice(["bilinear", "bicubic"])
        im = classic_resize(picture(name).crop((x, y, x + cw, y + ch)), (32, 32), Image.Resampling[how.upper()])
        cases.append({"picture": name, "rect": [x, y, cw, ch], "interpolation": how, "sha256": sha(np.asarray(im))})
    return cases


if __name__ == "__main__":
    rng = random.Random(20220405)
    goldens = {"operations": operations(rng), "mixtures": mixtures(rng), "crops": crops(rng)}
    lines = [f'"versions": {json.dumps({"pillow": PIL.__version__, "numpy": np.__version__})}']
    for key, cases in goldens.items():
        body = ",\n".join(json.dumps(c) for c in cases)
        lines.append(f"{json.dumps(key)}: [\n{body}\n]")
    with open(os.path.join(HERE, "augmix_goldens.json"), "w") as f:
        f.write("{\n" + ",\n".join(lines) + "\n}\n")
