#!/bin/sh
# sources.sh: the sources of the libraries that are linked in, which sources.txt names and sources.sha256 pins.
#   fetch FOLDER    their files into FOLDER; each is held against its checksum, wherever it came from
#   unpack FOLDER   those files, unpacked with Debian's fixes, each package below its name in the folder where this is called
#   archive FOLDER FILE   one tar of those files, the same bytes each time: what a release keeps, so that it can be built again
#   value suite     trixie (or date: 2026-11-27): a word of sources.txt
#   list            sources.txt's packages: name, version, licence, home page
#   check           exit 1 when Debian's stable release has newer ones, or is another release; says which
#   renew           writes sources.txt and sources.sha256 for the newest ones
#
# The files come from Debian's mirror in this system's apt sources, whichever release of Debian this system is.  A version that is
# there no more comes from the archive of the release: SOURCES=FILE or a folder of the files, else from the address of the release.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
pins=$here/sources.txt sums=$here/sources.sha256
helper=/usr/lib/apt/apt-helper

fail() {
	echo "sources.sh: $*" >&2
	exit 1
}

value() { # suite or date
	sed -n "s/^$1 //p" "$pins"
}

list() {
	grep -Ev '^(#|suite |date |$)' "$pins"
}

verified() { # folder
	[ -d "$1" ] && (cd "$1" && sha256sum --check --quiet "$sums") >/dev/null 2>&1
}

# ---- Debian's mirror ---------------------------------------------------------------

# Where this system gets Debian's packages, and their security updates.
mirrors() {
	{
		cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk 'BEGIN { RS = "" }
			match($0, /URIs:[ \t]*[^ \t\n]*debian[^ \t\n]*/) {
				uri = substr($0, RSTART, RLENGTH); sub(/URIs:[ \t]*/, "", uri)
				print ($0 ~ /Suites:[^\n]*-security/ ? "security" : "main"), uri
			}'
		cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
			sed -nE 's/^deb (\[[^]]*\] )?([^ ]*debian[^ ]*) ([^ ]*) .*main.*/\3 \2/p' |
			sed -E 's/^[^ ]*-security /security /; t; s/^[^ ]* /main /'
	} | sort -u -k1,1
}

stanza() { # address, suites
	printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n' "$1" "$2"
}

# apt with a configuration of its own, in $apt: the source packages of one release of Debian.
open_apt() { # suite
	command -v apt-get >/dev/null 2>&1 || return 1
	main=$(mirrors | sed -n 's/^main //p')
	security=$(mirrors | sed -n 's/^security //p')
	[ -n "$main" ] || return 1
	mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
	{
		stanza "$main" "$1 $1-updates"
		[ -z "$security" ] || stanza "$security" "$1-security"
	} >"$apt/parts/debian.sources"
	apt apt-get update
}

apt() {
	command=$1
	shift
	"$command" -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt/parts" -o "Dir::State::Lists=$apt/lists" \
		-o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root "$@"
}

# A line "ADDRESS FILE SHA256" for each file of this version of a package.
addresses() { # package, version
	apt apt-get source --print-uris --only-source "$1=$2" 2>/dev/null |
		sed -nE "s/^'([^']*)' ([^ ]*) [0-9]* SHA256:([0-9a-f]{64})$/\1 \2 \3/p"
}

download() { # address, file, checksum
	[ -e "$2" ] && echo "$3  $2" | sha256sum --check --quiet - 2>/dev/null && return
	"$helper" -qq -o APT::Sandbox::User=root download-file "$1" "$2" "SHA256:$3" >/dev/null 2>&1
}

# ---- fetching ----------------------------------------------------------------------

from_mirror() {
	open_apt "$(value suite)" || return 1
	list | while read -r name version _; do
		addresses "$name" "$version"
	done >"$apt/addresses"
	while read -r sum file; do
		address=$(awk -v file="$file" '$2 == file { print $1; exit }' "$apt/addresses")
		if [ -z "$address" ] || ! download "$address" "$file" "$sum"; then
			echo "sources.sh: Debian's mirror does not have $file" >&2
			return 1
		fi
	done <"$sums"
}

from_archive() { # file or folder
	if [ -d "$1" ]; then
		cut -d' ' -f3 "$sums" | while read -r file; do cp "$1/$file" .; done
	else
		tar -xf "$1"
	fi
}

from_release() {
	homepage=$("$here/homepage.sh" --known) && [ -x "$helper" ] || return 1
	version=$(sed -n 's/^VERSION := //p' "$here/../Makefile")
	archive=kubectl-status-$version-sources.tar
	"$helper" -qq -o APT::Sandbox::User=root download-file "$homepage/releases/download/v$version/$archive" "$archive" >/dev/null 2>&1 &&
		tar -xf "$archive"
}

fetch() { # folder
	! verified "$1" || return 0
	kept=${SOURCES:+$(realpath "$SOURCES")}
	new=$1.$$ apt=$1.$$.apt # several may fetch at the same time
	rm -rf "$new" && mkdir -p "$new"
	trap 'rm -rf "$new" "$apt"' EXIT
	cd "$new"
	if [ -n "$kept" ]; then
		from_archive "$kept"
	else
		from_mirror || from_release || fail "the sources are neither on Debian's mirror nor kept by a release: SOURCES=FILE names their archive"
	fi
	sha256sum --check --quiet "$sums" >&2 || fail "what was fetched is not what packaging/sources.sha256 pins"
	verified "$1" || { rm -rf "$1" && mv "$new" "$1"; }
}

# What has no .dsc file among the pins is what its authors released, without a fix of Debian's.
unpack() { # folder
	verified "$1" || fail "$1 is not what packaging/sources.sha256 pins"
	list | while read -r name version _; do
		version=${version#*:}
		rm -rf "$name"
		if [ -e "$1/${name}_$version.dsc" ]; then
			dpkg-source -x "$1/${name}_$version.dsc" "$name" >/dev/null
		else
			mkdir "$name"
			tar -xf "$1/$(sed -nE "s/^[0-9a-f]*  (${name}_${version%-*}\.orig\.tar\.[a-z0-9]+)$/\1/p" "$sums")" -C "$name" --strip-components=1
		fi
	done
}

archive() { # folder, file
	verified "$1" || fail "$1 is not what packaging/sources.sha256 pins"
	# shellcheck disable=SC2046 # names without blanks
	tar --sort=name --owner=0 --group=0 --numeric-owner --mode=0644 --mtime="$(value date)T00:00:00Z" --format=ustar -C "$1" -cf "$2" \
		$(cut -d' ' -f3 "$sums" | sort)
}

# ---- are they the newest? ----------------------------------------------------------

newest() { # package
	best=
	for version in $(apt apt-cache showsrc --only-source "$1" 2>/dev/null | sed -n 's/^Version: //p'); do
		if [ -z "$best" ] || dpkg --compare-versions "$version" gt "$best"; then best=$version; fi
	done
	echo "$best"
}

# The files of a version that a mirror's index names may not be there yet.
obtainable() { # package, version
	addresses "$1" "$2" | grep -E '\.dsc ' >"$apt/dsc" && read -r address file sum <"$apt/dsc" &&
		(cd "$apt" && download "$address" "$file" "$sum")
}

# Debian's name for its stable release today.
stable() {
	mkdir -p "$apt/stable/parts" "$apt/stable/lists/partial" "$apt/stable/cache/archives/partial"
	stanza "$(mirrors | sed -n 's/^main //p')" stable >"$apt/stable/parts/debian.sources"
	apt apt-get update -o "Dir::Etc::SourceParts=$apt/stable/parts" -o "Dir::State::Lists=$apt/stable/lists" \
		-o "Dir::Cache=$apt/stable/cache" && sed -n 's/^Codename: //p' "$apt"/stable/lists/*_dists_stable_*Release | head -n 1
}

# As a notice of the workflow that runs this, where one does.
warn() {
	[ -z "${GITHUB_ACTIONS:-}" ] || echo "::warning file=packaging/sources.txt::$*"
	echo "$*"
}

with_apt() { # suite
	apt=$(mktemp -d)
	trap 'rm -rf "$apt"' EXIT
	open_apt "$1" || fail "this system's apt sources name no mirror of Debian, or it cannot be read"
}

check() {
	suite=$(value suite)
	with_apt "$suite"
	codename=$(stable)
	[ "$codename" = "$suite" ] || warn "Debian's stable release is $codename, and packages of $suite are pinned"
	[ -n "$security" ] || warn "this system's apt sources name no mirror of Debian's security updates"
	list | while read -r name version _; do
		newest=$(newest "$name")
		if [ "$newest" = "$version" ]; then
			echo "$name: $version is the newest of $suite"
		elif [ -z "$newest" ]; then
			warn "$name: $suite does not have it"
		elif obtainable "$name" "$newest"; then
			warn "$name: $version is pinned, and $newest is the newest: packaging/sources.sh renew"
			touch "$apt/old"
		else
			warn "$name: $version is pinned, $newest is the newest, and this mirror does not have its files"
		fi
	done
	[ "$codename" = "$suite" ] && [ ! -e "$apt/old" ]
}

# The newest version whose files can be fetched.
best() { # package, pinned version
	best=$2
	for version in $(apt apt-cache showsrc --only-source "$1" 2>/dev/null | sed -n 's/^Version: //p'); do
		if dpkg --compare-versions "$version" gt "$best" && obtainable "$1" "$version"; then best=$version; fi
	done
	echo "$best"
}

renew() {
	with_apt "$(value suite)"
	list | while read -r name version _; do
		best=$(best "$name" "$version")
		[ "$best" != "$version" ] || continue
		echo "$name: $version, now $best"
		sed -i "s|^$name  *[^ ]* |$(printf '%-8s %-27s' "$name" "$best") |; s/^date .*/date $(date -u +%Y-%m-%d)/" "$pins"
	done
	list | while read -r name version _; do
		addresses "$name" "$version" | while read -r address file sum; do
			# uthash is one header of its authors' archive
			case $name:$file in uthash:*.orig.tar.*) ;; uthash:*) continue ;; esac
			echo "$sum  $file"
		done
	done | sort -k2 >"$apt/sums"
	[ -s "$apt/sums" ] || fail "the mirror's index has none of the packages"
	cp "$apt/sums" "$sums"
}

case ${1:-} in
fetch | unpack | archive | value | list | check | renew) "$@" ;;
*) sed -n '2,/^$/{s/^# \{0,1\}//;/^set/d;p}' "$0" | sed '/^set -eu/,$d' >&2 && exit 2 ;;
esac
