#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints words.txt as tables of C: the words, those of one first letter together, and the pairs of words ("timed+out"): words.sh FILE
set -eu

awk '
	/^#/ || NF == 0 { next }
	{
		for (i = 2; i <= NF; i++) {
			if (split($i, two, "+") == 2) {
				pairs = pairs sprintf("\t{ \"%s\", \"%s\", SENSE_%s },\n", two[1], two[2], $1)
				continue
			}
			n++
			sense[n] = $1
			word[n] = $i
		}
	}
	function print_letter(place, letter,    i, text, stem, first) {
		from[place] = printed + 0
		for (i = 1; i <= n; i++) {
			first = substr(word[i], 1, 1)
			if (letter == "" ? first ~ /[a-z]/ : first != letter)
				continue
			text = word[i]
			stem = sub(/\*$/, "", text)
			printf "\t{ \"%s\", %d, %s, SENSE_%s },\n", text, length(text), stem ? "true" : "false", sense[i]
			printed++
		}
	}
	END {
		print "static const struct entry vocabulary[] = {"
		for (l = 1; l <= 26; l++)
			print_letter(l - 1, substr("abcdefghijklmnopqrstuvwxyz", l, 1))
		print_letter(26, "")
		print "};"
		printf "static const uint16_t vocabulary_from[28] = {"
		for (l = 0; l <= 26; l++)
			printf " %d,", from[l]
		printf " %d };\n", printed
		printf "static const struct pair pairs[] = {\n%s};\n", pairs
	}' "$1"
