#!/bin/sh
# Installs what is missing to build (packages.sh build) or also to test (packages.sh test), and says before what and how
# much that is.  Where it cannot, it says the exact packages.  packages.sh missing only tells what is missing to build.
set -eu

what=${1:-build}

missing=
need_lib() { # pkg-config name
	pkg-config --exists "$1" 2>/dev/null || missing="$missing $1"
}
need_version() { # pkg-config name, oldest version: no package of this system would help
	if pkg-config --exists "$1" && ! pkg-config --atleast-version="$2" "$1"; then
		echo "$1 $(pkg-config --modversion "$1") is too old to build with: $2 or newer is needed." >&2
		echo "The archives of a release need no libraries and run on this system, too." >&2
		exit 1
	fi
}
need_openssl() { # a libcurl of another TLS library takes no certificates from memory
	if command -v curl-config >/dev/null 2>&1 && ! curl-config --ssl-backends | grep -q OpenSSL; then
		missing="$missing libcurl-with-OpenSSL"
	fi
}
need_header() {
	printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" |
		${CC:-cc} -E -o /dev/null - 2>/dev/null || missing="$missing $1"
}
need_tool() {
	command -v "$1" >/dev/null 2>&1 || missing="$missing $1"
}

find_missing() {
	missing=
	tool=${CC:-cc}
	need_tool "${tool%% *}"
	need_tool make
	need_tool pkg-config
	for lib in libcurl libcrypto ncursesw libcjson yaml-0.1 zlib libarchive; do
		need_lib "$lib"
	done
	! command -v pkg-config >/dev/null 2>&1 || need_version libcurl 7.88.0
	need_openssl
	need_header uthash.h
	[ "$what" = test ] || return 0
	need_header cmocka.h
	need_tool python3
	need_tool openssl
	need_tool clang
	need_tool less
	if [ "$(uname -s)" = Linux ]; then need_tool valgrind; fi
	# PYTHON has the packages of the tests itself
	[ -n "${PYTHON:-}" ] || python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
}

find_missing
[ -n "$missing" ] || exit 0
if [ "$what" = missing ]; then
	echo "missing to build:$missing (make deps installs it, or prints the packages)" >&2
	exit 1
fi

if command -v apt-get >/dev/null 2>&1; then
	install="apt-get install -y --no-install-recommends"
	build="gcc libc6-dev make pkg-config libcurl4-openssl-dev libssl-dev libncurses-dev libcjson-dev libyaml-dev zlib1g-dev libarchive-dev uthash-dev"
	test="libcmocka-dev python3 python3-venv openssl clang less valgrind"
	[ -z "$(apt-cache policy clang 2>/dev/null)" ] && update=yes || update=
elif command -v dnf >/dev/null 2>&1; then
	install="dnf install -y"
	build="gcc make pkgconf-pkg-config libcurl-devel openssl-devel ncurses-devel cjson-devel libyaml-devel zlib-devel libarchive-devel uthash-devel"
	test="libcmocka-devel python3 openssl clang less valgrind compiler-rt"
elif command -v apk >/dev/null 2>&1; then
	install="apk add"
	build="build-base pkgconf curl-dev openssl-dev ncurses-dev cjson-dev yaml-dev zlib-dev libarchive-dev uthash-dev"
	test="cmocka-dev python3 openssl clang less valgrind compiler-rt"
elif command -v pacman >/dev/null 2>&1; then
	install="pacman -S --noconfirm --needed"
	build="base-devel curl openssl ncurses cjson libyaml zlib libarchive uthash"
	test="cmocka python openssl clang less valgrind"
elif command -v brew >/dev/null 2>&1; then
	install="brew install"
	build="pkgconf curl openssl ncurses cjson libyaml libarchive uthash"
	test="cmocka python openssl less"
else
	echo "missing:$missing" >&2
	echo "no package manager found that this script knows (apt, dnf, apk, pacman, brew); install the development" >&2
	echo "packages of libcurl, OpenSSL, ncurses (wide), cJSON, libyaml, zlib, libarchive and uthash; for the tests cmocka, python3, openssl, clang, less" >&2
	exit 1
fi

packages=$build
[ "$what" = test ] && packages="$build $test"

sudo=
if [ "$(id -u)" != 0 ] && ! command -v brew >/dev/null 2>&1; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo=sudo
	else
		echo "missing:$missing" >&2
		echo "install them with: sudo $install $packages" >&2
		exit 1
	fi
fi

# What the package manager says that it would take, "120 MB to download, 512 MB on the disk"; nothing where it does not say.
size() {
	case $install in
	apt-get*)
		LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null | sed -n \
			-e 's|^Need to get \(.*/\)\{0,1\}\([0-9][^/]*B\) of archives.*|\2 to download|p' \
			-e 's|^After this operation, \(.*B\) of additional disk space.*|\1 on the disk|p'
		;;
	dnf*)
		LC_ALL=C $sudo dnf install --assumeno "$@" 2>/dev/null | sed -n \
			-e 's|^Total download size: \(.*\)|\1 to download|p' -e 's|^Installed size: \(.*\)|\1 on the disk|p'
		;;
	esac | sed -e :a -e N -e '$!ba' -e 's/\n/, /g'
}

echo "installing what is missing:$missing" >&2
[ -z "${update:-}" ] || $sudo apt-get update -qq >&2
if [ "$what" = test ] && command -v apt-get >/dev/null 2>&1; then
	# the sanitizers: their package is named after the version of clang
	clang=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1)
	for rt in "libclang-rt-$clang-dev" "libclang-common-$clang-dev"; do
		if apt-cache show "$rt" >/dev/null 2>&1; then
			packages="$packages $rt"
			break
		fi
	done
fi
# shellcheck disable=SC2086 # lists of words
size=$(size $packages)
echo "that is, with what these need${size:+ ($size)}: $sudo${sudo:+ }$install $packages" >&2
# shellcheck disable=SC2086 # lists of words
if ! DEBIAN_FRONTEND=noninteractive $sudo $install $packages >&2; then
	echo "that did not work; the packages are: $packages" >&2
	exit 1
fi
find_missing
if [ -n "$missing" ]; then
	echo "still missing:$missing; the packages are: $packages" >&2
	exit 1
fi
