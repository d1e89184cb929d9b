#!/usr/bin/env bash
# Runs the program as a user does, in a folder of its own: wrong words, narrow and closed outputs,
# no HOME, a recording made, read and missed. Usage: commands.sh TACHO SOURCE_DIR
set -u
tacho=$(realpath "$1")
source_dir=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state COLUMNS=80 LC_ALL=C.UTF-8
unset TACHO_DIR
faults=0

fault() {
  echo "FAULT: $*"
  faults=$((faults + 1))
}

# fails CODE TEXT ARGS...: that exit code, nothing on stdout, one line with TEXT on stderr.
fails() {
  local code=$1 text=$2 got
  shift 2
  "$tacho" "$@" >out 2>err </dev/null
  got=$?
  [ $got -eq "$code" ] || fault "tacho $*: exit code $got, not $code"
  [ -s out ] && fault "tacho $*: printed $(head -1 out)"
  [ "$(wc -l <err)" -eq 1 ] || fault "tacho $*: not one line on stderr: $(cat err)"
  grep -qF -- "$text" err || fault "tacho $*: '$text' is not in: $(cat err)"
}

# works TEXT ARGS...: exit code 0, TEXT on stdout, no line wider than the terminal.
works() {
  local text=$1
  shift
  "$tacho" "$@" >out 2>err </dev/null || fault "tacho $*: exit code $?: $(cat err)"
  grep -qF -- "$text" out || fault "tacho $*: '$text' is not in: $(head -3 out)"
}
fits() {
  [ "$(wc -L <out)" -le 80 ] || fault "$*: wider than 80 columns: $(wc -L <out)"
}

fails 2 "did you mean 'schema'?" shcema
fails 2 "there is no command 'frobnicate'" frobnicate
fails 2 "unknown option --frobnicate" --frobnicate
fails 2 "did you mean '--json'?" schema --jsn
fails 2 "did you mean 'disk'?" schema dsk
fails 2 "there is no table 'nosuch'" dump nosuch
fails 2 "missing TABLE" dump
fails 2 "--format ndjson" dump cpu disk
fails 2 "--fail-on never" why --fail-on never
fails 1 "no recording" dump cpu

works "usage: tacho COMMAND" --help
fits --help
works "tacho 0." --version
for command in $("$tacho" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
  works "" "$command" --help
  fits "$command --help"
done
works "context_switches" schema system
works "context_switches" schema
fits schema
"$tacho" schema --markdown | cmp - "$source_dir/docs/metrics.md" ||
  fault "docs/metrics.md is not what tacho schema --markdown prints"

# Outputs that end early, or take nothing.
"$tacho" schema 2>err | head -1 >/dev/null
[ -s err ] && fault "a pipe into head: $(cat err)"
(trap '' PIPE && "$tacho" schema 2>err && true) | head -1 >/dev/null
[ -s err ] && fault "a pipe into head without SIGPIPE: $(cat err)"
"$tacho" schema >&- 2>err && fault "a closed stdout is no success"
grep -q "cannot write to standard output" err || fault "a closed stdout: $(cat err)"
"$tacho" schema >/dev/full 2>err && fault "a full disk is no success"
[ "$(wc -l <err)" -eq 1 ] || fault "a full disk: $(cat err)"
env -i "$tacho" schema cpu >/dev/null 2>err || fault "without environment: $(cat err)"

# A recording: made, read, missed.
dir=$work/recording
"$tacho" record --dir "$dir" --interval 200ms --duration 1s >out 2>err ||
  fault "record: $(cat err)"
works "time,cpu,user_per_s" dump cpu --dir "$dir"
works '"table":"system"' dump system memory --dir "$dir" --format ndjson
works "running" dump system --dir "$dir" --last 1h --json
fails 1 "the recording holds" dump cpu --dir "$dir" --to 2020-01-01
fails 1 "cannot read the time 'noon'" dump cpu --dir "$dir" --from noon
works '"schema": "tacho.why/1"' why --dir "$dir" --last 1h --json
works "" why --dir "$dir" --last 1h
fits why
grep -q $'\x1b' out && fault "colour without a terminal"
mkdir foreign && echo hello >foreign/file
fails 1 "foreign" dump cpu --dir foreign
works "time,cpu" dump cpu --live

# vmstat beside the original: the same headers, labels, messages and exit codes.
for options in "" -w -t -a "-w -a -t" "-S m" -d "-d -w" "-d -t"; do
  lines=$("$tacho" vmstat $options | sed -n 2p | tr -s ' ')
  [ -n "$lines" ] || fault "vmstat $options: no header"
  if command -v vmstat >/dev/null && vmstat -V | grep -q 'procps-ng 4\.0\.2$'; then
    cmp <(vmstat $options | head -2) <("$tacho" vmstat $options | head -2) >/dev/null ||
      fault "vmstat $options: another header than the original's"
  fi
done
if command -v vmstat >/dev/null && vmstat -V | grep -q 'procps-ng 4\.0\.2$'; then
  cmp <(vmstat -s | sed 's/^ *[0-9-]* //') <("$tacho" vmstat -s | sed 's/^ *[0-9-]* //') ||
    fault "vmstat -s: other labels than the original's"
  cmp <(vmstat -s | grep 'total memory') <("$tacho" vmstat -s | grep 'total memory') ||
    fault "vmstat -s: another total memory than the original's"
  for wrong in 0 abc "1 x" "1 2 3" -x --zz "-S q" -S "99999999999 1"; do
    vmstat $wrong >/dev/null 2>expected
    expected=$?
    "$tacho" vmstat $wrong >/dev/null 2>err
    got=$?
    [ $got -eq $expected ] || fault "vmstat $wrong: exit code $got, the original's is $expected"
    [ "$(head -1 err)" = "$(head -1 expected)" ] || fault "vmstat $wrong: $(head -1 err)"
  done
fi
ln -s "$tacho" vmstat
[ "$(./vmstat -n | head -1 | cut -c1-5)" = procs ] || fault "called as vmstat it is not vmstat"
works '"us":' vmstat --json
[ "$("$tacho" vmstat --dir "$dir" --last 1h -n | wc -l)" -ge 5 ] || fault "vmstat over a recording"
at=$("$tacho" dump system --dir "$dir" | tail -1 | cut -d, -f1)
[ "$("$tacho" vmstat --dir "$dir" --at "$at" -n | wc -l)" -eq 3 ] || fault "vmstat --at $at"

# iostat beside the original, on this machine: the same lines but for the figures.
works "avg-cpu:" iostat
if command -v iostat >/dev/null; then
  for options in "" -x -d -c "-d -s" "-x -s" "-d -m" "-x --pretty" "-x --pretty --compact" "-d -p" "-d -h"; do
    shape() { sed -e 's/  *[0-9.]*[kMGTP%]\{0,1\}/ N/g' -e 's/  *-$//' | tr -s ' N'; }
    cmp <(iostat $options | tail -n +2 | shape) <("$tacho" iostat $options | tail -n +2 | shape) >/dev/null ||
      fault "iostat $options: other lines than the original's"
  done
  for wrong in -q "1 0" --nosuch "1 2 3"; do
    iostat $wrong >/dev/null 2>&1
    expected=$?
    "$tacho" iostat $wrong >/dev/null 2>err
    got=$?
    [ $got -eq $expected ] || fault "iostat $wrong: exit code $got, the original's is $expected"
    grep -q '^Usage: iostat' err || fault "iostat $wrong: $(head -1 err)"
  done
fi
works '"disks":' iostat --json
"$tacho" iostat -o JSON -x 1 2 >out && python3 -c 'import json; json.load(open("out"))' 2>/dev/null ||
  ! command -v python3 >/dev/null || fault "iostat -o JSON is none"
[ "$("$tacho" iostat -c --dir "$dir" --last 1h | grep -c avg-cpu)" -ge 4 ] || fault "iostat over a recording"
(timeout -s INT 2 "$tacho" iostat -o JSON 1 | tail -1 | grep -q '^}}$') || fault "SIGINT leaves the JSON open"

# What can be seen, and the machine as files.
works "What can be seen" doctor
fits doctor
works '"schema": "tacho.doctor/1"' doctor --json
works '#interval = "10s"' doctor --config
"$tacho" doctor --config >config-from-doctor
works "captured: " capture captured
grep -q files out || fault "capture: $(cat out)"
fails 1 "captured" capture captured
fails 2 "--count 0" capture again --count 0
works "again/2: " capture again --count 2 --interval 200ms
works " r  b" vmstat --root again/1,again/2 1 2
[ "$(wc -l <out)" -eq 4 ] || fault "vmstat --root: $(cat out)"
works "time,cpu,user_per_s" dump cpu --root again/1,again/2
works "step " why --root again/1,again/2
works "What can be seen" doctor --root captured
fails 1 "nosuch" vmstat --root nosuch
fails 1 "nosuch" doctor --root nosuch

# Again and again: the first two outputs, a wrong command once.
lines=$(timeout 20 "$tacho" vmstat -s --every 0.1 | head -60 | wc -l)
[ "$lines" -eq 60 ] || fault "--every: $lines lines"
fails 2 "--every x" status --every x
fails 1 "no recorder runs" status --every 1 --dir "$dir"

# The configuration: its example is right, it is heeded, a wrong key is told.
mkdir -p config/tacho
cp config-from-doctor config/tacho/tacho.toml
works "" why --dir "$dir" --last 1h
printf '[record]\ninterval = "250ms"\n' >config/tacho/tacho.toml
"$tacho" record --dir configured --duration 1s 2>err || fault "record: $(cat err)"
[ "$("$tacho" dump system --dir configured | wc -l)" -ge 4 ] || fault "[record] interval is not heeded"
fails 2 "--retain much" record --dir configured --retain much
fails 2 "--interval 1ms" record --dir configured --interval 1ms

# A wrong key in the configuration.
mkdir -p config/tacho
printf '[thresholds]\nnosuch = 1\n' >config/tacho/tacho.toml
fails 1 "tacho.toml:2" why --dir "$dir" --last 1h

[ $faults -eq 0 ] || exit 1
echo "all well"
