#!/bin/sh
# Builds the krew that the archives are tried with, once, into the cache, and prints its path.  Exit 2: no Go here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
krew=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/krew-$(cat "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-12)
if [ ! -x "$krew" ]; then
	command -v go >/dev/null 2>&1 || exit 2
	mkdir -p "$(dirname "$krew")"
	(cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$krew.new" sigs.k8s.io/krew/cmd/krew) >&2
	mv "$krew.new" "$krew"
fi
echo "$krew"
