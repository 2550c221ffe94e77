#!/bin/sh
# Counts the instructions of tests/unit/bench_turn.c under callgrind, and fails when a step needs a tenth
# more than tests/instructions.txt says: they tell a slow change from a loaded machine.
#   tests/instructions.sh build/unit/bench_turn           compares
#   tests/instructions.sh build/unit/bench_turn --renew   writes the file: commit it with the reason
set -eu

program=$1
baseline=$(dirname "$0")/instructions.txt
compiler=$(${CC:-cc} --version | head -n 1)
machine=$(uname -m)

if ! command -v valgrind >/dev/null 2>&1; then
	echo "instructions: skipped, valgrind is missing (./packages.sh test)"
	exit 0
fi
counts=$(mktemp)
trap 'rm -f "$counts" "$counts.out" "$counts.log"' EXIT
if ! valgrind --tool=callgrind --callgrind-out-file="$counts.out" "$program" >"$counts.log" 2>&1; then
	cat "$counts.log"
	echo "instructions: $program failed under valgrind"
	exit 1
fi
callgrind_annotate --inclusive=yes --threshold=100 "$counts.out" |
	sed -n 's/^ *\([0-9,]*\) .*:\(turn_[a-z]*\).*/\2 \1/p' | tr -d , | sort -u >"$counts"
if [ "$(wc -l <"$counts")" -ne 4 ]; then
	echo "instructions: $program shows not four steps"
	exit 1
fi
if [ "${2:-}" = --renew ]; then
	{
		echo "# Instructions of each step; renewed with: make instructions-renew"
		echo "# $machine $compiler"
		cat "$counts"
	} >"$baseline"
	cat "$baseline"
	exit 0
fi
if [ "$(sed -n 2p "$baseline")" != "# $machine $compiler" ]; then
	echo "instructions: not compared, tests/instructions.txt is of another compiler:$(sed -n '2s/^#//p' "$baseline")"
	exit 0
fi
sort "$baseline" | join - "$counts" | awk '
	{ printf "%-12s %12d instructions, %+.1f %%\n", $1, $3, 100 * ($3 - $2) / $2; if ($3 > $2 * 1.1) bad = 1 }
	END { if (bad) print "more than a tenth more: find out why, or renew with make instructions-renew"; exit bad }'
