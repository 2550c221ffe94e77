#!/bin/sh
# dist.sh VERSION [ARCH...]: into dist/ an archive for each ARCH (amd64, arm64, darwin-amd64, darwin-arm64), what is in it
# as SPDX, for Linux a .deb, checksums and the krew manifest.  The same commit gives the same bytes, wherever it is built;
# so do the same sources without git, which then name no commit.
# HOMEPAGE=URL is where the archives will be: below URL/releases/download/vVERSION.
set -eu
version=${1:?a version}
shift
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."
[ $# -gt 0 ] || set -- amd64 arm64
# not that of a checkout in which the sources were unpacked
commit=$({ [ -e .git ] && git rev-parse --short=12 HEAD 2>/dev/null; } || true)
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
	grep -v '^#' "$here/sources.txt" | case $1 in darwin-*) grep -v '^musl ' ;; *) cat ;; esac
}

# Our licence, and the terms of everything that is linked in.
write_licence() { # folder of the terms
	cat LICENSE
	printf '\n\nThis program contains the following libraries, each under its own terms.\n'
	for name in musl zlib openssl nghttp2 curl ncurses cjson libyaml uthash; do
		[ -e "$1/$name" ] || continue
		printf '\n======== %s ========\n\n' "$name"
		cat "$1/$name"
	done
}

write_packages() { # arch
	sources "$1" | while read -r name package_version sum licence home; do
		cat <<EOF
    ,{"SPDXID": "SPDXRef-$name", "name": "$name", "versionInfo": "$package_version", "supplier": "Organization: Debian",
     "downloadLocation": "NOASSERTION", "homepage": "$home", "filesAnalyzed": false, "licenseConcluded": "$licence",
     "licenseDeclared": "$licence", "copyrightText": "NOASSERTION", "comment": "Debian source package, sha256 of its .dsc file: $sum",
     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
      "referenceLocator": "pkg:deb/debian/$name@${package_version#*:}?arch=source&distro=bookworm"}]}
EOF
	done
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
 "creationInfo": {"created": "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)", "creators": ["Tool: kubectl-status packaging/dist.sh"]},
 "packages": [
    {"SPDXID": "SPDXRef-program", "name": "kubectl-status", "versionInfo": "$version${commit:++$commit}", "downloadLocation": "NOASSERTION",
     "filesAnalyzed": false, "checksums": [{"algorithm": "SHA256", "checksumValue": "$2"}], "licenseConcluded": "Apache-2.0",
     "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION"}
$(write_packages "$1")
    ,{"SPDXID": "SPDXRef-uthash", "name": "uthash", "versionInfo": "2.3.0-1", "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
     "licenseConcluded": "BSD-1-Clause", "licenseDeclared": "BSD-1-Clause", "copyrightText": "NOASSERTION"}
 ],
 "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-program"}
$(write_relations "$1")
    ,{"spdxElementId": "SPDXRef-program", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-uthash"}
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
	homepage=${HOMEPAGE:-$(sed -n 's/^  homepage: //p' kubectl-status.yaml)}
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

rm -rf dist
mkdir -p dist
for arch; do
	write_archive "$arch"
done
write_manifest "$@" >dist/kubectl-status.yaml
(cd dist && sha256sum -- *.tar.gz *.deb *.json >SHA256SUMS)
ls -l dist
