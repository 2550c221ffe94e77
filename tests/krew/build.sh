#!/bin/sh
# Builds the krew that the archives are tried with, once, into the cache, and prints its path.  Exit 2: it cannot be
# built here, as there is no Go, or its modules are not there and cannot be fetched.  build.sh --ready only tells whether it is there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
krew=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/krew-$(cat "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-12)
[ "${1:-}" != --ready ] || exec test -x "$krew"
if [ ! -x "$krew" ]; then
	command -v go >/dev/null 2>&1 || exit 2
	(cd "$here" && go list -deps sigs.k8s.io/krew/cmd/krew >/dev/null) || exit 2
	mkdir -p "$(dirname "$krew")"
	(cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$krew.new" sigs.k8s.io/krew/cmd/krew) >&2
	mv "$krew.new" "$krew"
fi
echo "$krew"
