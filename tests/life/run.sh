#!/usr/bin/env bash
# Nothing that happens to tacho may touch the program under `tacho run`: its recorder killed or
# stopped, tacho run itself killed, no folder to record into. Its streams stay what they were, byte
# for byte; its exit code comes back. Usage: run.sh TACHO
# shellcheck source=tests/life/lib.sh
. "$(dirname "$0")/lib.sh"
head -c 200000 /dev/urandom >bytes

# Waits for the file go, then copies its input to both outputs, and ends with 23.
cat >program <<'END'
echo $$ >pid
while [ ! -e go ]; do sleep 0.02; done
cat >kept
cat kept
cat kept >&2
exit 23
END

# start ARGS...: tacho run ARGS... of the program in the background, with three streams of its own.
start() {
  rm -f pid go out err
  "$tacho" run "$@" -- sh ./program <bytes >out 2>err &
  run=$!
  started+=("$run")
  eventually test -s pid || fault "the program does not start"
  pid=$(cat pid)
  started+=("$pid")
}
# ends WHAT CODE: lets the program end; its output must be whole, and CODE returned.
ends() {
  touch go
  wait "$run"
  expect "$1: exit code" $? "$2"
  cmp bytes out || fault "$1: its output is not what it wrote"
  head -c 200000 err | cmp bytes - || fault "$1: its error output is not what it wrote"
}
recorder_is() {
  recorder=$(recorder_of "$1") && [ -n "$recorder" ]
}

# Undisturbed: nothing is added to its output, and the summary follows on stderr.
start --dir own
eventually recorder_is own || fault "no recorder of its own"
ends "undisturbed" 23
expect_in "the summary" "tacho run: exit code 23 after" <(tail -c +200001 err)
expect "the program is the watched tree" \
  "$(table process own "select(.pid==$pid) | .watched" | sort -u)" 1
kill -0 "$recorder" 2>/dev/null && fault "its recorder stays behind"

# Its own recorder is killed, or hangs.
for signal in KILL STOP; do
  start --dir "own-$signal"
  eventually recorder_is "own-$signal" || fault "no recorder of its own"
  started+=("$recorder")
  kill -$signal "$recorder"
  kill -0 "$pid" || fault "SIG$signal of its recorder ends the program"
  ends "its recorder got SIG$signal" 23
  kill -KILL "$recorder" 2>/dev/null
done
"$tacho" dump system --dir own-KILL >dump.out 2>dump.err || fault "what was recorded is lost: $(cat dump.err)"

# A recorder that watches its tree beside others is killed.
"$tacho" record -b --interval 200ms --dir shared >/dev/null || fault "record -b"
start --dir shared
watched() {
  "$tacho" status --dir shared | grep -q "^watched *process $pid"
}
eventually watched || fault "the running recorder does not watch it: $("$tacho" status --dir shared)"
recorder=$(recorder_of shared)
kill -KILL "$recorder"
kill -0 "$pid" || fault "the recorder's death ends the program"
ends "the running recorder was killed" 23

# tacho run itself is killed: the program goes on and has its streams.
start -q --dir orphan
eventually recorder_is orphan || fault "no recorder of its own"
kill -KILL "$run"
wait "$run" 2>/dev/null
kill -0 "$pid" || fault "SIGKILL of tacho run ends the program"
touch go
gone() { ! kill -0 "$1" 2>/dev/null; }
eventually gone "$pid" || fault "the program does not end"
cmp bytes out || fault "tacho run was killed: its output is not what it wrote"
eventually gone "$recorder" || fault "its recorder does not end after it"

# There is nowhere to record.
echo "a file" >occupied
start --dir occupied/below
ends "no folder" 23
expect_in "no folder" "no verdict" <(tail -c +200001 err)
mkdir foreign && echo hello >foreign/file
start --dir foreign
ends "a foreign folder" 23
expect "a foreign folder is left alone" "$(ls foreign)" file

# As the shell knows it: signals, missing programs, empty and closed streams.
"$tacho" run -q --dir own -- sh -c 'kill -SEGV $$' >out 2>err
expect "a signal" $? 139
"$tacho" run -q --dir own -- ./nosuch 2>err
expect "no such program" $? 127
one_line "nosuch" err
"$tacho" run -q --dir own -- ./bytes 2>err
expect "no program" $? 126
one_line "bytes" err
"$tacho" run -q --dir own -- sh -c 'readlink /proc/self/fd/0 /proc/self/fd/1' >out 2>err <&-
expect "a closed input stays closed" "$(cat out)" "$work/out"
"$tacho" run -q --dir own -- sh -c 'test -e /proc/self/fd/1' >&- && fault "a closed output is open"
"$tacho" run -q --dir own -- sh -c 'sleep 30 & exit 3' >out 2>err
expect "a program that leaves something behind" $? 3
started+=("$(pgrep -f '^sleep 30$' -n)")

# On a terminal each stream is the terminal, and one that is not stays a file.
if command -v script >/dev/null; then
  script -qec "$tacho run -q --dir own -- sh -c 'test -t 0 && test -t 1 && test ! -t 2; echo tty \$?' 2>file" \
    /dev/null >out 2>err </dev/null
  expect_in "on a terminal" "tty 0" out
fi
finish
