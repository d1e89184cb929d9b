#!/usr/bin/env bash
# tacho netstat beside the original, in a network namespace of its own that holds sockets in each
# state, and over a recording made there. Usage: live.sh TACHO SOCKETS
set -u
if [ "${1:-}" != inside ]; then
  command -v netstat >/dev/null || { echo "skipped: there is no netstat"; exit 77; }
  unshare -n -m true 2>/dev/null || { echo "skipped: no network namespace is permitted"; exit 77; }
  exec unshare -n -m "$0" inside "$(realpath "$1")" "$(realpath "$2")"
fi
tacho=$2
sockets=$3
work=$(mktemp -d)
started=()
finish() {
  exec 7>&- 8>&-
  [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
export HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state LC_ALL=C.UTF-8
unset TACHO_DIR
faults=0
fault() {
  echo "FAULT: $*"
  faults=$((faults + 1))
}

ip link set lo up
ip -6 addr add 2001:db8:1234:5678:9abc:def0:1234:5678/128 dev lo nodad
ip route add 198.51.100.0/24 dev lo
ip route add unreachable 10.66.0.0/16
ip -6 route add unreachable 2001:db9::/32
mount -t sysfs none /sys 2>/dev/null && own_sys=yes || own_sys=no

# start NAME ARGS...: sockets under that name of argv[0], until the test ends.
mkfifo stop
exec 7<>stop
start() {
  local name=$1
  shift
  mkfifo "ready.${#started[@]}"
  (exec -a "$name" "$sockets" "$@" <stop >"ready.${#started[@]}" 7>&- 8>&-) &
  local line=
  read -r -t 60 line <"ready.${#started[@]}" || fault "sockets $*: not ready"
  started+=($!)
}
start zoo zoo
start $'evil\e]0;x\a' listen 8100

# The same but for what docs/differences.md tells: the backlog of a listener, the user of what
# nobody holds any more; padding, since columns widen; the order; hundredths of timers.
same() {
  sed -E 's/^((tcp6?) +[0-9]+ +)[0-9]+( .* LISTEN )/\1B\3/; s/\([0-9]+\.[0-9]+\//(T\//; s/ +/ /g;
    s/ (TIME_WAIT|FIN_WAIT2) (0|root|-) 0 / \1 nobody 0 /; s/ $//; s/[0-9]+\/evil[^ ]*/EVIL/' | sort
}
# Sockets may leave their state between the two: then they are looked at again.
compare() {
  local try
  for try in 1 2 3; do
    netstat -W "$@" 2>/dev/null | same >theirs
    "$tacho" netstat "$@" 2>ours.err | same >ours
    diff theirs ours >difference && return
  done
  fault "netstat $*: original <, ours >: $(cat difference)"
}
for state in ESTABLISHED SYN_SENT FIN_WAIT2 TIME_WAIT CLOSE_WAIT LISTEN; do
  "$tacho" netstat -ant | grep -q " $state *$" || fault "no socket in $state to compare"
done
for options in -a -an -ant -anu -anw -anx -anp -ane -anee -ano -antpeo -tulpn -plnt -l -n -4 -6 -n4 \
  -an6 -U -w -x -r -rn -rne -rnee -r6 -r6n -rC -s -st -su -sw -s6 "--numeric-hosts -a" \
  "--numeric-ports -a" "--numeric-users -ae" "-A inet -an" "--inet6 -an" "--unix"; do
  # shellcheck disable=SC2086
  compare $options
done
[ $own_sys = no ] || for options in -i -ia; do compare $options; done

# The pipeline of people.
count() { awk '{print $6}' | sort | uniq -c; }
for ((try = 0; try < 3; try++)); do
  [ "$(netstat -ant | count)" = "$("$tacho" netstat -ant | count)" ] && break
done
[ $try -lt 3 ] || fault "states are counted otherwise"
"$tacho" netstat --states | awk 'NR > 1 { print $2, $1 }' | sort >ours
netstat -ant | awk '/^tcp/ { print $6 }' | sort | uniq -c | awk '{ print $1, $2 }' | sort >theirs
diff theirs ours >difference || fault "--states: $(cat difference)"

# Right where the original is wrong.
"$tacho" netstat -lnt | grep -q '^tcp  *3  *7 127.0.0.1:8001 ' ||
  fault "the listener's queue and backlog are not told: $("$tacho" netstat -lnt)"
"$tacho" netstat -ant | grep -q ' 2001:db8:1234:5678:9abc:def0:1234:5678:8003 ' || fault "an address was cut"
"$tacho" netstat -lntp | grep -q $'\e' && fault "a terminal can be written to through a name"
"$tacho" netstat -lntp | grep -qF '/evil\e]0;x\x07' || fault "the escaped name is missing"
"$tacho" netstat -lntp | sed 's/^\(.\{24\}\).*/\1/' >narrow
COLUMNS=200 "$tacho" netstat -lntp | sed 's/^\(.\{24\}\).*/\1/' | cmp -s - narrow || fault "width matters"

# Queues.
"$tacho" netstat --queues -n >queues
[ "$(awk 'NR == 2 { print $2 }' queues)" = 1000 ] || fault "--queues: not the longest first: $(cat queues)"
grep -q ' 127.0.0.1:8001  *0.0.0.0:\*  *LISTEN ' queues || fault "--queues: not the full listener"
grep -q '/zoo$' queues || fault "--queues: no owner"

# JSON.
"$tacho" netstat -anp --json >json
if command -v python3 >/dev/null; then
  python3 - <<'P' || fault "the JSON is not as documented"
import json
d = json.load(open("json"))
assert set(d) == {"time", "sockets", "unix"}, set(d)
for s in d["sockets"]:
    assert list(s) == ["protocol", "recv_queue", "send_queue", "local_address", "local_port",
                       "remote_address", "remote_port", "state", "uid", "inode", "pid", "program",
                       "timer", "retransmits"], list(s)
one = [s for s in d["sockets"] if s["local_port"] == 8001 and s["state"] == "LISTEN"]
assert len(one) == 1 and one[0]["recv_queue"] == 3 and one[0]["send_queue"] == 7, one
assert one[0]["program"] == "zoo"
P
fi

# The same over a recording made at that time.
"$tacho" record --interval 1s --dir "$work/recording" >/dev/null 2>record.err &
recorder=$!
started+=("$recorder")
for ((i = 0; i < 300; i++)); do
  sleep 0.2
  "$tacho" netstat -ant --dir "$work/recording" --last 1h 2>/dev/null | grep -q LISTEN && break
done
shown() { awk '/^(tcp|udp|raw)/ { print $1, $2, $3, $4, $5, $6 }' | grep -v -e WAIT -e SYN | sort; }
"$tacho" netstat -ant --dir "$work/recording" --last 1h 2>/dev/null | shown >recorded
"$tacho" netstat -ant | shown >live
diff live recorded >difference || fault "recording: live <, recorded >: $(cat difference)"
for options in -rn -rne -r6n "-x"; do
  "$tacho" netstat $options --dir "$work/recording" --last 1h >recorded 2>recorded.err
  case $options in
    -x) grep -q 'socket_unix: not recorded' recorded.err || fault "-x: $(cat recorded.err)" ;;
    *) "$tacho" netstat $options | cmp -s - recorded || fault "netstat $options over a recording: $(cat recorded)" ;;
  esac
done
"$tacho" netstat -s --dir "$work/recording" --last 1h | grep -q ' active connection openings$' ||
  fault "-s over a recording"
"$tacho" netstat --queues -n --dir "$work/recording" --last 1h | grep -q ' 1000 ' || fault "--queues over a recording"
kill -INT "$recorder"
wait "$recorder" 2>/dev/null

# Exit codes.
code() {
  local expected=$1
  shift
  "$tacho" netstat "$@" >/dev/null 2>&1
  local got=$?
  [ $got -eq "$expected" ] || fault "netstat $*: exit code $got, not $expected"
}
code 3 -Q
code 3 --foo
code 3 -A
code 3 -r -i
code 3 -r -x
code 1 -A foo
code 1 -M
code 1 -s -x
code 0 -h
code 0 -V

[ $faults -eq 0 ] && echo "netstat: as the original" || exit 1
