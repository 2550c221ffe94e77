#!/bin/sh
# notes.sh VERSION: what CHANGELOG.md says of that version, without its heading: the notes of a release.
set -eu
version=${1:?a version}
changelog=$(dirname "$0")/../CHANGELOG.md
awk -v heading="## $version" '
	/^## / { inside = ($0 == heading || index($0, heading " ") == 1); next }
	inside && (NF || said) { blank = NF ? 0 : blank + 1; if (NF) { while (owed-- > 0) print ""; print; said = 1; owed = 0 } else owed = blank }
	END { exit !said }' "$changelog" || {
	echo "notes.sh: CHANGELOG.md says nothing below \"## $version\"" >&2
	exit 1
}
