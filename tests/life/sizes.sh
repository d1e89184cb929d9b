#!/usr/bin/env bash
# Machines of sizes that this one does not have, written here: 480 CPUs and one, without pressure
# files, control groups and /sys. Read from folders and from a recording of them, the figures are
# those computed by hand. Usage: sizes.sh TACHO
# shellcheck source=tests/life/lib.sh
. "$(dirname "$0")/lib.sh"

# process DIR PID NAME UID THREADS USER_TICKS DELAY_NS
process() {
  local at=$1/proc/$2
  mkdir -p "$at"
  echo "$2 ($3) R 1 $2 $2 0 -1 0 0 0 0 0 $6 0 0 0 20 0 $5 0 500 1048576 256 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0" >"$at/stat"
  printf 'Name:\t%s\nUid:\t%s\t%s\t%s\t%s\nCpus_allowed_list:\t0-%s\n' "$3" "$4" "$4" "$4" "$4" $((cpus - 1)) >"$at/status"
  echo "$((${6} * 10000000)) $7 $((${6} + 1))" >"$at/schedstat"
  echo "0::/" >"$at/cgroup"
  printf '%s\0' "$3" >"$at/cmdline"
}

# machine DIR SECOND: of $cpus CPUs, each busy half of the time, the last one always.
machine() {
  mkdir -p "$1/proc" "$1/etc"
  printf 'root:x:0:0::/:/bin/sh\nalice:x:1000:1000::/:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n' >"$1/etc/passwd"
  echo "$((1000 + $2)).00 1.00" >"$1/proc/uptime"
  awk -v cpus="$cpus" -v s="$2" 'BEGIN {
    for (i = 0; i < cpus; ++i) { user = i == cpus - 1 ? 100 : 50; u += user; lines = lines "cpu" i " " 1000 + s * user " 0 0 " 5000 + s * (100 - user) " 0 0 0 0 0 0\n" }
    print "cpu " 1000 * cpus + s * u " 0 0 " 5000 * cpus + s * (cpus * 100 - u) " 0 0 0 0 0 0"
    printf "%s", lines
    print "intr " s * 1000 * cpus; print "ctxt " s * 2000; print "btime 1700000000"; print "processes " 100 + s
    print "procs_running " 3 * cpus; print "procs_blocked 1" }' >"$1/proc/stat"
  echo "$((2 * cpus)).50 1.00 1.00 3/900 4242" >"$1/proc/loadavg"
  printf 'MemTotal: 1000000 kB\nMemFree: 400000 kB\nMemAvailable: 700000 kB\nBuffers: 1000 kB\nCached: 200000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n' >"$1/proc/meminfo"
  printf 'pgpgin 0\npgpgout %s\npswpin 0\npswpout 0\noom_kill 0\n' $(($2 * 64)) >"$1/proc/vmstat"
}

# machines CPUS: five seconds of it in $roots.
machines() {
  cpus=$1
  roots=
  for second in 0 1 2 3 4 5; do
    machine "m$cpus-$second" $second
    # A program with a thread per CPU that gets half of what it wants, and who takes the rest.
    process "m$cpus-$second" 4000 train 1000 "$cpus" $((second * 40 * cpus)) $((second * cpus * 500000000))
    process "m$cpus-$second" 4001 burn 1001 1 $((second * 60 * cpus)) $((second * 1000))
    roots+=${roots:+,}m$cpus-$second
  done
}

check() {
  local dir=$work/recording-$cpus busy
  "$tacho" record --root "$roots" --dir "$dir" 2>err || fault "$cpus CPUs: record: $(cat err)"
  busy=$(awk -v c="$cpus" 'BEGIN { printf "%.4f", (50 * (c - 1) + 100) / c }')
  for source in "--root $roots" "--dir $dir"; do
    # shellcheck disable=SC2086
    "$tacho" dump cpu system process $source --format ndjson >rows 2>err || fault "$cpus CPUs: dump: $(cat err)"
    expect "$cpus CPUs: rows of a moment" "$(jq -s '[.[] | select(.table=="cpu")] | length' rows)" $((6 * (cpus + 1)))
    between "$cpus CPUs: busy" "$(jq -s '[.[] | select(.cpu=="cpu") | .busy_share // empty] | add / length' rows)" \
      "$(awk -v b="$busy" 'BEGIN { print b - .001 }')" "$(awk -v b="$busy" 'BEGIN { print b + .001 }')"
    expect "$cpus CPUs: the last is always busy" \
      "$(jq -r "select(.table==\"cpu\" and .cpu==\"cpu$((cpus - 1))\") | .busy_share // empty" rows | sort -u)" 100
    expect "$cpus CPUs: %CPU of burn" "$(jq -r 'select(.command=="burn") | .cpu // empty' rows | sort -u)" $((60 * cpus))
    expect "$cpus CPUs: waiting of train" \
      "$(jq -r 'select(.command=="train") | .run_delay_per_s // empty | . * 1000 | round / 1000' rows | sort -u)" \
      "$(awk -v c="$cpus" 'BEGIN { print c / 2 }')"
    expect "$cpus CPUs: user by its own passwd" "$(jq -r 'select(.command=="burn") | .user' rows | sort -u)" bob
    expect "$cpus CPUs: context switches" \
      "$(jq -r 'select(.table=="system") | .context_switches_per_s // empty' rows | sort -u)" 2000
  done
  # shellcheck disable=SC2086
  "$tacho" vmstat --dir "$dir" --from 1700001000 --to 1700001005 >out 2>err || fault "$cpus CPUs: vmstat: $(cat err)"
  expect "$cpus CPUs: vmstat's r b cs us id" \
    "$(tail -1 out | awk '{ print $1, $2, $12, $13, $15 }')" \
    "$((3 * cpus)) 1 2000 $(awk -v b="$busy" 'BEGIN { printf "%.0f %.0f", b, 100 - b }')"
  expect "$cpus CPUs: lines of vmstat" "$(grep -c '^ *[0-9]' out)" 5
  "$tacho" why --dir "$dir" --from 1700001000 --to 1700001005 --json >why.json 2>err || fault "$cpus CPUs: why: $(cat err)"
  expect "$cpus CPUs: run queue per CPU" "$(jq '.steps[].checks[] | select(.id=="memory.run_queue") | .value' why.json)" 3
  between "$cpus CPUs: load per CPU" "$(jq '.steps[].checks[] | select(.id=="cpu.load") | .value' why.json)" 2 2.51
  expect "$cpus CPUs: no PSI" "$(jq -c '.steps[].checks[] | select(.id=="cpu.pressure") | [.value, .status, .reason]' why.json)" \
    '[null,"unknown","not_supported"]'
  expect "$cpus CPUs: a quota cannot be judged without control groups" \
    "$(jq '[.findings[], .ruled_out[] | select(.cause=="cpu.quota")] | length' why.json)" 0
}

machines 480
check
expect "480 half busy CPUs have no hog" "$(jq '[.findings[] | select(.cause=="cpu.hog")] | length' why.json)" 0
machines 1
check
expect "of one CPU the hog is named" "$(jq -r '.verdict | [.cause, .culprit.name, .culprit.user] | join(" ")' why.json)" "cpu.hog burn bob"
expect "and since when" "$(jq -r .verdict.since why.json)" 2023-11-14T22:30:00+00:00
finish
