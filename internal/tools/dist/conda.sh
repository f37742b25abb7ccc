#!/usr/bin/env bash
# Builds the recipe of conda with rattler-build, with its own test, into a channel of its own, and installs it from there into an empty environment, where it
# says its version and that of the library. The library's package stands in for conda-forge's onnxruntime-cpp: it holds the one of our cache.
# Usage: conda.sh DIR, which is written anew; needs Python, and PyPI for the tools.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1" && mkdir -p "$1/library"
dir=$(cd "$1" && pwd)
go -C "$here/.." run ./dist -out "$dir/dist" -platforms host -only archive -url "file://$dir/dist"
python3 -m venv "$dir/tools"
"$dir/tools/bin/pip" install -q --disable-pip-version-check 'py-rattler==0.28.*' 'py-rattler-build==0.73.*'
library=$(cd "$here/../../.." && go run ./cmd/oatta version --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["onnxruntime"]["path"])')
cat >"$dir/library/recipe.yaml" <<EOF
package: {name: onnxruntime-cpp, version: "1.24.4"}
build:
  dynamic_linking: {binary_relocation: false}
  script: mkdir -p "\$PREFIX/lib" && cp "$library" "\$PREFIX/lib/"
EOF
"$dir/tools/bin/python" -W ignore - "$dir" <<'EOF'
import asyncio, sys
import rattler, rattler_build
dir = sys.argv[1]
channel = f"{dir}/channel"
rattler_build.build_recipes([f"{dir}/library/recipe.yaml"], output_dir=channel, channel=[], test="skip")
rattler_build.build_recipes([f"{dir}/dist/recipes/conda/recipe.yaml"], output_dir=channel, channel=[f"file://{channel}"], test="native")
platform = rattler.Platform.current()
records = asyncio.run(rattler.solve(sources=[f"file://{channel}"], specs=["oatta"], platforms=[platform, rattler.Platform("noarch")]))
asyncio.run(rattler.install(records, target_prefix=f"{dir}/environment"))
EOF
export CONDA_PREFIX="$dir/environment"
# shellcheck source=/dev/null
. "$CONDA_PREFIX/etc/conda/activate.d/oatta.sh"
said=$(HOME="$dir/home" XDG_CACHE_HOME="$dir/home" "$CONDA_PREFIX/bin/oatta" version)
echo "$said"
grep -q "$CONDA_PREFIX/lib/" <<<"$said"
