#!/bin/bash
# release-check.sh VERSION: could the commit be released as that version?  Everything is built twice: in a clone, and in another
# folder, with other surroundings, from the archive of the sources, without git.  Both must give the same bytes.  Then what was built
# is held against its manifests, and krew installs it.  What was built is left in dist/.  Exit 1 when a release would not be right.
#
# ARCHS="amd64 arm64 darwin-amd64 darwin-arm64" is what is built, all of them unless fewer are asked for.  The addresses in the manifests
# are those that homepage.sh says.  It takes the libraries' time twice for each platform, some minutes each; WORK=FOLDER keeps them
# there, and the next time takes those that are there.
# shellcheck disable=SC2317,SC2329 # functions that check() calls
set -u
version=${1:?a version}
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
archs=${ARCHS:-amd64 arm64 darwin-amd64 darwin-arm64}
if [ -n "${WORK:-}" ]; then
	work=$(realpath "$WORK") && mkdir -p "$work" && rm -rf "$work/clone" "$work/a" "$work/no-git" || exit 1
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi
failed=0
export HOMEPAGE
HOMEPAGE=$(packaging/homepage.sh)

say() { # result, what, remark
	printf '%-8s %s%s\n' "$1" "$2" "${3:+: $3}"
	[ "$1" != failed ] || failed=1
}

# Runs it; of a failure the last lines are shown.
check() { # what, command...
	local what=$1
	shift
	if "$@" >"$work/said" 2>&1; then
		say ok "$what"
	else
		say failed "$what"
		tail -n 20 "$work/said" | sed 's/^/         /'
		return 1
	fi
}

version_is_the_same_everywhere() {
	local file
	grep -qx "VERSION := $version" Makefile || { echo "Makefile: not VERSION := $version" && return 1; }
	for file in kubectl-status.yaml packaging/recipes/*; do
		grep -qF "$version" "$file" || { echo "$file does not name $version" && return 1; }
	done
	[[ $(date -u -d "$(sed -n 's/^RELEASED := //p' Makefile)" +%s) -le $(date +%s) ]] || { echo "Makefile: RELEASED is to come" && return 1; }
}

tag_is_free() {
	local tagged
	tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}") || return 0
	[ "$tagged" = "$(git rev-parse HEAD)" ] || { echo "v$version is the tag of another commit, $tagged: raise VERSION in the Makefile" && return 1; }
}

# What a release says of itself, before the hours of building.
check_words() {
	check "the version is $version everywhere" version_is_the_same_everywhere
	check "the tag v$version is free, or of this commit" tag_is_free
	check "CHANGELOG.md has notes of $version" packaging/notes.sh "$version"
	! packaging/notes.sh Unreleased >/dev/null 2>&1 || say note "CHANGELOG.md" "what stands below Unreleased is not in the notes of $version"
	[ -z "$(git status --porcelain)" ] || say note "this checkout" "it has changes that are not committed; the commit is checked"
	case $HOMEPAGE in
	*.invalid/*) say failed "the address" "no repository is known here (git remote origin, GITHUB_REPOSITORY or HOMEPAGE=URL): the manifests would have $HOMEPAGE, which nobody can have" ;;
	*) say ok "the address is $HOMEPAGE" ;;
	esac
}

# Exit 0 with lines is: newer ones exist, and the mirror does not have them yet.
check_pins() {
	if packaging/sources.sh check >"$work/pins" 2>&1; then
		say ok "the pinned sources are the newest that can be had"
	else
		say failed "the pinned sources are the newest that can be had"
	fi
	grep -v 'is the newest of' "$work/pins" | sed 's/^/         /'
}

# A folder, its folder of libraries, and what else is different there.
build_clone() {
	git clone -q . "$work/clone" && cd "$work/clone" &&
		STATIC_CACHE=$work/libraries make dist ARCHS="$archs sources"
}

build_without_git() {
	local folder="$work/a/deeper/place"
	mkdir -p "$folder" "$work/no-git" && printf '#!/bin/sh\nexit 128\n' >"$work/no-git/git" && chmod +x "$work/no-git/git"
	git -c tar.umask=0022 archive --format=tar --prefix="kubectl-status-$version/" HEAD | gzip -n9 >"$work/sources.tar.gz"
	tar -xzf "$work/sources.tar.gz" -C "$folder" && cd "$folder/kubectl-status-$version" && umask 077 &&
		PATH=$work/no-git:$PATH LC_ALL=C.UTF-8 TZ=Asia/Kathmandu STATIC_CACHE=$work/elsewhere/libraries SOURCE_ARCHIVE=$work/sources.tar.gz \
			make dist ARCHS="$archs sources"
}

same_bytes() {
	diff "$work/clone/dist/SHA256SUMS" "$work/a/deeper/place/kubectl-status-$version/dist/SHA256SUMS"
}

build_twice() {
	echo "         building $archs twice ..."
	(build_clone) >"$work/clone.log" 2>&1 &
	local first=$!
	(build_without_git) >"$work/without-git.log" 2>&1
	local second=$?
	wait $first
	first=$?
	check "built in a clone" sh -c "tail -n 30 '$work/clone.log'; exit $first" &&
		check "built from the archive of the sources, without git" sh -c "tail -n 30 '$work/without-git.log'; exit $second" &&
		check "both builds gave the same bytes" same_bytes
}

nobody_is_named() { # what would be published has no address that nobody can have
	case $HOMEPAGE in *.invalid/*) return 0 ;; esac
	! grep -rlE 'example\.(org|com)|\.invalid|0{64}' --include=*.yaml --include=*.json --include=*.rb --include=*.nix --include=PKGBUILD dist
}

# Checksums, licences, SBOM, package, manifests; krew with an index of one's own.
tests_of_what_was_built() {
	rm -rf "$work/program" && mkdir "$work/program" && tar -xzf dist/kubectl-status_linux_amd64.tar.gz -C "$work/program" &&
		KUBECTL_STATUS=$work/program/kubectl-status KUBECTL_STATUS_DIST=$work/clone/dist "$(tests/python.sh)" -m pytest -q -rs -p no:cacheprovider \
			tests/e2e/test_dist.py tests/e2e/test_krew.py tests/e2e/test_packages.py
}

check_words
check_pins
if [ $failed = 0 ] || [ -n "${ALL:-}" ]; then
	if build_twice; then
		rm -rf dist && cp -R "$work/clone/dist" dist
		check "the checksums fit" sh -c "cd dist && sha256sum --check --quiet SHA256SUMS"
		check "no address in it is one that nobody can have" nobody_is_named
		check "archives, licences, SBOM, manifests; krew installs, upgrades and removes" tests_of_what_was_built
		sed -n '/SKIPPED/p; /passed/p' "$work/said" | sed 's/^/         /'
		(cd dist && du -b -- *.tar.gz *.deb *.tar | awk '{ printf "         %9d bytes  %s\n", $1, $2 }')
	fi
else
	say note "nothing was built" "first mend what failed, or set ALL=yes"
fi
[ $failed = 0 ] && echo "v$version could be released from $(git rev-parse --short=12 HEAD)."
exit $failed
