#!/bin/sh
# epoch.sh: the time of the sources in seconds: of the last commit, or where they are no git checkout, of the release that
# they are.  SOURCE_DATE_EPOCH is heeded.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
	echo "$SOURCE_DATE_EPOCH"
elif ! { [ -e .git ] && git log -1 --format=%ct 2>/dev/null; }; then
	date -u -d "$(sed -n 's/^RELEASED := //p' Makefile)" +%s
fi
