# The program's commands whose outputs on another system must be those of this one: each_command FUNCTION calls it with the arguments of each.
each_command() {
  local samples=datasets/samples
  "$1" run images --causal --metadata $samples/heron.csv $samples/heron
  "$1" run motion $samples/walk.csv.gz
  "$1" run sleep $samples/night.edf
  "$1" run text $samples/posts.csv
  "$1" filter docs/samples/movement.jsonl.gz
  "$1" filter --smooth docs/samples/movement.jsonl.gz
}
