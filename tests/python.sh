#!/bin/sh
# Prints a python3 that has what the tests need: $PYTHON where that is set, which has to have it already, else that of an environment
# in the cache, which is made on first use.  python.sh --about makes nothing, and says in a line which it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
oldest=3.11

fail() {
	echo "tests: $1" >&2
	echo false # what runs instead fails, and says nothing of its own
	exit 1
}

# What is too old or not there, in one line; the oldest versions and their packages are in the comments of requirements.txt.
find_missing() {
	"$python" - "$here/requirements.txt" <<'END'
import importlib.metadata
import re
import sys


def numbers(version):
    return [int(n) for n in re.findall(r"\d+", version)[:3]]


missing = []
for line in open(sys.argv[1], encoding="utf-8"):
    found = re.match(r"([\w-]+)==\S+\s*# (\S+) (\S+)", line)
    if not found:
        continue
    name, oldest, package = found.groups()
    try:
        there = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        missing.append("%s is not there (%s or newer; Debian: %s)" % (name, oldest, package))
        continue
    if numbers(there) < numbers(oldest):
        missing.append("%s %s is too old (%s or newer; Debian: %s)" % (name, there, oldest, package))
print("; ".join(missing))
END
}

command -v "$python" >/dev/null 2>&1 || fail "there is no $python"
version=$("$python" -c 'import platform; print(platform.python_version())') || fail "$python does not run"
"$python" -c "import sys; sys.exit(sys.version_info < tuple(map(int, '$oldest'.split('.'))))" ||
	fail "$python is $version, and the tests need $oldest or newer: PYTHON=PATH names another one"

if [ -n "${PYTHON:-}" ]; then
	missing=$(find_missing)
	if [ "${1:-}" = --about ]; then
		echo "$PYTHON $version${missing:+, but $missing}"
		exit 0
	fi
	[ -z "$missing" ] || fail "PYTHON=$PYTHON ($version) cannot run them: $missing"
	echo "$PYTHON"
	exit 0
fi

wanted=$(sed 's/[[:space:]]*#.*//; /^$/d' "$here/requirements.txt")
hash=$({ echo "$wanted"; python3 --version; } | sha256sum | cut -c1-12)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/python-$hash
if [ "${1:-}" = --about ]; then
	if [ -e "$venv/complete" ]; then
		echo "$version in $venv"
	else
		echo "$version, with what is installed into $venv, once: $(echo "$wanted" | tr '\n' ' ')(100 MB, a minute)"
	fi
	exit 0
fi
if [ ! -e "$venv/complete" ]; then
	{ python3 -m venv "$venv" && "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/requirements.txt" &&
		touch "$venv/complete"; } >&2 ||
		fail "no environment could be made in $venv: that needs python3-venv, and the packages of tests/requirements.txt from PyPI. Where there is no network, PYTHON=/usr/bin/python3 takes those of the system (Debian: $(sed -n 's/.*# [^ ]* //p' "$here/requirements.txt" | grep ^python3- | tr '\n' ' '| sed 's/ $//'))"
fi
echo "$venv/bin/python"
