#!/bin/sh
# Prints a python3 that has what the tests need: an environment in the cache, made on first use.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hash=$( (cat "$here/requirements.txt"; python3 --version) | sha256sum | cut -c1-12)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/python-$hash
if [ ! -e "$venv/complete" ]; then
	python3 -m venv "$venv" >&2
	"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/requirements.txt" >&2
	touch "$venv/complete"
fi
echo "$venv/bin/python"
