#!/bin/sh
# Builds the tests' control plane from Go modules and prints the folder with
# kube-apiserver, kube-controller-manager, kubectl and etcd.
#
# The folder is a cache outside the tree, named by what it was built from, so
# that only the first run is slow (6 to 14 minutes).  KUBEBUILDER_ASSETS, the
# convention of envtest, names a ready folder instead.  Exit 2: it cannot be built
# here, as there is no Go, or its modules are not there and cannot be fetched.
#
# build.sh --ready builds nothing and prints nothing: exit 0 when all is there.
set -eu

version=v1.36.3
here=$(cd "$(dirname "$0")" && pwd)

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
	if [ ! -x "$KUBEBUILDER_ASSETS/kube-apiserver" ]; then
		echo "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS holds no kube-apiserver" >&2
		exit 1
	fi
	echo "$KUBEBUILDER_ASSETS"
	exit 0
fi

hash=$(cat "$here/tools/go.mod" "$here/tools/go.sum" | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status
assets=$cache/control-plane-$version-$hash
if [ -e "$assets/complete" ]; then
	echo "$assets"
	exit 0
fi
[ "${1:-}" != --ready ] || exit 1
if ! command -v go >/dev/null 2>&1; then
	echo "no Go on this machine: the control plane cannot be built" >&2
	exit 2
fi

mkdir -p "$assets"
exec 9>"$cache/control-plane.lock"
if command -v flock >/dev/null 2>&1; then
	flock 9
fi
if [ ! -e "$assets/complete" ]; then
	cd "$here/tools"
	CGO_ENABLED=0
	export CGO_ENABLED
	v=k8s.io/component-base/version
	flags="-s -w -X $v.gitVersion=$version -X $v.gitMajor=1 -X $v.gitMinor=36"
	echo "fetching the modules of the control plane" >&2
	if ! go list -deps ./etcd k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager \
		k8s.io/kubernetes/cmd/kubectl >/dev/null; then
		echo "the modules of the control plane cannot be fetched: it cannot be built" >&2
		exit 2
	fi
	build() { # name, flags for the linker, package: whoever is interrupted leaves no half of a program
		echo "building $1 (once, some minutes)" >&2
		[ -x "$assets/$1" ] || { nice -n 10 go build -trimpath -ldflags "$2" -o "$assets/$1.new" "$3" >&2 &&
			mv "$assets/$1.new" "$assets/$1"; }
	}
	for c in kube-apiserver kube-controller-manager kubectl; do
		build "$c" "$flags" "k8s.io/kubernetes/cmd/$c"
	done
	build etcd "-s -w" ./etcd
	touch "$assets/complete"
fi
echo "$assets"
