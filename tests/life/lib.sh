# Shared by the scripts beside it, which run the true program: a folder of its own for each, what it
# starts ends with it, faults are counted. Source it with the program's path in $1.
# shellcheck shell=bash
set -u
tacho=$(realpath "$1")
work=$(mktemp -d)
cd "$work" || exit 1
export HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state COLUMNS=80 LC_ALL=C.UTF-8 TZ=UTC
unset TACHO_DIR
faults=0
started=()

clean_up() {
  local pid
  for pid in "${started[@]}"; do
    kill -KILL "$pid" 2>/dev/null
  done
  cd / && rm -rf "$work"
}
trap clean_up EXIT

fault() {
  echo "FAULT: $*"
  faults=$((faults + 1))
}
# What comes before has to hold all the same.
skip() {
  [ $faults -eq 0 ] || exit 1
  echo "skipped: $*"
  exit 77
}
finish() {
  [ $faults -eq 0 ] || exit 1
  echo "all well"
  exit 0
}

# expect WHAT GOT WANTED
expect() {
  [ "$2" = "$3" ] || fault "$1: '$2' instead of '$3'"
}
# expect_in WHAT TEXT FILE: TEXT stands in FILE.
expect_in() {
  grep -qF -- "$2" "$3" || fault "$1: '$2' is not in: $(head -c 2000 "$3")"
}
# between WHAT GOT LOW HIGH: of numbers.
between() {
  awk -v got="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(got != "" && got >= low && got <= high) }' ||
    fault "$1: '$2' is not from $3 to $4"
}
# eventually COMMAND...: within a minute it succeeds; the bound only ends a test that fails.
eventually() {
  local end=$((SECONDS + 60))
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.05
  done
}
# one_line TEXT FILE: FILE is one line with TEXT in it.
one_line() {
  [ "$(wc -l <"$2")" -eq 1 ] || fault "not one line: $(cat "$2")"
  expect_in "the line" "$1" "$2"
}
# recorder_of DIR: the process that records there.
recorder_of() {
  "$tacho" status --dir "$1" --json 2>/dev/null | jq -r .pid
}
# table NAME DIR FILTER: what jq makes of each row of the recording in DIR.
table() {
  "$tacho" dump "$1" --dir "$2" --format ndjson | jq -r "$3"
}
