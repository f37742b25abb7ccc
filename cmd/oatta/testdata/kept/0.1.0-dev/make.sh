#!/usr/bin/env bash
# Makes the files of this folder with a program, in a folder that has datasets/samples/heron and heron.csv as heron and heron.csv above it:
# make.sh /usr/bin/oatta. Files of a version that was released are not made again: they show that later versions read them.
set -eu
chmod 600 key
"$1" version --json > made.json
for how in plain sealed; do
  sealed=$([ $how = sealed ] && echo "--state-key key" || true)
  # shellcheck disable=SC2086 # two words
  "$1" filter --quiet --classes fox,deer,empty --state $how.state $sealed -o first-$how.out.jsonl first.jsonl
  cp $how.state after.state
  # shellcheck disable=SC2086
  "$1" filter --quiet --classes fox,deer,empty --state after.state $sealed -o continued-$how.jsonl second.jsonl
  rm after.state
done
"$1" calibrate --classes fox,deer,empty --labels labels.csv --transitions-out transitions.json -o settings.json first.jsonl > /dev/null
"$1" filter --quiet --classes fox,deer,empty --settings settings.json --transitions transitions.json -o taught.jsonl second.jsonl
"$1" run images --quiet --causal --metadata ../heron.csv -o run.jsonl ../heron
gzip -n -f ./*.state
rm first-*.out.jsonl*
