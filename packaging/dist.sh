#!/bin/sh
# dist.sh VERSION [ARCH...]: into dist/ an archive for each ARCH (amd64, arm64, darwin-amd64, darwin-arm64), what is in it
# as SPDX, for Linux a .deb, the archive of the program's own sources, checksums, and the manifests of krew, Homebrew, Nix and Arch.
# The ARCH "sources" is the archive of the libraries' sources.  The same commit and the same compilers give the same bytes, wherever
# it is built, also from the archive of the sources that git made, without git; then SOURCE_ARCHIVE=FILE is that archive.
# The archives will be below URL/releases/download/vVERSION, where URL is what homepage.sh says.
set -eu
export LC_ALL=C TZ=UTC
umask 022
version=${1:?a version}
shift
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."
[ $# -gt 0 ] || set -- amd64 arm64
commit=$("$here/commit.sh")
homepage=$("$here/homepage.sh")
suite=$("$here/sources.sh" value suite)
SOURCE_DATE_EPOCH=$("$here/epoch.sh")
export SOURCE_DATE_EPOCH

# As krew and the names of the archives call it: linux_amd64, darwin_arm64.
platform() { # arch
	case $1 in
	darwin-*) echo "darwin_${1#darwin-}" ;;
	*) echo "linux_$1" ;;
	esac
}

# What is linked in: no musl for macOS.
sources() { # arch
	"$here/sources.sh" list | case $1 in darwin-*) grep -v '^musl ' ;; *) cat ;; esac
}

# Our licence, and the terms of everything that is linked in.
write_licence() { # folder of the terms
	cat LICENSE
	printf '\n\nThis program contains the following libraries, each under its own terms.\n'
	for name in musl zlib openssl nghttp2 curl ncurses cjson libyaml libarchive uthash; do
		[ -e "$1/$name" ] || continue
		printf '\n======== %s ========\n\n' "$name"
		cat "$1/$name"
	done
}

# The file that stands for a source package: Debian's description of it, which has the checksums of the rest.
pinned_file() { # package, version
	grep -E "  $(echo "$1_${2#*:}" | sed 's/[.+~]/[&]/g')\.dsc$" "$here/sources.sha256" || grep -E "  $1_.*\.orig\.tar\.[a-z0-9]+$" "$here/sources.sha256"
}

write_packages() { # arch
	sources "$1" | while read -r name package_version licence home; do
		pinned=$(pinned_file "$name" "$package_version")
		cat <<EOF
    ,{"SPDXID": "SPDXRef-$name", "name": "$name", "versionInfo": "$package_version", "supplier": "Organization: Debian",
     "downloadLocation": "NOASSERTION", "homepage": "$home", "filesAnalyzed": false, "licenseConcluded": "$licence",
     "licenseDeclared": "$licence", "copyrightText": "NOASSERTION", "comment": "Debian source package, file ${pinned#*  }",
     "packageFileName": "${pinned#*  }", "checksums": [{"algorithm": "SHA256", "checksumValue": "${pinned%%  *}"}],
     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
      "referenceLocator": "pkg:deb/debian/$name@$(echo "${package_version#*:}" | sed 's/+/%2B/g')?arch=source&distro=$suite"}]}
EOF
	done
}

# With other tools the bytes differ.
write_tools() { # arch
	case $1 in
	amd64) compiler=x86_64-linux-gnu-gcc linker=x86_64-linux-gnu-ld ;;
	arm64) compiler=aarch64-linux-gnu-gcc linker=aarch64-linux-gnu-ld ;;
	*) sed -n 's/^\(ziglang==[^ ]*\).*/Built with \1/p' "$here/zig.txt" && return ;;
	esac
	printf 'Built with %s, %s, on Debian %s' "$($compiler --version | head -n 1)" "$($linker --version | head -n 1)" "$(cat /etc/debian_version)"
}

write_relations() { # arch
	sources "$1" | while read -r name _; do
		printf '    ,{"spdxElementId": "SPDXRef-program", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-%s"}\n' "$name"
	done
}

# https://spdx.github.io/spdx-spec/v2.3/
write_sbom() { # arch, sha256 of the program
	cat <<EOF
{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "kubectl-status_$(platform "$1")",
 "documentNamespace": "https://spdx.org/spdxdocs/kubectl-status-$version${commit:+-$commit}-$(platform "$1" | tr _ -)",
 "creationInfo": {"created": "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)", "creators": ["Tool: kubectl-status-packaging-dist.sh"],
  "comment": "$(write_tools "$1")"},
 "packages": [
    {"SPDXID": "SPDXRef-program", "name": "kubectl-status", "versionInfo": "$version${commit:++$commit}",
     "homepage": "$homepage", "downloadLocation": "$homepage/releases/download/v$version/kubectl-status_$(platform "$1").tar.gz",
     "filesAnalyzed": false, "checksums": [{"algorithm": "SHA256", "checksumValue": "$2"}], "licenseConcluded": "Apache-2.0",
     "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION"}
$(write_packages "$1")
 ],
 "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-program"}
$(write_relations "$1")
 ]}
EOF
}

# krew takes plain files only, and no folder "."
write_archive() { # arch
	tree=dist/tree-$1
	archive=kubectl-status_$(platform "$1")
	rm -rf "$tree"
	mkdir -p "$tree"
	program=$("$here/static.sh" "$1")
	install -m 755 "$program" "$tree/kubectl-status"
	write_licence "$(dirname "$program")/licences" >"$tree/LICENSE"
	chmod 644 "$tree/LICENSE"
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=ustar \
		-C "$tree" -cf - LICENSE kubectl-status | gzip -n9 >"dist/$archive.tar.gz"
	write_sbom "$1" "$(sha256sum "$tree/kubectl-status" | cut -d' ' -f1)" >"dist/$archive.spdx.json"
	case $1 in
	amd64 | arm64) "$here/deb.sh" "$version" "$1" "$tree/kubectl-status" "$tree/LICENSE" ;;
	esac
	rm -rf "$tree"
	case $1 in darwin-*) echo "$archive.tar.gz: linked with zig, never run on a Mac" >>dist/NOT-RUN.txt ;; esac
}

# The platforms that were built, with their checksums; the rest of the manifest as it stands.
write_manifest() { # archs...
	sed -e "s/^  version: .*/  version: v$version/" -e "s|^  homepage: .*|  homepage: $homepage|" -e '/^  platforms:/q' kubectl-status.yaml
	for a; do
		p=$(platform "$a")
		cat <<EOF
  - selector:
      matchLabels: {os: ${p%_*}, arch: ${p#*_}}
    uri: $homepage/releases/download/v$version/kubectl-status_$p.tar.gz
    sha256: "$(sha256sum "dist/kubectl-status_$p.tar.gz" | cut -d' ' -f1)"
    files:
    - {from: kubectl-status, to: .}
    - {from: LICENSE, to: .}
    bin: kubectl-status
EOF
	done
}

# The program's own sources.  They are git's archive of the commit, or the one that these sources were unpacked from.
own=kubectl-status-$version.tar.gz
write_own_sources() {
	if [ -n "${SOURCE_ARCHIVE:-}" ]; then
		cp "$SOURCE_ARCHIVE" "dist/$own"
	elif [ -e .git ]; then
		git -c tar.umask=0022 archive --format=tar --prefix="kubectl-status-$version/" HEAD | gzip -n9 >"dist/$own"
	else
		echo "dist.sh: no git here and no SOURCE_ARCHIVE: dist has no archive of the sources, nor the recipes that name it" >&2
	fi
}

# The recipes of this release: its address, and the checksum of the archive that they build.
write_recipes() {
	[ -e "dist/$own" ] || return 0
	sum=$(sha256sum "dist/$own" | cut -d' ' -f1)
	for recipe in PKGBUILD kubectl-status.rb package.nix; do
		sed -e "s|https://repository.invalid/kubectl-status|$homepage|" -e "s/0\{64\}/$sum/" \
			-e "s|^  lib,\$|  lib,\n  fetchurl,|" \
			-e "s|^  src = lib.cleanSource .*|  src = fetchurl {\n    url = \"$homepage/releases/download/v$version/$own\";\n    sha256 = \"$sum\";\n  };|" \
			"packaging/recipes/$recipe" >"dist/$recipe"
	done
}

rm -rf dist
mkdir -p dist
case $homepage in
*.invalid/*) echo "dist.sh: no address of this repository is known, so the manifests have one that nobody can have: HOMEPAGE=URL" >&2 ;;
esac
write_own_sources
write_recipes
programs=
for arch; do
	if [ "$arch" = sources ]; then
		"$here/sources.sh" archive "$("$here/static.sh" --sources)" "dist/kubectl-status-$version-sources.tar"
	else
		write_archive "$arch"
		programs="$programs $arch"
	fi
done
# shellcheck disable=SC2086 # a list of words
write_manifest $programs >dist/kubectl-status.yaml
sums=$(cd dist && sha256sum -- *)
echo "$sums" >dist/SHA256SUMS
ls -l dist
