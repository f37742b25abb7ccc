#!/usr/bin/env bash
# Builds tests for linux/arm64, without cgo, and runs them under qemu's user mode: arm64.sh [package ...]. Without packages it takes those below,
# and then the program, and with it the engine: its labels must be those of this machine, and its numbers the same but for the last digits, since
# that processor multiplies and adds in one rounding and ONNX Runtime has other kernels for it.
# Needs, by Debian's names, qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross. Everything goes below out/arm64.
set -uo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/out/arm64
qemu=$(command -v qemu-aarch64-static) && [ -e /usr/aarch64-linux-gnu/lib/libstdc++.so.6 ] ||
  { echo "qemu is needed: apt-get install qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross" >&2; exit 2; }
export OATTA_SHARED OATTA_ASSETS
OATTA_SHARED=$(realpath -m "${OATTA_SHARED:-../shared}") OATTA_ASSETS=${OATTA_ASSETS:-$HOME/.cache/oatta/assets}
mkdir -p "$out"
build() { CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go "$@"; }
there() { OATTA_CACHE=$out/cache "$qemu" -L /usr/aarch64-linux-gnu "$@"; }
failed=0

build build -o "$out/oatta" ./cmd/oatta || exit 1
if ! there "$out/oatta" setup --check >/dev/null 2>&1; then
  python3 -m pip download -q --no-deps --only-binary=:all: --implementation cp --python-version 3.12 --abi cp312 --platform manylinux_2_28_aarch64 \
    --dest "$out/wheel" onnxruntime==1.24.4 || exit 2
  there "$out/oatta" setup --from "$(ls "$out"/wheel/*.whl)" || exit 1
fi

run_tests() { # package
  local name log
  name=$(tr / _ <<<"$1") log=$out/$(tr / _ <<<"$1").txt
  build test -c -o "$out/$name.test" "./$1" || { failed=1; return; }
  if (cd "$1" && timeout 900 "$qemu" -L /usr/aarch64-linux-gnu "$out/$name.test" -test.short >"$log" 2>&1); then echo "ok    $1"; else echo "FAIL  $1: $log"; grep -v '^=== ' "$log" | tail -20; failed=1; fi
}

alike() { # arguments of the program
  bin/oatta "$@" >"$out/here" 2>"$out/here.err"; local here=$?
  there "$out/oatta" "$@" >"$out/there" 2>"$out/there.err"; local other=$?
  if [ $here = $other ] && python3 internal/testdata/alike.py "$out/here" "$out/there"; then echo "alike oatta $*"; else echo "DIFF  oatta $*: exit codes $here, $other"; failed=1; fi
}

if [ $# -gt 0 ]; then
  for p in "$@"; do run_tests "$p"; done
  exit $failed
fi
for p in internal/replace internal/lock internal/exif datasets/predictions preprocess/image preprocess/text runtime/ort/ortlib adapt; do run_tests "$p"; done

go build -o bin/oatta ./cmd/oatta || exit 1
. internal/testdata/commands.sh
each_command alike
exit $failed
