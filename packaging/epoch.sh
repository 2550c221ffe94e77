#!/bin/sh
# epoch.sh: the time of the sources in seconds: of their commit, or where that is not known, of the release that they are.
# SOURCE_DATE_EPOCH is heeded.
set -eu
cd "$(dirname "$0")/.."
known=${SOURCE_DATE_EPOCH:-$(packaging/commit.sh --time)}
echo "${known:-$(date -u -d "$(sed -n 's/^RELEASED := //p' Makefile)" +%s)}"
