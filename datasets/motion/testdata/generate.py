"""Makes small recordings in the formats of Axivity and ActiGraph, from the descriptions of the formats alone:

  https://github.com/openmovementproject/openmovement, Docs/ax3/cwa.h
  https://github.com/actigraph/GT3X-File-Format and https://github.com/actigraph/NHANES-GT3X-File-Format

Usage: generate.py FOLDER. The bytes are the same every time. Needs Python alone.
"""

import math
import os
import struct
import sys
import zipfile
from datetime import datetime, timedelta


def wave(i, axis):
    """A movement in g that has all signs and sizes: up to 3 g."""
    return (1 if axis == 2 else 0) + (0.2 + 1.8 * ((i // 100) % 3 == 2)) * math.sin(0.31 * i + axis) + 0.01 * ((i * 7919 + axis) % 13)


# --- Axivity


def stamp(t):
    return (t.year - 2000) << 26 | t.month << 22 | t.day << 17 | t.hour << 12 | t.minute << 6 | t.second


def header(device, hardware, rate_code, annotation=b""):
    h = bytearray(b"\xff" * 1024)
    h[0:4] = struct.pack("<2sH", b"MD", 1020)
    h[4] = hardware
    struct.pack_into("<H", h, 5, device)
    struct.pack_into("<I", h, 7, 77)
    struct.pack_into("<H", h, 11, 0)
    struct.pack_into("<III", h, 13, 0, 0xFFFFFFFF, 0)
    h[35] = 0 if hardware == 0x17 else 2
    h[36] = rate_code
    struct.pack_into("<I", h, 37, stamp(datetime(2024, 2, 28, 12)))
    h[41] = 44
    h[64 : 64 + len(annotation)] = annotation
    return bytes(h)


def pack10(x, y, z):
    """Three numbers as 10 bits each with the least exponent that holds them."""
    e = 0
    while e < 3 and any(not -512 <= v >> e <= 511 for v in (x, y, z)):
        e += 1
    return e << 30 | ((z >> e) & 0x3FF) << 20 | ((y >> e) & 0x3FF) << 10 | (x >> e) & 0x3FF


def block(sequence, seconds, first, count, rate_code, axes, packed, fraction=False, temperature=250, session=77):
    """A block whose first sample is sample number first, at second seconds of 28 February 2024, 23:59:00."""
    rate = 3200 / (1 << (15 - (rate_code & 15)))
    # The stamp is a whole second, and the offset the sample at which it was true.
    whole = math.floor(seconds) + 1
    offset = round((whole - seconds) * rate)
    part = 0x0123  # device, as old firmware has it
    if fraction:
        # the exact time of sample offset, in 15 bits, and the offset moved back by the whole samples of the fraction
        late = offset / rate - (whole - seconds)
        if late < 0:
            offset += 1
            late += 1 / rate
        bits = int(late * 32768)
        part = 0x8000 | bits
        offset -= (bits << 1) * int(rate) >> 16
    when = datetime(2024, 2, 28, 23, 59) + timedelta(seconds=whole)
    scale_bits = 0 if packed else 4  # 1/256 g or 1/4096 g
    gyro_bits = 3 if axes >= 6 else 0  # 1000 degrees a second
    light = scale_bits << 13 | gyro_bits << 10 | (300 + sequence % 50)
    unit = 256 if packed else 4096
    data = bytearray(480)
    for i in range(count):
        g = [wave(first + i, a) for a in range(3)]
        raw = [max(-32768, min(32767, round(v * unit))) for v in g]
        if packed:
            struct.pack_into("<I", data, 4 * i, pack10(*raw))
        else:
            values = []
            if axes >= 6:
                values += [(first + i) * 37 % 2001 - 1000, -((first + i) * 11 % 999), first + i]
            values += raw
            if axes >= 9:
                values += [160 + i, -320, i]
            struct.pack_into("<%dh" % axes, data, 2 * axes * i, *values)
    b = bytearray(512)
    struct.pack_into("<2sHHIIIHHBBBBhH", b, 0, b"AX", 508, part, session, sequence, stamp(when), light, temperature, 0, 200, rate_code, axes << 4 | (0 if packed else 2), offset, count)
    b[30:510] = data
    total = sum(struct.unpack("<255H", b[:510])) & 0xFFFF
    struct.pack_into("<H", b, 510, -total & 0xFFFF)
    return bytes(b)


def cwa(path, blocks, hardware=0x17, rate_code=74, annotation=b""):
    with open(path, "wb") as f:
        f.write(header(4660, hardware, rate_code, annotation))
        for b in blocks:
            f.write(b)


def run(n, count, rate, rate_code, axes, packed, start=0.37, drift=0.0, fraction=False):
    return [block(k, start + k * count / rate * (1 + drift), k * count, count, rate_code, axes, packed, fraction) for k in range(n)]


# --- ActiGraph


def record(kind, second, payload):
    b = struct.pack("<BBIH", 0x1E, kind, second, len(payload)) + payload
    total = 0
    for v in b:
        total ^= v
    return b + bytes([~total & 0xFF])


def pack12(values):
    """Most significant bits first; the last half byte of an odd number is 0."""
    out = bytearray()
    values = [v & 0xFFF for v in values]
    for i in range(0, len(values), 2):
        a = values[i]
        b = values[i + 1] if i + 1 < len(values) else 0
        out += bytes([a >> 4, (a & 15) << 4 | b >> 8, b & 0xFF])
    if len(values) % 2:
        out = out[:-1]
    return bytes(out)


def ssp(value):
    """A float of 24 bits of fraction and 8 of exponent."""
    fraction, exponent = math.frexp(value)
    return struct.pack("<I", int(fraction * (1 << 23)) & 0xFFFFFF | (exponent & 0xFF) << 24)


def second12(first, rate, scale, order=(1, 0, 2)):
    raw = [[max(-2048, min(2047, round(wave(first + i, a) * scale))) for a in range(3)] for i in range(rate)]
    return pack12([v[a] for v in raw for a in order])


def second16(first, rate, scale):
    return b"".join(struct.pack("<3h", *[round(wave(first + i, a) * scale) for a in range(3)]) for i in range(rate))


def ticks(t):
    return int((t - datetime(1970, 1, 1)).total_seconds()) * 10_000_000 + 621_355_968_000_000_000


INFO = """Serial Number: {serial}
Firmware: {firmware}
Battery Voltage: 4,18
Sample Rate: {rate}
Start Date: {start}
Stop Date: 0
Last Sample Time: {start}
TimeZone: -05:00:00
Download Date: {start}
Board Revision: 8
{more}Subject Name: {subject}
"""


def gt3x(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files:
            z.writestr(zipfile.ZipInfo(name, (2024, 2, 28, 12, 0, 0)), data)


def info(serial, rate, start, firmware="1.9.2", more="", subject="P 07"):
    return INFO.format(serial=serial, rate=rate, start=ticks(start), firmware=firmware, more=more, subject=subject).encode()


def main(folder):
    at = lambda name: os.path.join(folder, name)
    # 100 Hz packed, the sensor 0.4 % slow; the same with a block missing, one damaged, two exchanged and the last one cut short.
    good = run(8, 120, 100, 74, 3, True, drift=0.004)
    cwa(at("ax3_packed.cwa"), good, annotation=b"_c=Centre&_sc=P%2007&_n=a+note")
    bad = list(good)
    spoilt = bytearray(bad[3])
    spoilt[100] ^= 0x55
    bad[3] = bytes(spoilt)
    bad[4], bad[5] = bad[5], bad[4]
    cwa(at("ax3_damaged.cwa"), bad[:1] + bad[2:] + [good[7][:200]])
    # 50 Hz of 16 bits, fractions of seconds; gyroscope; magnetometer.
    cwa(at("ax3_wide.cwa"), run(5, 80, 50, 73, 3, False, start=0.123, fraction=True), rate_code=73)
    cwa(at("ax6.cwa"), run(6, 40, 100, 74, 6, False), hardware=0x64)
    cwa(at("ax9.cwa"), run(3, 26, 25, 72, 9, False), hardware=0x64, rate_code=72)

    start = datetime(2024, 2, 28, 23, 59, 58)
    second = int((start - datetime(1970, 1, 1)).total_seconds())
    meta = record(6, second, b'{"MetadataType":"Bio"}')
    usb = record(0, second + 9, b"\x00")
    # 30 Hz of 12 bits; two seconds of idle sleep.
    log = meta + b"".join(record(0, second + k, second12(30 * k, 30, 341)) for k in (0, 1, 2))
    log += record(3, second + 3, b"\x08") + record(3, second + 5, b"\x09")
    log += b"".join(record(0, second + k, second12(30 * k, 30, 341)) for k in (5, 6)) + usb
    gt3x(at("packed30.gt3x"), [("log.bin", log), ("info.txt", info("CLE2A14151617", 30, start))])
    # 100 Hz of 16 bits, the scale in a parameter only.
    parameters = record(21, second, struct.pack("<HHI", 0, 9, 5) + struct.pack("<HH", 0, 55) + ssp(256.0) + struct.pack("<HHI", 1, 40, 0))
    log = meta + parameters + b"".join(record(26, second + k, second16(100 * k, 100, 256)) for k in range(3))
    gt3x(at("wide100.gt3x"), [("info.txt", b"\xef\xbb\xbf" + info("TAS1D48140206", 100, start, more="Acceleration Scale: 256.0\nAcceleration Min: -8.0\nAcceleration Max: 8.0\n")), ("log.bin", log)])
    # An odd number of samples a second, a damaged record, zeros between records, a repeated second, the last record cut short.
    odd = [record(0, second + k, second12(75 * k, 75, 256)) for k in range(6)]
    hurt = bytearray(odd[2])
    hurt[20] ^= 0xFF
    log = parameters + odd[0] + b"\x00" * 5 + odd[1] + bytes(hurt) + odd[3] + odd[3] + odd[4] + odd[5][:100]
    gt3x(at("damaged75.gt3x"), [("log.bin", log), ("info.txt", info("MOS2D48140206", 75, start))])
    # Firmware before 3.0.
    activity = second12(0, 1001, 341)
    gt3x(at("nhanes.gt3x"), [("activity.bin", activity), ("lux.bin", b"\0\0"), ("log.txt", b""), ("info.txt", info("NEO1C16110020", 30, start, firmware="2.2.0"))])


if __name__ == "__main__":
    main(sys.argv[1])
