#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints each rules file as RULES("name", "its groups", "its text"), examples left out: they are for tests.
LC_ALL=C
export LC_ALL
for f in "$@"; do
	awk -v name="${f##*/}" '
		/^groups:/ && !groups { groups = $0; sub(/^groups: *\[ */, "", groups); sub(/ *\].*$/, "", groups)
			gsub(/, */, " ", groups); gsub(/["'\'']/, "", groups) }
		/^[a-zA-Z]/ { skip = /^examples:/ }
		!skip { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); text = text "\t\"" $0 "\\n\"\n" }
		END { printf "RULES(\"%s\", \"%s\",\n%s)\n", name, groups, text }' "$f"
done
