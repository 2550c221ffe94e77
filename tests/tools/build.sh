#!/bin/sh
# build.sh NAME: builds a tool that the tests use, a program in Go whose module is tests/tools/NAME, once, into the cache, and prints
# its path.  Exit 2: no Go here.
set -eu
name=${1:?krew or actionlint}
here=$(cd "$(dirname "$0")" && pwd)/$name
program=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/$name-$(cat "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-12)
if [ ! -x "$program" ]; then
	command -v go >/dev/null 2>&1 || exit 2
	mkdir -p "$(dirname "$program")"
	main=$(sed -n 's/^import _ "\(.*\)"$/\1/p' "$here/tools.go")
	(cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$program.$$" "$main") >&2
	mv "$program.$$" "$program"
fi
echo "$program"
