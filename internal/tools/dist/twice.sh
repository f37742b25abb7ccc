#!/usr/bin/env bash
# Makes the packages of this platform twice, in two clones of the repository that lie in different folders, and compares their bytes.
# Usage: twice.sh DIR, which is written anew.
set -euo pipefail
root=$(git rev-parse --show-toplevel)
rm -rf "$1" && mkdir -p "$1"
dir=$(cd "$1" && pwd)
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
git clone --quiet --shared "$root" "$elsewhere/another folder"
for run in one two; do
  cd "$([ $run = one ] && echo "$root" || echo "$elsewhere/another folder")"
  go -C internal/tools run ./dist -out "$dir/$run" -platforms host -only "${DIST_ONLY:-archive,deb,rpm,sbom,wheel}"
done
diff -r "$dir/one" "$dir/two"
echo "two runs in different folders wrote the same bytes:"
cat "$dir/one/SHA256SUMS"
