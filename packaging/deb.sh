#!/bin/sh
# deb.sh VERSION ARCH PROGRAM LICENCES: writes dist/kubectl-status_VERSION_ARCH.deb of a static program for amd64 or arm64, and the
# text of its licences.  It depends on nothing.  MAINTAINER="Name <address>" is who publishes it; without it, who owns the
# repository that homepage.sh names, at an address that takes no mail.
set -eu
export LC_ALL=C TZ=UTC
umask 022
version=${1:?a version} arch=${2:?amd64 or arm64} program=${3:?the program} licences=${4:?the text of its licences}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."
SOURCE_DATE_EPOCH=$("$here/epoch.sh")
export SOURCE_DATE_EPOCH
homepage=$("$here/homepage.sh")
host=${homepage#*://} host=${host%%/*} owner=${homepage%/*} owner=${owner##*/}
maintainer=${MAINTAINER:-The authors of kubectl-status <$([ "$owner" = "$host" ] || echo "$owner+")noreply@$host>}
root=dist/deb-$arch
rm -rf "$root"

put() { # mode, file, folder, name
	install -d "$root/$3"
	install -m "$1" "$2" "$root/$3/$4"
}

put 755 "$program" usr/bin kubectl-status
ln -s kubectl-status "$root/usr/bin/kubectl_complete-status"
put 644 plugin/help/kubectl-status.1 usr/share/man/man1 kubectl-status.1
gzip -n9 "$root/usr/share/man/man1/kubectl-status.1"
ln -s kubectl-status.1.gz "$root/usr/share/man/man1/kubectl_complete-status.1.gz"
put 644 plugin/help/complete/bash usr/share/bash-completion/completions kubectl-status
put 644 plugin/help/complete/zsh usr/share/zsh/vendor-completions _kubectl-status
put 644 plugin/help/complete/fish usr/share/fish/vendor_completions.d kubectl-status.fish
put 644 docs/rules.schema.json usr/share/kubectl-status rules.schema.json

doc=usr/share/doc/kubectl-status
install -d "$root/$doc"
{
	printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: kubectl-status\n\n'
	printf 'Files: *\nCopyright: the authors of kubectl-status\nLicense: Apache-2.0\n'
	printf ' On Debian systems the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.\n\n'
	printf 'Files: usr/bin/kubectl-status\nCopyright: the authors of kubectl-status, and those named below\nLicense: Apache-2.0 and others\n'
	printf ' Besides the program itself it contains the following libraries.\n'
	# openssl's is the Apache License once more
	sed -n '/^======== /,$p' "$licences" | awk '
		/^======== / { skip = $2 == "openssl"; print; if (skip) print "\nApache License 2.0, as above.\n" }
		!/^======== / && !skip' | sed -e 's/[[:space:]]*$//' -e 's/^$/./' -e 's/^/ /'
} >"$root/$doc/copyright"
{
	printf 'kubectl-status (%s) unstable; urgency=medium\n\n  * Release %s.\n\n' "$version" "$version"
	printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')"
} | gzip -n9 >"$root/$doc/changelog.gz"

# Static on purpose, and position-independent, which lintian takes for a library.
install -d "$root/usr/share/lintian/overrides"
cat >"$root/usr/share/lintian/overrides/kubectl-status" <<EOF
kubectl-status: shared-library-lacks-prerequisites [usr/bin/kubectl-status]
kubectl-status: embedded-library * [usr/bin/kubectl-status]
EOF
chmod 644 "$root/usr/share/lintian/overrides/kubectl-status" "$root/$doc/changelog.gz" "$root/$doc/copyright"

install -d "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<EOF
Package: kubectl-status
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(find "$root/usr" -printf '%y %s\n' | awk '{ size += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print size }')
Section: admin
Priority: optional
Homepage: $homepage
Suggests: kubernetes-client
Description: what is broken in a cluster, what waits for it, and since when
 A kubectl plugin: shows the phase of every resource, the state of its
 asynchronous operation, what it waits for and the root cause, as a live
 dashboard, a table or JSON. It only reads.
EOF
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
chmod 644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
find "$root" -type d -exec chmod 755 {} +
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "dist/kubectl-status_${version}_$arch.deb" >/dev/null
rm -rf "$root"
