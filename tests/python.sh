#!/bin/sh
# Prints a python3 that has what the tests need: an environment in the cache, made on first use.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hash=$( (cat "$here/requirements.txt"; python3 --version) | sha256sum | cut -c1-12)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/python-$hash
if [ ! -e "$venv/complete" ]; then
	if ! { python3 -m venv "$venv" && "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/requirements.txt" &&
		touch "$venv/complete"; } >&2; then
		echo "tests: no python environment in $venv: it needs python3-venv and the packages of tests/requirements.txt" >&2
		echo false # what runs instead fails, and says nothing of its own
		exit 1
	fi
fi
echo "$venv/bin/python"
