#!/usr/bin/env bash
# Installs a wheel into a new Python environment and runs the tests of the module there, its types checked strictly, once without pandas and
# once with it; and of the functions for R, where R is. Usage: run.sh WHEEL
set -euo pipefail
wheel=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
env=$(mktemp -d)
trap 'rm -rf "$env"' EXIT
python3 -m venv "$env"
"$env/bin/pip" install -q --disable-pip-version-check "$wheel"
cd "$env" # where no folder is called oatta
"$env/bin/python" -m unittest discover -s "$here"
"$env/bin/pip" install -q --disable-pip-version-check pandas mypy
"$env/bin/python" -m unittest discover -s "$here"
"$env/bin/mypy" --strict --no-error-summary -p oatta
if command -v Rscript >/dev/null; then Rscript "$here/test_oatta.R" "$here/../../../docs/samples/oatta.R" "$env/bin/oatta"; fi
