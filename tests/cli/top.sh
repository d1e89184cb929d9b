#!/usr/bin/env bash
# tacho top beside the original (procps 4.0.2): words and exit codes; the same prepared /proc, which
# the original sees in a mount namespace of its own; the live machine under load; a recording of it.
# Usage: top.sh TACHO
set -u
tacho=$(realpath "$1")
work=$(mktemp -d)
busy=
original=
cleanup() {
  [ -n "$busy" ] && kill "$busy" 2>/dev/null
  [ -n "$original" ] && kill "$original" 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
export HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state LC_ALL=C.UTF-8 TZ=UTC
unset TACHO_DIR COLUMNS LINES
faults=0

fault() {
  echo "FAULT: $*"
  faults=$((faults + 1))
}

if ! command -v top >/dev/null || ! top -V 2>/dev/null | grep -q 'procps-ng 4\.0\.2$'; then
  echo "skipped: top of procps 4.0.2 is not there to compare with"
  exit 77
fi

# Words and exit codes.
cmp <(top -O) <("$tacho" top -O) || fault "other field names than the original's"
many=$(seq -s, 21)
for wrong in foo -x "-n 0" "-n x" "-n 1.5" "-d x" "-d -1" -d "-o foo" "-o %cpu" -o "-p x" "-p 1,2,x" \
  "-p $many" "-p 1 -u root" "-u root -p 1" "-u nosuch" "-E x" "-e e" "-e kk" "-w 600" "-w 2" -wx \
  "-s -d 1" --zz -b=1 "-b foo" -p "-p 1.5" "-p -1" "-d 1 foo" --pid -E -n -u "-w 80 foo" -d= \
  -o=foo "-n -5"; do
  # Words are meant to fall apart here.
  top -b $wrong >/dev/null 2>expected </dev/null
  expected=$?
  "$tacho" top -b $wrong >/dev/null 2>err </dev/null
  got=$?
  [ $got -eq $expected ] || fault "top $wrong: exit code $got, the original's is $expected"
  cmp -s err expected || fault "top $wrong: $(cat err), the original says: $(cat expected)"
done
"$tacho" top -n1 </dev/null >out 2>err && fault "without a terminal and without -b it works"
grep -qx 'top: failed tty get' err || fault "without a terminal: $(cat err)"

# A machine of two moments, 10 s apart.
# process ROOT PID NAME STATE UTIME STIME PRIORITY NICE THREADS START VSIZE RSS SHARED
process() {
  local folder=$1/proc/$2
  mkdir -p "$folder/task/$2"
  echo "$2 ($3) $4 1 $2 $2 0 -1 4194304 100 0 2 0 $5 $6 30 12 $7 $8 $9 0 ${10} ${11} ${12}" \
    "0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0" >"$folder/stat"
  cp "$folder/stat" "$folder/task/$2/stat"
  echo "$((${11} / 4096)) ${12} ${13} 10 0 20 0" >"$folder/statm"
  cp "$folder/statm" "$folder/task/$2/statm"
  printf '%s\0--epochs\0%s\0' "/usr/bin/$3" 3 >"$folder/cmdline"
  [ "$4" = Z ] && : >"$folder/cmdline"
  cp "$folder/cmdline" "$folder/task/$2/cmdline"
  local uid=${14:-0}
  printf 'Name:\t%s\nState:\t%s (x)\nTgid:\t%s\nPid:\t%s\nPPid:\t1\nUid:\t%s\t%s\t%s\t%s\nGid:\t0\t0\t0\t0\nThreads:\t%s\n' \
    "$3" "$4" "$2" "$2" "$uid" "$uid" "$uid" "$uid" "$9" >"$folder/status"
  cp "$folder/status" "$folder/task/$2/status"
  chown -R "$uid" "$folder" 2>/dev/null
}
# moment ROOT UPTIME BUSY: BUSY ticks were used by the trainer
moment() {
  mkdir -p "$1/proc/sys/kernel" "$1/etc"
  echo "$2.00 100.00" >"$1/proc/uptime"
  echo "2.25 1.50 0.75 2/90 4242" >"$1/proc/loadavg"
  echo 32768 >"$1/proc/sys/kernel/pid_max"
  printf 'MemTotal: 16384000 kB\nMemFree: 4096000 kB\nMemAvailable: 12288000 kB\nBuffers: 102400 kB
Cached: 4096000 kB\nSwapCached: 0 kB\nSReclaimable: 204800 kB\nSwapTotal: 2048000 kB
SwapFree: 2046000 kB\nSlab: 300000 kB\nShmem: 1000 kB\nActive: 1 kB\nInactive: 1 kB\n' >"$1/proc/meminfo"
  {
    echo "cpu $(($3 + 5000)) 20 $(($3 / 2 + 900)) $((90000 + ($2 - 1000) * 100)) 50 0 7 3 0 0"
    echo "cpu0 $(($3 + 4000)) 20 400 $((40000 + ($2 - 1000) * 60)) 20 0 7 3 0 0"
    echo "cpu1 1000 0 $(($3 / 2 + 500)) $((50000 + ($2 - 1000) * 40)) 30 0 0 0 0 0"
    printf 'intr 1 2\nctxt 5\nbtime 1700000000\nprocesses 7\nprocs_running 2\nprocs_blocked 0\n'
  } >"$1/proc/stat"
  process "$1" 1 init S 500 100 20 0 1 5 20480000 2000 1000
  process "$1" 77 "a (b) c" D $((30 + $3 / 10)) 0 15 -5 1 300 4096000 100 50
  process "$1" 300 old S 360000 6000 39 19 12 400 409600000 20000 1500 1
  process "$1" 301 stopped T 1 0 -2 0 1 400 4096 1 0
  process "$1" 302 zombie Z 9 0 20 0 1 400 0 0 0 1
  process "$1" 4242 trainer R "$3" $(($3 / 5)) 20 0 4 50000 21990232555520 320000 40000 54321
  # What the original wants to see before it believes that this is /proc.
  printf 'processor : 0\n\nprocessor : 1\n\n' >"$1/proc/cpuinfo"
  echo 6.1.0 >"$1/proc/sys/kernel/osrelease"
  mkdir -p "$1/proc/self/task" && cp "$1"/proc/1/stat* "$1/proc/self"
  printf 'root:x:0:0:::\ndaemon:x:1:1:::\n' >"$1/etc/passwd"
}
moment first 1000 100
moment second 1010 700

# The page without what differs by intent: the time of day, the number of users.
plain() {
  sed -E 's/^top - [0-9:]{8}/top -/; s/, +[0-9-]+ users?,/, N users,/; s/ +$//'
}
# last_page FILE: the last page of several.
last_page() {
  awk '/^top - / {page = ""} {page = page $0 "\n"} END {printf "%s", page}' "$1"
}
# The original on first, then on second: it is woken when the files have changed, so that nothing
# hangs on how fast that goes. /proc of its namespace is the folder.
run_original() {
  rm -rf now && cp -a first now
  unshare -m sh -c 'mount --bind "$0/proc" /proc && shift 0 && exec top -b -d 600 -n 2 "$@"' \
    "$work/now" "$@" >pages 2>err </dev/null &
  original=$!
  for _ in $(seq 300); do
    grep -q COMMAND pages 2>/dev/null && break
    kill -0 $original 2>/dev/null || break
    sleep 0.1
  done
  sleep 0.2 # until it sleeps
  cp -a second/. now/
  for _ in $(seq 100); do
    kill -WINCH $original 2>/dev/null || break
    sleep 0.1
  done
  wait $original
  original=
  last_page pages | plain
}
if unshare -m sh -c 'mount --bind "$0/proc" /proc' "$work/first" 2>/dev/null && chown 1 first/proc/300; then
  chown 0 first/proc/1
  while read -r options; do
    run_original $options >expected
    "$tacho" top -b -n 1 --root first,second $options 2>err | plain >got
    # Equals stand in the order of the folder, which is the kernel's in /proc alone.
    case $options in
      *-o*) ;;
      *)
        LC_ALL=C sort -o expected expected
        LC_ALL=C sort -o got got
        ;;
    esac
    if ! cmp -s expected got; then
      fault "top $options on the same files"
      diff expected got
      cat err
    fi
  done <<'OPTIONS'
-w 80
-w 200
-w 200 -c
-w 200 -1
-w 120 -S -o TIME+
-w 120 -o -PID
-w 120 -e m -E g
-w 120 -e g -E k
-w 120 -i
-w 120 -u daemon
-w 120 -U !daemon
-w 120 -p 1,300
-w 120 -H
-w 70
OPTIONS
else
  echo "not compared on the same files: no mount namespace is permitted here"
fi

# The live machine, while a process takes CPU time, and a recording of it.
sh -c 'while :; do :; done' &
busy=$!
"$tacho" record --dir recording --interval 500ms --duration 4s >/dev/null 2>err &
recorder=$!
top -b -d 1 -n 2 -p $busy >pages &
beside=$!
"$tacho" top -b -d 1 -n 2 -p $busy >ours
wait $beside
wait $recorder
at=$("$tacho" dump system --dir recording | tail -1 | cut -d, -f1)
"$tacho" top -b -p $busy --dir recording --at "$at" >recorded 2>err || fault "recording: $(cat err)"
echo "the original:" && last_page pages
echo "tacho:" && last_page ours
echo "tacho, of the recording:" && cat recorded
for file in pages ours recorded; do
  last_page "$file" | awk -v pid=$busy '$1 == pid && $2 == "'"$(id -un)"'" && $9 > 0 && $12 == "sh" {ok = 1}
    END {exit !ok}' || fault "$file: the busy process is not there as it should be"
done
[ "$(grep -c '^top - ' ours)" -eq 2 ] || fault "-n 2 printed another number of pages"
"$tacho" top --dir recording --json | python3 -c '
import json, sys
frames = [json.loads(line) for line in sys.stdin]
assert len(frames) >= 5, len(frames)
for frame in frames:
    assert set(frame) == {"time", "seconds", "from", "summary", "tasks"}, frame.keys()
    assert frame["from"] == "recording"
    assert set(frame["summary"]) == {"uptime", "users", "load average", "tasks", "cpu", "memory", "swap"}
    assert frame["summary"]["tasks"]["total"] == len(frame["tasks"])
    for task in frame["tasks"]:
        assert isinstance(task["PID"], int) and isinstance(task["COMMAND"], str), task
        assert task["%CPU"] is None or task["%CPU"] >= 0, task
' || fault "the JSON of a recording"
"$tacho" top --json -n 1 -p $busy | python3 -c '
import json, sys
frame = json.loads(sys.stdin.read())
assert frame["from"] == "primed" and 0.2 <= frame["seconds"], frame
' || fault "the JSON of the live machine"
"$tacho" top -H -b --dir recording --at "$at" >out 2>err || fault "-H of a recording: $(cat err)"
grep -q "watched tree only" err || fault "-H of a recording does not say what it holds"

# Widths.
for width in 80 200; do
  "$tacho" top -b -n 1 -w $width >out
  [ "$(wc -L <out)" -le $width ] || fault "-w $width: a line of $(wc -L <out)"
  sed -n 7p out | grep -q '^  *PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND$' ||
    fault "-w $width: the titles are $(sed -n 7p out)"
done
COLUMNS=100 "$tacho" top -b -n 1 -w -c >out
[ "$(wc -L <out)" -le 100 ] || fault "COLUMNS=100: a line of $(wc -L <out)"

[ $faults -eq 0 ] || exit 1
echo "all well"
