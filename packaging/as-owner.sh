#!/bin/sh
# as-owner.sh COMMAND...: runs the command, as the owner of this folder where root runs it in the folder of somebody else,
# so that no file in it becomes root's.
set -eu
owner=$(stat -c %u . 2>/dev/null || stat -f %u .)
group=$(stat -c %g . 2>/dev/null || stat -f %g .)

if [ "$(id -u)" != 0 ] || [ "$owner" = 0 ]; then
	exec "$@"
fi
echo "$(basename "$1") is run as user $owner, who owns this folder" >&2
if command -v setpriv >/dev/null 2>&1 && setpriv --reuid="$owner" --regid="$group" --clear-groups true 2>/dev/null; then
	exec setpriv --reuid="$owner" --regid="$group" --clear-groups "$@"
elif command -v sudo >/dev/null 2>&1; then
	exec sudo -E -u "#$owner" "$@"
fi
echo "nothing can be run as user $owner here (setpriv, sudo): run $* as that user first" >&2
exit 1
