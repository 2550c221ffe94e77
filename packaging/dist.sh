#!/bin/sh
# dist.sh VERSION [ARCH...]: into dist/ an archive for each ARCH (amd64 and arm64), what is in it as SPDX, checksums and the krew
# manifest.  The same commit gives the same bytes, wherever it is built.
set -eu
version=${1:?a version}
shift
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."
[ $# -gt 0 ] || set -- amd64 arm64
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

sources() {
	grep -v '^#' "$here/sources.txt"
}

# Our licence, and the terms of everything that is linked in.
write_licence() { # folder of the terms
	cat LICENSE
	printf '\n\nThis program contains the following libraries, each under its own terms.\n'
	for name in musl zlib openssl nghttp2 curl ncurses libyaml uthash; do
		printf '\n======== %s ========\n\n' "$name"
		cat "$1/$name"
	done
}

write_packages() {
	sources | while read -r name package_version sum licence home; do
		cat <<EOF
    ,{"SPDXID": "SPDXRef-$name", "name": "$name", "versionInfo": "$package_version", "supplier": "Organization: Debian",
     "downloadLocation": "NOASSERTION", "homepage": "$home", "filesAnalyzed": false, "licenseConcluded": "$licence",
     "licenseDeclared": "$licence", "copyrightText": "NOASSERTION", "comment": "Debian source package, sha256 of its .dsc file: $sum",
     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
      "referenceLocator": "pkg:deb/debian/$name@${package_version#*:}?arch=source&distro=bookworm"}]}
EOF
	done
}

write_relations() {
	sources | while read -r name _; do
		printf '    ,{"spdxElementId": "SPDXRef-program", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-%s"}\n' "$name"
	done
}

# https://spdx.github.io/spdx-spec/v2.3/
write_sbom() { # arch, sha256 of the program
	cat <<EOF
{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "kubectl-status_linux_$1",
 "documentNamespace": "https://spdx.org/spdxdocs/kubectl-status-$version-$commit-linux-$1",
 "creationInfo": {"created": "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)", "creators": ["Tool: kubectl-status packaging/dist.sh"]},
 "packages": [
    {"SPDXID": "SPDXRef-program", "name": "kubectl-status", "versionInfo": "$version+$commit", "downloadLocation": "NOASSERTION",
     "filesAnalyzed": false, "checksums": [{"algorithm": "SHA256", "checksumValue": "$2"}], "licenseConcluded": "Apache-2.0",
     "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION"}
$(write_packages)
    ,{"SPDXID": "SPDXRef-uthash", "name": "uthash", "versionInfo": "2.3.0-1", "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
     "licenseConcluded": "BSD-1-Clause", "licenseDeclared": "BSD-1-Clause", "copyrightText": "NOASSERTION"}
 ],
 "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-program"}
$(write_relations)
    ,{"spdxElementId": "SPDXRef-program", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-uthash"}
 ]}
EOF
}

# krew takes plain files only, and no folder "."
write_archive() { # arch
	tree=dist/tree-$1
	rm -rf "$tree"
	mkdir -p "$tree"
	program=$("$here/static.sh" "$1")
	install -m 755 "$program" "$tree/kubectl-status"
	write_licence "$(dirname "$program")/licences" >"$tree/LICENSE"
	chmod 644 "$tree/LICENSE"
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=ustar \
		-C "$tree" -cf - LICENSE kubectl-status | gzip -n9 >"dist/kubectl-status_linux_$1.tar.gz"
	write_sbom "$1" "$(sha256sum "$tree/kubectl-status" | cut -d' ' -f1)" >"dist/kubectl-status_linux_$1.spdx.json"
	rm -rf "$tree"
}

# The platforms that were built, with their checksums; the rest of the manifest as it stands.
write_manifest() { # archs...
	sed -e "s/^  version: .*/  version: v$version/" -e '/^  platforms:/q' kubectl-status.yaml
	base=$(sed -n 's/^    uri: \(.*\)\/releases\/.*/\1/p' kubectl-status.yaml | head -n 1)
	for a; do
		cat <<EOF
  - selector:
      matchLabels: {os: linux, arch: $a}
    uri: $base/releases/v$version/kubectl-status_linux_$a.tar.gz
    sha256: "$(sha256sum "dist/kubectl-status_linux_$a.tar.gz" | cut -d' ' -f1)"
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
(cd dist && sha256sum -- *.tar.gz *.json >SHA256SUMS)
ls -l dist
