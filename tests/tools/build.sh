#!/bin/sh
# build.sh NAME: builds a tool that the tests use, a program in Go whose module is tests/tools/NAME, once, into the cache, and prints
# its path.  Exit 2: it cannot be built here, as there is no Go, or its modules are not there and cannot be fetched.
# build.sh NAME --ready only tells whether it is there.
set -eu
name=${1:?krew or actionlint}
here=$(cd "$(dirname "$0")" && pwd)/$name
program=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/$name-$(cat "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-12)
[ "${2:-}" != --ready ] || exec test -x "$program"
if [ ! -x "$program" ]; then
	command -v go >/dev/null 2>&1 || exit 2
	main=$(sed -n 's/^import _ "\(.*\)"$/\1/p' "$here/tools.go")
	(cd "$here" && go list -deps "$main" >/dev/null) || exit 2
	mkdir -p "$(dirname "$program")"
	(cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$program.$$" "$main") >&2
	mv "$program.$$" "$program"
fi
echo "$program"
