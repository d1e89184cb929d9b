#!/usr/bin/env bash
# What is installed, what the Debian package holds and does, and who may read what the service
# records. Usage: package.sh BUILD_DIR. As root the package is installed, removed and purged in a
# copy-on-write view of this system that is thrown away.
set -u
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0
fault() {
  echo "FAULT: $*"
  faults=$((faults + 1))
}
missing() { # TOOL: whether it is missing, said so
  command -v "$1" >/dev/null && return 1
  echo "not checked, there is no $1: $2"
}

# cmake --install, below any prefix.
DESTDIR=$work/dest cmake --install "$build" --prefix /opt/tacho >/dev/null || fault "cmake --install"
root=$work/dest/opt/tacho
for file in bin/tacho share/doc/tacho/README.md share/doc/tacho/copyright share/man/man1/tacho.1.gz \
  lib/systemd/system/tacho.service lib/sysusers.d/tacho.conf; do
  [ -f "$root/$file" ] || fault "not installed: $file"
done
grep -q '^ExecStart=/opt/tacho/bin/tacho record --dir /var/lib/tacho$' \
  "$root/lib/systemd/system/tacho.service" || fault "the unit starts something else"
"$root/bin/tacho" --version | grep -q '^tacho ' || fault "the installed program does not run"
[ -e "$work/dest/etc" ] && fault "files in /etc below another prefix"
zcat "$root/share/man/man1/tacho.1.gz" >"$work/man"
for command in $("$root/bin/tacho" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
  grep -qx ".SS $command" "$work/man" || fault "the manual lacks $command"
done
grep -q '^  \\-\\-interval TIME' "$work/man" || fault "the manual lacks record's options"
if ! missing man "the manual"; then
  LC_ALL=C.UTF-8 man --warnings -l "$work/man" 2>&1 >/dev/null | grep . && fault "the manual is wrong"
fi
# Documentation that is linked is there.
for link in $(grep -o '](docs/[a-z-]*\.md)' "$root/share/doc/tacho/README.md" | tr -d '()]' | sort -u); do
  [ -f "$root/share/doc/tacho/$link" ] || fault "README.md links $link"
done

# The unit, as systemd reads it.
if ! missing systemd-analyze "the unit"; then
  sed "s|/opt/tacho/bin/tacho|$root/bin/tacho|" "$root/lib/systemd/system/tacho.service" \
    >"$work/tacho.service"
  systemd-analyze verify --man=no "$work/tacho.service" 2>&1 | grep tacho.service &&
    fault "systemd-analyze verify"
fi

# The package.
if missing dpkg-shlibdeps "the package" || missing file "the package"; then
  [ $faults -eq 0 ] || exit 1
  exit 0
fi
cpack --config "$build/CPackConfig.cmake" -B "$work" >"$work/cpack.out" 2>&1 ||
  fault "cpack: $(tail -3 "$work/cpack.out")"
deb=$(echo "$work"/tacho_*.deb)
dpkg-deb -f "$deb" Depends | grep -q libzstd1 || fault "Depends: $(dpkg-deb -f "$deb" Depends)"
dpkg-deb -f "$deb" Package Section | grep -q 'Section: admin' || fault "no section"
dpkg-deb -c "$deb" >"$work/contents"
for file in ./usr/bin/tacho ./usr/lib/systemd/system/tacho.service ./usr/lib/sysusers.d/tacho.conf \
  ./usr/share/doc/tacho/copyright ./usr/share/man/man1/tacho.1.gz ./etc/tacho/tacho.toml; do
  grep -q " $file\$" "$work/contents" || fault "not in the package: $file"
done
grep -v ' root/root ' "$work/contents" && fault "files of others in the package"
[ "$(dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./conffiles)" = /etc/tacho/tacho.toml ] ||
  fault "the configuration is no conffile"
dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/lib/systemd/system/tacho.service |
  grep -q '^ExecStart=/usr/bin/tacho ' || fault "the packaged unit starts something else"

# Installed, removed and purged; what it records read by the group and by others.
cat >"$work/inside.sh" <<'EOF'
set -u
work=$1 deb=$2
mkdir "$work/top" "$work/upper-work" "$work/all"
mount -t tmpfs tacho "$work/top" && mkdir "$work/top/upper" "$work/top/work" "$work/top/all" &&
  mount -t overlay tacho -o "lowerdir=/,upperdir=$work/top/upper,workdir=$work/top/work" \
    "$work/top/all" || exit 77
all=$work/top/all
mount -t proc proc "$all/proc" && mount --bind /dev "$all/dev" || exit 77
cp "$deb" "$all/tmp/tacho.deb" || exit 77
exec chroot "$all" bash /dev/stdin <<'EOC'
faults=0
fault() { echo "FAULT: $*"; faults=$((faults + 1)); }
rm -rf /var/lib/tacho /run/systemd/system
dpkg -i /tmp/tacho.deb >/tmp/out 2>&1 || fault "dpkg -i: $(tail -3 /tmp/out)"
getent group tacho >/dev/null || fault "no group tacho"
link=/etc/systemd/system/multi-user.target.wants/tacho.service
[ -L $link ] || fault "the service is not enabled"
rm $link # as systemctl disable does
dpkg -i /tmp/tacho.deb >/tmp/out 2>&1 || fault "dpkg -i again: $(tail -3 /tmp/out)"
[ -L $link ] && fault "an upgrade enabled the service that was disabled"
# As the service does it: root, its group tacho.
mkdir -m 0750 /var/lib/tacho && chgrp tacho /var/lib/tacho
setpriv --regid tacho --clear-groups tacho record --dir /var/lib/tacho --interval 200ms \
  --duration 20s 2>/tmp/said &
recorder=$!
for i in $(seq 100); do tacho status --dir /var/lib/tacho >/dev/null 2>&1 && break; sleep 0.1; done
sleep 1
member() { setpriv --reuid 65534 --regid 65534 --groups "$(getent group tacho | cut -d: -f3)" env HOME=/nonexistent "$@"; }
as_stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent)
stranger() { "${as_stranger[@]}" "$@"; }
member tacho status | grep -q '^folder *\/var\/lib\/tacho$' || fault "a member: status"
[ "$(member tacho dump system | wc -l)" -ge 3 ] || fault "a member: dump"
member tacho why --last 1m | grep -q '^step ' || fault "a member: why"
member tacho vmstat --last 1m | grep -q procs || fault "a member: vmstat"
member tacho stop 2>/tmp/err && fault "a member stopped the service"
[ "$(wc -l </tmp/err)" -eq 1 ] || fault "a member: stop: $(cat /tmp/err)"
refused="/var/lib/tacho: permission denied; members of the group 'tacho' may read it"
for words in "dump system --dir /var/lib/tacho" "dump system" "why --last 1m" status stop "mark x"; do
  stranger tacho $words >/tmp/out 2>/tmp/err && fault "a stranger may: $words"
  [ "$(cat /tmp/err)" = "tacho ${words%% *}: $refused" ] || fault "a stranger: $words: $(cat /tmp/err)"
done
# An own recording of the past does not hide the one that is being written.
HOME=/tmp tacho record --interval 100ms --duration 200ms 2>/dev/null || fault "an own recording"
HOME=/tmp tacho status | grep -q '^folder *\/var\/lib\/tacho$' || fault "an own recording hides the service's"
"${as_stranger[@]}" tacho why >/dev/null 2>/tmp/err &
for i in $(seq 100); do [ -s /tmp/err ] && break; sleep 0.05; done
kill $!
[ "$(cat /tmp/err)" = "tacho why: $refused: sampling for 10 s" ] || fault "a stranger: why: $(cat /tmp/err)"
[ "$(stat -c %a /var/lib/tacho)" = 750 ] || fault "mode of the folder"
stat -c '%a %G' /var/lib/tacho/tail-* | grep -vx '640 tacho' && fault "mode of a tail"
kill $recorder; wait $recorder
[ "$(stat -c '%a %G' /var/lib/tacho/*.seg)" = '640 tacho' ] || fault "mode of a segment"
dpkg -r tacho >/tmp/out 2>&1 || fault "dpkg -r: $(tail -3 /tmp/out)"
ls /var/lib/tacho/*.seg >/dev/null || fault "a removed package took the recording along"
dpkg -P tacho >/tmp/out 2>&1 || fault "dpkg -P: $(tail -3 /tmp/out)"
[ -e /var/lib/tacho ] && fault "a purged package left its recording"
[ -e /etc/tacho ] && fault "a purged package left its configuration"
getent group tacho >/dev/null && fault "a purged package left its group"
exit $faults
EOC
EOF
if [ "$(id -u)" -ne 0 ]; then
  echo "not checked, not root: installing the package"
elif ! unshare --mount true 2>/dev/null; then
  echo "not checked, may not have mounts of its own: installing the package"
else
  unshare --mount --fork bash "$work/inside.sh" "$work" "$deb"
  case $? in
  0) ;;
  77) echo "not checked, may not mount: installing the package" ;;
  *) fault "in the copy of the system" ;;
  esac
fi
[ $faults -eq 0 ] || exit 1
echo "all well"
