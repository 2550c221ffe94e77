#!/bin/sh
# commit.sh: the first 12 digits of the commit that the sources are of, or an empty line.  commit.sh --time: its time in seconds.
# In an archive that git made, and where there is no git, both stand in commit.txt.
set -eu
cd "$(dirname "$0")/.."
if [ -e .git ]; then
	known=$(git log -1 --format='%H %ct' 2>/dev/null || true)
else
	known=$(grep -E '^[0-9a-f]{40} [0-9]+$' packaging/commit.txt 2>/dev/null || true)
fi
case ${1:-} in
--time) echo "${known#* }" ;;
*) echo "${known%% *}" | cut -c1-12 ;;
esac
