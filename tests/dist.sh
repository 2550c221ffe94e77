#!/bin/sh
# Makes dist/kubectl-status_OS_ARCH.tar.gz and the krew manifest with its checksum.
set -eu
version=$1
cd "$(dirname "$0")/.."
os=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in
x86_64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) arch=$(uname -m) ;;
esac
rm -rf dist
mkdir -p dist/tree
install -m 755 build/kubectl-status dist/tree/kubectl-status
strip dist/tree/kubectl-status
install -m 644 LICENSE dist/tree/LICENSE
archive=kubectl-status_${os}_${arch}.tar.gz
# krew takes plain files only; the same input gives the same archive
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" --format=ustar \
	-C dist/tree -cf - LICENSE kubectl-status | gzip -n9 >"dist/$archive"
sum=$(sha256sum "dist/$archive" | cut -d' ' -f1)
sed -e "s/v[0-9]*\.[0-9]*\.[0-9]*/v$version/g" -e "s/sha256: .*/sha256: \"$sum\"/" \
	-e "s/os: linux, arch: amd64/os: $os, arch: $arch/" -e "s/kubectl-status_linux_amd64/kubectl-status_${os}_${arch}/" \
	kubectl-status.yaml >dist/kubectl-status.yaml
rm -rf dist/tree
ls -l "dist/$archive" dist/kubectl-status.yaml
