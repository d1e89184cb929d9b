#!/usr/bin/env bash
# Runs tacho iostat on the fake machines of sysstat's own tests and compares with what sysstat 12.7.9
# prints, from the line after the banner. Usage: iostat_cases.sh TACHO FIXTURES
# With WRITE_OURS=1 what differs is taken as right: look at it before it is committed.
set -u
tacho=$(realpath "$1")
fixtures=$2
ours=$(dirname "$(realpath "$0")")/iostat_ours
if [ ! -f "$fixtures/cases.tsv" ]; then
  echo "skipped: there are no machines in $fixtures"
  exit 77
fi
fixtures=$(realpath "$fixtures")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The product reads /sys/class/block, which those machines lack: whole disks are what stands in
# their sys/block, all else in proc/diskstats whose name ends in a digit is a partition.
for root in "$fixtures"/root[0-9]*; do
  machine=$work/$(basename "$root")
  mkdir -p "$machine/proc" "$machine/sys/class/block"
  cp "$root/proc/"{stat,uptime,diskstats} "$machine/proc/"
  awk '{ print $3 }' "$root/proc/diskstats" | while read -r device; do
    folder=$machine/sys/class/block/${device//\//!}
    mkdir -p "$folder/dm"
    if [ ! -d "$root/sys/block/${device//\//!}" ] && [[ $device =~ [0-9]$ ]]; then
      echo 1 >"$folder/partition"
    fi
    [ "$device" = dm-2 ] && echo virtualhd >"$folder/dm/name"
    rmdir "$folder/dm" 2>/dev/null
  done
done
number_of_roots=7

# What is not compared, and why. docs/differences.md tells it to users.
skipped() {
  case $1 in
  0217* | 0227*) echo "sdb's partitions stand in its sys/block only, not in diskstats" ;;
  *) return 1 ;;
  esac
}

faults=0 passed=0
while IFS=$'\037' read -r case first environment arguments expected; do
  case $case in '#'*) continue ;; esac
  case " $arguments " in
  *" -j "* | *" -f "* | *" +f "* | *" --getenv "*) continue ;; # options that tacho does not have
  esac
  if why=$(skipped "$case"); then
    echo "case $case ($arguments) not compared: $why"
    continue
  fi
  roots=
  number=${first#root}
  for ((i = number; i <= number_of_roots; i++)); do
    [ -d "$work/root$i" ] && roots+=,$work/root$i
  done
  [ "$first" = root6 ] && roots=,$work/root6,$work/root7
  # shellcheck disable=SC2086
  env $environment COLUMNS=200 "$tacho" iostat $arguments --root "${roots#,}" >"$work/out" 2>"$work/err"
  # What banner and its like say is that project's own. Of a counter that fell, and of what follows
  # the last machine, the original prints zeros: what we print instead lies in ours/.
  lines() { tail -n +2 "$1" | grep -v -e '"nodename"' -e '"release"' -e '"machine"' -e '"number-of' -e '"date"' |
    sed 's|^[0-9][0-9]/[0-9][0-9]/[0-9][0-9] [0-9:]*$|TIME|'; }
  diff <(lines "$fixtures/$expected") <(lines "$work/out") >"$work/diff"
  if [ -f "$ours/$case" ]; then
    cmp -s <(grep '^[>0-9]' "$work/diff") "$ours/$case" && : >"$work/diff"
  fi
  [ -z "${WRITE_OURS:-}" ] || { [ -s "$work/diff" ] && grep '^[>0-9]' "$work/diff" >"$ours/$case"; }
  if [ ! -s "$work/diff" ]; then
    passed=$((passed + 1))
  else
    faults=$((faults + 1))
    echo "FAULT: case $case: iostat $arguments ($expected)"
    head -20 "$work/diff"
    cat "$work/err"
  fi
done < <(tr '\t' '\037' <"$fixtures/cases.tsv")
echo "$passed cases as sysstat prints them"
[ $faults -eq 0 ] || exit 1
