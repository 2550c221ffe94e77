#!/bin/sh
# dist.sh VERSION PROGRAM: makes dist/kubectl-status_OS_ARCH.tar.gz and the krew manifest with its checksum.
# krew installs no packages: on Linux the libraries come along, but for libc's own.
set -eu
version=$1
cd "$(dirname "$0")/.."
program=$2
os=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in
x86_64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) arch=$(uname -m) ;;
esac
tree=dist/tree

is_libc() { # name
	case $1 in
	linux-vdso.* | ld-linux* | *ld-musl* | libc.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | \
		libresolv.so.* | libgcc_s.so.*) return 0 ;;
	esac
	return 1
}

# The terms of a library, where the package that it is from tells them.
add_licence() { # path
	command -v dpkg >/dev/null 2>&1 || return 0
	package=$(dpkg -S "$(readlink -f "$1")" 2>/dev/null || dpkg -S "$1" 2>/dev/null || true)
	package=${package%%:*}
	if [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ]; then
		install -m 644 "/usr/share/doc/$package/copyright" "$tree/licenses/$package"
	fi
}

add_libraries() {
	install -d $tree/lib $tree/licenses
	ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' >dist/libraries
	while read -r name path; do
		is_libc "$name" && continue
		install -m 644 "$path" "$tree/lib/$name"
		add_licence "$path"
	done <dist/libraries
	rm dist/libraries
}

# Nothing may come from the machine that it was made on.
check_libraries() {
	here=$(cd $tree && pwd -P)
	ldd $tree/kubectl-status | awk '$2 == "=>" { print $1, $3 }' | while read -r name path; do
		is_libc "$name" && continue
		case $path in
		"$here"/*) ;;
		*) echo "$name comes from $path, not from the package" >&2 && exit 1 ;;
		esac
	done
}

rm -rf dist
mkdir -p $tree
install -m 755 "$program" $tree/kubectl-status
strip $tree/kubectl-status
install -m 644 LICENSE $tree/LICENSE
if [ "$os" = linux ]; then
	add_libraries
	check_libraries
fi
archive=kubectl-status_${os}_${arch}.tar.gz
# krew takes plain files only; the same input gives the same archive
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" --format=ustar \
	-C $tree -cf - . | gzip -n9 >"dist/$archive"
sum=$(sha256sum "dist/$archive" | cut -d' ' -f1)
sed -e "s/v[0-9]*\.[0-9]*\.[0-9]*/v$version/g" -e "s/sha256: .*/sha256: \"$sum\"/" \
	-e "s/os: linux, arch: amd64/os: $os, arch: $arch/" -e "s/kubectl-status_linux_amd64/kubectl-status_${os}_${arch}/" \
	kubectl-status.yaml >dist/kubectl-status.yaml
[ -d $tree/lib ] || sed -i.all -e '/lib\/\*/d' -e '/licenses\/\*/d' dist/kubectl-status.yaml
rm -rf $tree
ls -l "dist/$archive" dist/kubectl-status.yaml
