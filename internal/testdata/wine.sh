#!/usr/bin/env bash
# Builds tests for Windows, without cgo, and runs them under Wine: wine.sh [package[:pattern of tests] ...]. Without packages it takes all, two at a
# time, and then the program, whose outputs must be those of this machine to the byte. What Wine cannot, and why, is in wine.txt.
# Needs wine64 and, before Wine 9, gcc-mingw-w64-x86-64, by Debian's names. Everything goes below out/wine.
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD out=$PWD/out/wine
wine=$(command -v wine64 || ls /usr/lib/wine/wine64 2>/dev/null) || { echo "wine64 is needed: apt-get install wine64 gcc-mingw-w64-x86-64" >&2; exit 2; }
export WINEPREFIX=$out/prefix WINEDEBUG=-all
system32=$WINEPREFIX/drive_c/windows/system32
mkdir -p "$out" && rm -f "$out/failed"
[ -d "$WINEPREFIX" ] || "$wine" wineboot -i >/dev/null 2>&1

# Go takes its random numbers from ProcessPrng, which Wine has from 9 on. A stand-in, for tests alone.
if [ ! -e "$system32/bcryptprimitives.dll" ]; then
  cat >"$out/prng.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n) { return SystemFunction036(p, (ULONG)n); }
C
  x86_64-w64-mingw32-gcc -shared -O2 -o "$system32/bcryptprimitives.dll" "$out/prng.c" -ladvapi32 || exit 2
fi
# An onnxruntime.dll of the system's own, which must not win: any other library will do.
cp "$system32/bcryptprimitives.dll" "$system32/onnxruntime.dll"

# Go removes files in folders by a call that Wine 8 has not, and then by an older one if Windows says so in one of three ways. This is a fourth.
std=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/^\tcase STATUS_INVALID_INFO_CLASS,/\tcase NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,/' "$std" >"$out/at_windows.txt"
printf '{"Replace": {"%s": "%s"}}\n' "$std" "$out/at_windows.txt" >"$out/overlay.json"
build() { CGO_ENABLED=0 GOOS=windows go "$@"; }

windows() { echo "Z:${1//\//\\}"; } # a path of this machine as Wine has it
failed=0 limit=600 # seconds for the tests of a package
build build -overlay "$out/overlay.json" -o "$out/oatta.exe" ./cmd/oatta || exit 1

# The program takes the library out of the wheel for Windows, by the hash in its table, and keeps it in %LOCALAPPDATA%.
if ! "$wine" "$out/oatta.exe" setup --check >/dev/null 2>&1; then
  python3 -m pip download -q --no-deps --only-binary=:all: --implementation cp --python-version 3.12 --abi cp312 --platform win_amd64 \
    --dest "$out/wheel" onnxruntime==1.24.4 || exit 2
  "$wine" "$out/oatta.exe" setup --from "$(windows "$(ls "$out"/wheel/*.whl)")" || exit 1
fi

# judge prints the failures that wine.txt does not explain, and what it explains that did not fail; it fails if there are any: package, pattern of
# the tests that ran, or nothing for all, output, exit code.
judge() {
  awk -F'\t' -v pkg="$1" -v pattern="$2" -v code="$4" '
    FILENAME == ARGV[1] { if ($1 == pkg && $2 != "-" && $3 !~ /^not run:/) known[$2] = 1; next }
    { split($0, word, " ") }
    /^ *--- (FAIL|PASS|SKIP)/ { name = /FAIL/ ? word[3] : ""; fails += /FAIL/; split(name, part, "/"); failed[part[1]] = 1; if (part[1] in known) name = ""; next }
    /^(PASS|FAIL|ok)/ || /Failed to create DXGI factory/ { next }
    /^panic:|^fatal error:/ { print; bad = 1 }
    name != "" { if (name != told) print "--- FAIL: " name; told = name; print; bad = 1 }
    END {
      if (code != 0 && !fails) { print "ended with " code; bad = 1 }
      if (pattern == "" && !bad) for (test in known) if (!(test in failed)) { print test " is in wine.txt, and does not fail"; bad = 1 }
      exit bad
    }
  ' internal/testdata/wine.txt "$3"
}

run_tests() { # package[:pattern]
  local name log code skip start=$SECONDS pattern=${1#*:}
  [ "$pattern" != "$1" ] || pattern=
  set -- "${1%%:*}"
  name=$(tr / _ <<<"$1") log=$out/$(tr / _ <<<"$1").txt
  skip=$(awk -F'\t' -v pkg="$1" '$1 == pkg && $3 ~ /^not run:/ { printf "%s^%s$", (n++ ? "|" : ""), $2 }' internal/testdata/wine.txt)
  build test -overlay "$out/overlay.json" -c -o "$out/$name.exe" "./$1" || { echo "FAIL  $1: it does not build"; return 1; }
  (
    export OATTA_SHARED OATTA_ASSETS
    OATTA_SHARED=$(windows "${OATTA_SHARED:-$root/../shared}") OATTA_ASSETS=$(windows "${OATTA_ASSETS:-$HOME/.cache/oatta/assets}")
    cd "$1" && timeout $((limit + 30)) "$wine" "$out/$name.exe" -test.short -test.timeout "${limit}s" -test.run "$pattern" -test.skip "$skip" >"$log" 2>&1
  )
  code=$?
  rm "$out/$name.exe"
  if judge "$1" "$pattern" "$log" $code >"$out/$name.bad"; then
    echo "ok    $1, $((SECONDS - start)) s"
  else
    echo "FAIL  $1: $log"$'\n'"$(<"$out/$name.bad")"
    return 1
  fi
}

same() { # arguments of the program
  bin/oatta "$@" >"$out/here" 2>"$out/here.err"; local here=$?
  timeout 600 "$wine" "$out/oatta.exe" "$@" >"$out/there" 2>"$out/there.err"; local there=$?
  if [ $here = $there ] && cmp -s "$out/here" "$out/there"; then echo "same  oatta $*"; else echo "DIFF  oatta $*: exit codes $here, $there"; failed=1; fi
}

if [ $# -gt 0 ]; then
  limit=3600
  for p in "$@"; do run_tests "$p" || failed=1; done
  exit $failed
fi
# Packages whose tests are not for Wine have no test in wine.txt, but "-"; of the program's tests, which take half an hour, those that stand for Windows.
for p in $(GOOS=windows CGO_ENABLED=0 go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | sed "s,^$(go list -m)/,,"); do
  ! grep -q "^$p	-	" internal/testdata/wine.txt || continue
  [ "$p" != cmd/oatta ] || p=$p:'^Test(Interrupted|FilterInterrupted|TrainInterrupted|WindowIsClosed|KilledAndResumed|ResumeOf|State|ViewOfAFolder|Serve)'
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do sleep 0.1; done
  { run_tests "$p" || touch "$out/failed"; } &
done
wait
[ ! -e "$out/failed" ] || failed=1

# In a terminal, which Wine makes a console of.
build test -overlay "$out/overlay.json" -c -o "$out/console.exe" ./internal/cli/console || exit 1
(cd internal/cli/console && script -qec "'$wine' '$out/console.exe' -test.v -test.run ConsoleTakes" /dev/null) >"$out/console.txt" # no pipe: a reader that has seen enough would end it
if grep -q -e '--- PASS: TestConsoleTakesAnyLetter' "$out/console.txt"; then
  echo "ok    internal/cli/console, in a terminal"
else
  echo "FAIL  internal/cli/console, in a terminal"; failed=1
fi

go build -o bin/oatta ./cmd/oatta || exit 1
samples=datasets/samples
. internal/testdata/commands.sh
each_command same

# What is remembered of streams, shown, gone on with and forgotten.
remembered() { # folder, program: what its commands say
  rm -rf "$1"; mkdir -p "$1"
  (
    cd "$1" && shift && gzip -dc "$root/docs/samples/movement.jsonl.gz" >all && head -700 all >first && tail -n +701 all >rest
    "$@" filter --state s.state --format jsonl first && "$@" filter --state s.state --format jsonl rest && "$@" state list --state s.state &&
      "$@" forget --state s.state user13 && "$@" state list --state s.state
  ) 2>/dev/null
  echo "exit code $?"
}
if cmp <(remembered "$out/state-here" "$root/bin/oatta") <(remembered "$out/state-there" "$wine" "$out/oatta.exe"); then echo "same  oatta filter --state, state list, forget"; else echo "DIFF  oatta filter --state, state list, forget"; failed=1; fi

# A path as Windows has it without limits: the name of the input is in no line of the output.
long='\\?\'$(windows "$root/$samples/posts.csv")
"$wine" "$out/oatta.exe" run text "$long" >"$out/long" 2>"$out/long.err"
if cmp -s "$out/long" <(bin/oatta run text $samples/posts.csv 2>/dev/null); then echo "same  oatta run text $long"; else echo "DIFF  oatta run text $long"; failed=1; fi
exit $failed
