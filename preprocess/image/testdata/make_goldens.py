#!/usr/bin/env python3
"""Makes the pictures in pictures/ and what PIL makes of them (goldens.json).

Needs numpy and pillow; the versions that were used are written into goldens.json.  torchvision's three rules around PIL's
resize (sizes, centre crop, float32 normalisation) are written out below, from torchvision 0.29's transforms/functional.py:
this script must run where PyTorch cannot be had.

    python make_goldens.py          # writes beside itself

decoded    RGB bytes of Image.open(file).convert("RGB"), after ImageOps.exif_transpose: the SHA-256, and for JPEG files
           the bytes themselves (zlib, base64), since decoders differ by a level here and there
resized    SHA-256 of the crop's bytes for random sizes and settings; the picture's byte i is k(name, i) >> 16, with k as
           in pseudoRandom of golden_test.go
normalised SHA-256 of the tensor [3, 1, 256] (float32, little endian) of the bytes 0 to 255 in each channel
"""
import base64
import hashlib
import io
import json
import os
import random
import struct
import zlib

import numpy as np
import PIL
from PIL import Image, ImageOps

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "pictures")
M64 = (1 << 64) - 1


def k24(name, n):
    seed = 0xCBF29CE484222325
    for b in name.encode():
        seed = ((seed ^ b) * 0x100000001B3) & M64
    x = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(40)).astype(np.int64)


def scene(w, h):
    """Gradients, a saturated patch, stripes: smooth enough to stay small, sharp enough to tell filters apart."""
    y, x = np.mgrid[0:h, 0:w]
    rgb = np.stack([255 * x // max(w - 1, 1), 255 * y // max(h - 1, 1), (5 * x + 3 * y) % 256], -1)
    rgb[h // 4:h // 2, w // 4:w // 2] = (255, 0, 16)
    rgb[h // 2:, w // 2:] = np.where((x[h // 2:, w // 2:, None] // 2) % 2, (0, 40, 255), (240, 255, 0))
    return rgb.astype(np.uint8)


def put(name, data):
    with open(os.path.join(OUT, name), "wb") as f:
        f.write(data)


def save(name, im, **how):
    if isinstance(im, np.ndarray):
        im = Image.fromarray(im)
    buf = io.BytesIO()
    im.save(buf, {"jpg": "JPEG", "tif": "TIFF"}.get(name.rsplit(".")[-1], name.rsplit(".")[-1].upper()), **how)
    put(name, buf.getvalue())
    return buf.getvalue()


def resampled(data, luma, w, h):
    """A JPEG whose header claims other sampling factors and another size with equally many blocks: valid, if scrambled.
    Pillow cannot write these factors."""
    at = data.index(b"\xff\xc0")
    out = bytearray(data)
    out[at + 5:at + 9] = struct.pack(">HH", h, w)
    out[at + 11] = luma
    return bytes(out)


def png(w, h, depth, colour, rows, interlace=0):
    """A PNG of rows of bytes, all unfiltered."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    raw = b"".join(b"\0" + r for r in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, interlace))
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def adam7(rgb):
    """The rows of an interlaced RGB picture, pass by pass."""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        for row in rgb[y0::dy, x0::dx]:
            if len(row):
                yield row.tobytes()


def tiff(w, h, bits, photometric, pixels, extra=()):
    """An uncompressed little-endian TIFF of one strip."""
    samples = len(bits)
    tags = [(256, 3, [w]), (257, 3, [h]), (258, 3, bits), (259, 3, [1]), (262, 3, [photometric]), (273, 4, [8]),
            (277, 3, [samples]), (278, 3, [h]), (279, 4, [len(pixels)]), *extra]
    pixels += b"\0" * (len(pixels) % 2)
    ifd = 8 + len(pixels)
    more = ifd + 2 + 12 * len(tags) + 4
    entries, tail = b"", b""
    for tag, kind, values in sorted(tags):
        body = struct.pack("<%d%s" % (len(values), {3: "H", 4: "I"}[kind]), *values)
        if len(body) > 4:
            entries += struct.pack("<HHII", tag, kind, len(values), more + len(tail))
            tail += body
        else:
            entries += struct.pack("<HHI", tag, kind, len(values)) + body.ljust(4, b"\0")
    return (b"II*\0" + struct.pack("<I", ifd) + pixels + struct.pack("<H", len(tags)) + entries + b"\0\0\0\0" + tail)


def offset_gif(data, w, h, left, top):
    """Moves the only frame of a GIF onto a larger canvas."""
    out = bytearray(data)
    out[6:10] = struct.pack("<HH", w, h)
    at = 13 + (3 << (1 + (out[10] & 7)) if out[10] & 128 else 0)
    while out[at] == 0x21:
        at += 2
        while out[at]:
            at += 1 + out[at]
        at += 1
    assert out[at] == 0x2C
    out[at + 1:at + 5] = struct.pack("<HH", left, top)
    return bytes(out)


def exif(orientation):
    e = Image.Exif()
    e[274] = orientation
    return e


def jpegs():
    rgb = scene(67, 45)
    for name, sub in (("444", 0), ("422", 1), ("420", 2)):
        save(f"jpeg_{name}.jpg", rgb, quality=90, subsampling=sub)
        save(f"jpeg_{name}_progressive.jpg", rgb, quality=75, subsampling=sub, progressive=True)
    save("jpeg_420_even.jpg", scene(64, 48), quality=90, subsampling=2)
    save("jpeg_420_narrow.jpg", scene(4, 33), quality=90, subsampling=2)
    save("jpeg_422_narrow.jpg", scene(3, 20), quality=90, subsampling=1)
    save("jpeg_restart.jpg", rgb, quality=80, restart_marker_rows=1)
    save("jpeg_grey.jpg", Image.fromarray(rgb).convert("L"), quality=90)
    save("jpeg_rgb.jpg", rgb, quality=90, keep_rgb=True)
    base = save("jpeg_440.jpg", scene(64, 48), quality=90, subsampling=1)
    put("jpeg_440.jpg", resampled(base, 0x12, 45, 61))
    base = save("jpeg_411.jpg", scene(64, 48), quality=90, subsampling=2)
    put("jpeg_411.jpg", resampled(base, 0x41, 90, 29))
    cmyk = save("jpeg_cmyk.jpg", Image.fromarray(rgb).convert("CMYK"), quality=90)
    at = cmyk.index(b"Adobe") + 11
    assert cmyk[at] == 0
    put("jpeg_ycck.jpg", cmyk[:at] + b"\2" + cmyk[at + 1:])
    save("jpeg_orient6.jpg", rgb, quality=90, subsampling=0, exif=exif(6))
    save("jpeg_1x1.jpg", rgb[:1, :1], quality=90)
    save("jpeg_1x5000.jpg", scene(1, 5000), quality=50)


def pngs():
    rgb = scene(37, 29)
    h, w, _ = rgb.shape
    im = Image.fromarray(rgb)
    alpha = np.dstack([rgb, (np.arange(h * w).reshape(h, w) % 256).astype(np.uint8)])
    save("png_rgb.png", rgb)
    save("png_rgba.png", alpha)
    save("png_grey.png", im.convert("L"))
    save("png_grey_alpha.png", Image.fromarray(alpha).convert("LA"))
    save("png_1bit.png", im.convert("1"))
    save("png_palette.png", im.quantize(200), transparency=3)
    save("png_palette4.png", im.quantize(11), bits=4, transparency=bytes([255, 0, 100]))
    save("png_1x1.png", rgb[:1, :1])
    save("png_1x5000.png", scene(1, 5000))
    wide = (rgb.astype(">u2") * 257) ^ 0x00A5
    put("png_rgb16.png", png(w, h, 16, 2, [r.astype(">u2").tobytes() for r in wide]))
    four = np.dstack([wide, np.full((h, w), 0x1234)])
    put("png_rgba16.png", png(w, h, 16, 6, [r.astype(">u2").tobytes() for r in four]))
    put("png_grey16.png", png(w, h, 16, 0, [r.astype(">u2").tobytes() for r in wide[:, :, 2]]))
    put("png_interlaced.png", png(w, h, 8, 2, adam7(rgb), 1))
    for o in range(1, 9):
        save(f"png_orient{o}.png", scene(7, 5), exif=exif(o))


def others():
    rgb = scene(37, 29)
    h, w, _ = rgb.shape
    im = Image.fromarray(rgb)
    alpha = np.dstack([rgb, (np.arange(h * w).reshape(h, w) % 256).astype(np.uint8)])
    p = im.quantize(60)
    save("gif_whole.gif", p)
    save("gif_transparent.gif", p, transparency=5)
    put("gif_offset.gif", offset_gif(save("gif_offset.gif", p), 50, 41, 6, 9))
    put("gif_offset_transparent.gif", offset_gif(save("gif_offset_transparent.gif", p, transparency=2), 50, 41, 13, 1))
    save("bmp_24.bmp", rgb)
    save("bmp_32.bmp", alpha)
    save("bmp_8.bmp", p)
    save("bmp_1.bmp", im.convert("1"))
    save("tiff_raw.tif", rgb)
    save("tiff_lzw.tif", rgb, compression="tiff_lzw")
    save("tiff_deflate.tif", rgb, compression="tiff_adobe_deflate")
    save("tiff_packbits.tif", im.convert("L"), compression="packbits")
    save("tiff_group4.tif", im.convert("1"), compression="group4", tiffinfo={262: 0})
    save("tiff_palette.tif", p)
    save("tiff_rgba.tif", alpha)
    wide = (rgb.astype("<u2") * 257) ^ 0x00A5
    put("tiff_rgb16.tif", tiff(w, h, [16] * 3, 2, wide.astype("<u2").tobytes()))
    put("tiff_grey16.tif", tiff(w, h, [16], 1, wide[:, :, 2].astype("<u2").tobytes()))
    put("tiff_associated.tif", tiff(w, h, [8] * 4, 2, alpha.tobytes(), [(338, 3, [1])]))
    put("tiff_orient6.tif", tiff(w, h, [8] * 3, 2, rgb.tobytes(), [(274, 3, [6])]))
    # Pixels that the palette of 2 colours lacks: what CVE-2023-36308 is about.  Not in the goldens: it must be refused.
    put("bad_palette_index.tif", tiff(w, h, [8], 3, b"\xc8" * (w * h), [(320, 3, [0, 65535] * 3)]))
    save("webp_lossless.webp", rgb, lossless=True)
    save("webp_lossless_alpha.webp", alpha, lossless=True, exact=True)
    save("webp_lossy.webp", rgb, quality=80)
    save("webp_lossy_even.webp", scene(64, 48), quality=60)
    save("webp_lossy_alpha.webp", alpha, quality=80)
    save("webp_orient6.webp", rgb, lossless=True, exif=exif(6))


def decoded():
    out = {}
    for name in sorted(os.listdir(OUT)):
        if name.startswith("bad_"):
            continue
        with Image.open(os.path.join(OUT, name)) as im:
            rgb = ImageOps.exif_transpose(im).convert("RGB")
        if name in ("png_grey16.png", "tiff_grey16.tif"):
            # PIL clips samples above 255 to white; ours keeps the high byte.
            with Image.open(os.path.join(OUT, name)) as im:
                rgb = Image.fromarray((np.asarray(im).astype(np.uint16) >> 8).astype(np.uint8)).convert("RGB")
        data = rgb.tobytes()
        out[name] = {"width": rgb.width, "height": rgb.height, "sha256": hashlib.sha256(data).hexdigest()}
        if name.endswith(".jpg"):
            out[name]["rgb"] = base64.b64encode(zlib.compress(data, 9)).decode()
    return out


def torchvision_size(w, h, size):
    """_compute_resized_output_size, with one number for a size."""
    short, long = (w, h) if w <= h else (h, w)
    new_short, new_long = size, int(size * long / short)
    return (new_short, new_long) if w <= h else (new_long, new_short)


def torchvision_crop(im, ch, cw):
    """center_crop: padded with black where the picture is smaller."""
    pad = (max(cw - im.width, 0), max(ch - im.height, 0))
    padded = Image.new("RGB", (im.width + pad[0], im.height + pad[1]))
    padded.paste(im, (pad[0] // 2, pad[1] // 2))
    top, left = int(round((padded.height - ch) / 2.0)), int(round((padded.width - cw) / 2.0))
    return padded.crop((left, top, left + cw, top + ch))


def torchvision_tensor(rgb, mean, std):
    """to_tensor and normalize: every operation in float32."""
    x = rgb.transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    mean, std = (np.array(v, np.float32)[:, None, None] for v in (mean, std))
    return (x - mean) / std


def classic_resize(im, size, by):
    """PIL's resize, columns first whatever the shape.  Up to Pillow 12 that is resize itself; Pillow 13 takes the rows first
    for some pictures whose height shrinks much, which differs by a level here and there."""
    return im.resize((size[0], im.height), by).resize(size, by)


FILTERS = ("bilinear", "bicubic", "nearest", "box", "hamming", "lanczos")


def resized(n=96):
    rnd = random.Random(20261128)
    side = lambda: rnd.choice((rnd.randint(1, 9), rnd.randint(10, 300), rnd.randint(10, 300), rnd.randint(200, 700)))
    out = []
    for i in range(n):
        c = {"width": side(), "height": side(), "filter": FILTERS[i % 6], "stretch": i % 5 == 4,
             "resize": rnd.randint(1, 260), "crop_height": rnd.randint(1, 240), "crop_width": rnd.randint(1, 240)}
        if i % 7 == 3:  # one side, or both, keeps its length: that pass is not run
            c["resize"] = min(c["width"], c["height"])
            c["crop_width"] = min(c["width"], 240)
        if i % 11 == 5:
            c["resize"] = 0
        pixels = (k24(f"resize.{i}", c["width"] * c["height"] * 3) >> 16).astype(np.uint8)
        im = Image.fromarray(pixels.reshape(c["height"], c["width"], 3))
        by = Image.Resampling[c["filter"].upper()]
        if c["stretch"]:
            im = classic_resize(im, (c["crop_width"], c["crop_height"]), by)
        elif c["resize"]:
            im = classic_resize(im, torchvision_size(im.width, im.height, c["resize"]), by)
        im = torchvision_crop(im, c["crop_height"], c["crop_width"])
        c["sha256"] = hashlib.sha256(im.tobytes()).hexdigest()
        out.append(c)
    return out


def normalised():
    out = []
    ramp = Image.fromarray(np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, 2))
    for mean, std in (((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)), ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
                      ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)), ((0.1, 0.2, 0.3), (1, 1, 1))):
        x = torchvision_tensor(np.asarray(ramp), mean, std)
        out.append({"mean": mean, "std": std, "sha256": hashlib.sha256(x.astype("<f4").tobytes()).hexdigest()})
    return out


def main():
    os.makedirs(OUT, exist_ok=True)
    jpegs()
    pngs()
    others()
    goldens = {"versions": {"pillow": PIL.__version__, "numpy": np.__version__},
               "decoded": decoded(), "normalised": normalised(), "resized": resized()}
    lines = []
    for key, value in goldens.items():
        if key == "versions":
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
        elif isinstance(value, dict):
            body = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{json.dumps(key)}: {{\n{body}\n}}")
        else:
            body = ",\n".join(json.dumps(v) for v in value)
            lines.append(f"{json.dumps(key)}: [\n{body}\n]")
    with open(os.path.join(HERE, "goldens.json"), "w") as f:
        f.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
