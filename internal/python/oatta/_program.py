"""Where the program is, and how it is called."""

from __future__ import annotations

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from typing import Callable, Dict, Iterator, Optional, Sequence


class Error(RuntimeError):
    """The program refused, with its words; ``code`` is its exit code: 2 nothing was done, 3 stopped half way, 130 interrupted."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def program() -> str:
    """Path of the program: of OATTA_PROGRAM, where pip put it beside this module, or of the path."""
    named = os.environ.get("OATTA_PROGRAM")
    if named:
        return named
    for found in _candidates():
        if os.path.isfile(found):
            return found
    raise FileNotFoundError("oatta: the program is not where pip puts scripts, nor on the path")


def _candidates() -> Iterator[str]:
    name = "oatta.exe" if os.name == "nt" else "oatta"
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield os.path.join(sysconfig.get_path("scripts"), name)
    yield os.path.join(sysconfig.get_path("scripts", f"{os.name}_user"), name)
    yield os.path.join(beside, "bin", name)  # pip install --target
    yield os.path.join(os.path.dirname(sys.executable), name)
    found = shutil.which("oatta")
    if found:
        yield found


def environment() -> Dict[str, str]:
    """That of this process, with the library of the package onnxruntime, where that is installed and no other is named."""
    env = dict(os.environ)
    if "OATTA_ORT_LIB" not in env:
        found = _onnxruntime()
        if found:
            env["OATTA_ORT_LIB"] = found
    return env


def _onnxruntime() -> Optional[str]:
    spec = importlib.util.find_spec("onnxruntime")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for pattern in ("libonnxruntime.so.*", "libonnxruntime.*.dylib", "onnxruntime.dll"):
            found = sorted(glob.glob(os.path.join(folder, "capi", pattern)))
            if found:
                return found[-1]
    return None


def call(arguments: Sequence[str], stdin: bytes = b"", partial: Optional[Callable[[str], object]] = None) -> bytes:
    """Standard output of the program. ``partial`` is told what it says where it was done with failures (exit code 1); without it that
    is an :class:`Error` too."""
    done = subprocess.run([program(), *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), check=False)
    if done.returncode == 0:
        return done.stdout
    text = done.stderr.decode("utf-8", "replace").strip()
    message = "\n".join(line[len("oatta: ") :] if line.startswith("oatta: ") else line for line in text.splitlines())
    if done.returncode == 1 and partial is not None:
        partial(message)
        return done.stdout
    raise Error(message or f"exit code {done.returncode}", done.returncode)
