#!/bin/sh
# The manual page, made of what the program itself says: man.sh TACHO VERSION >tacho.1
set -eu
tacho=$1
export COLUMNS=76 LC_ALL=C.UTF-8 LANGUAGE=en
shown() { # as it is, whatever it begins with
  printf '.nf\n'
  sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e 's/^\([.'"'"']\)/\\\&\1/'
  printf '.fi\n'
}
printf '.TH TACHO 1 "" "tacho %s"\n' "$2"
printf '.SH NAME\ntacho \\- the black box for training machines\n'
printf '.SH SYNOPSIS\n.B tacho\n.I COMMAND\n\\&...\n'
printf '.SH DESCRIPTION\n'
"$tacho" --help | shown
printf '.SH COMMANDS\n'
for command in $("$tacho" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
  printf '.SS %s\n' "$command"
  "$tacho" "$command" --help | shown
done
printf '.SH FILES\n.TP\n.I /etc/tacho/tacho.toml\nthe configuration; '
printf '.I ~/.config/tacho/tacho.toml\ngoes before it\n'
printf '.TP\n.I /var/lib/tacho\nthe recording of the service, readable by the group tacho\n'
printf '.TP\n.I ~/.local/state/tacho\nthe recording of a user\n'
