#!/bin/bash
# matrix.sh [ROW...]: builds from source in fresh systems (make demo), runs the unit tests and the cases there, and prints a table.
# A row is a system and a compiler: bookworm-gcc, trixie-clang, bookworm-gcc-11 ...; or a system and "static": the archive of a
# release there, bullseye-static ...; without one, all of them.  E2E=yes also runs the end-to-end tests without an API server.
#
# Systems are made by debootstrap, once, into the cache; it takes root.  Debian's come from the mirror in this system's apt
# sources, Ubuntu's also from UBUNTU_MIRROR=URL.  What is tested is the committed state.  Exit 1 when a row failed; one
# that could not be tried says why and is no failure.
set -u

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/matrix
all=(bookworm-gcc bookworm-gcc-11 bookworm-clang trixie-gcc trixie-gcc-13 trixie-clang sid-gcc
	bullseye-static bookworm-static trixie-static noble-gcc resolute-gcc alpine-gcc static-amd64 static-arm64 static-darwin-amd64 static-darwin-arm64)
failed=0

# The address of this distribution's packages in the apt sources of this system.
mirror_of() { # debian or ubuntu
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
		sed -nE 's/^(deb (\[[^]]*\] )?|URIs: *)(https?:[^ ]*\/'"$1"'\/?)( .*)?$/\3/p' | head -n 1
}

is_ubuntu() { # suite
	case $1 in noble | resolute) true ;; *) false ;; esac
}

row() { # name, libcurl, build, unit, cases, e2e, remark
	printf '%-19s %-8s %8s %12s %8s %8s  %s\n' "$@"
}

not_tried() { # name, why
	row "$1" - - - - - "not tried: $2"
}

# Runs it in the system; its output goes to the row's log.
inside() { # root, command
	chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 KUBECTL_STATUS=build/kubectl-status \
		/bin/sh -c "cd /root/kubectl-status && $2" >>"$log" 2>&1
}

# Prints "12 s", or "failed".
timed() { # root, command
	local began=$SECONDS
	if inside "$1" "$2"; then
		echo "$((SECONDS - began)) s"
	else
		echo failed
	fi
}

# Ubuntu's keys are in none of Debian's packages: its own package of them, of these bytes.
keys_package=pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb
keys_sha256=36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8
fetch_ubuntu_keys() { # mirror
	ubuntu_keys=$cache/ubuntu-keys/usr/share/keyrings/ubuntu-archive-keyring.gpg
	[ ! -e "$ubuntu_keys" ] || return 0
	curl -fsS -m 60 -o "$cache/ubuntu-keys.deb" "${1%/}/$keys_package" >>"$log" 2>&1 &&
		echo "$keys_sha256  $cache/ubuntu-keys.deb" | sha256sum --check --quiet - >>"$log" 2>&1 &&
		dpkg-deb -x "$cache/ubuntu-keys.deb" "$cache/ubuntu-keys"
}

make_system() { # suite, mirror
	local root=$cache/$1 options=() script=()
	[ -e "$root/etc/debian_version" ] && return
	if is_ubuntu "$1"; then
		fetch_ubuntu_keys "$2" || return
		options=(--keyring="$ubuntu_keys" "--components=main,universe")
		script=(/usr/share/debootstrap/scripts/gutsy) # also for what is newer than debootstrap
	fi
	rm -rf "$root.new"
	debootstrap --variant=minbase "${options[@]}" "$1" "$root.new" "$2" "${script[@]}" >>"$log" 2>&1 && mv "$root.new" "$root"
}

# The committed state, and where names are asked for.
fill() { # root
	rm -rf "$1/root/kubectl-status"
	mkdir -p "$1/root/kubectl-status"
	git -C "$top" archive HEAD | tar -x -C "$1/root/kubectl-status"
	cp /etc/resolv.conf "$1/etc/resolv.conf"
	printf 'force-unsafe-io\n' >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
	# sid's index is valid for a week, and a mirror may be older
	printf 'Acquire::Check-Valid-Until "false";\n' >"$1/etc/apt/apt.conf.d/any-age"
}

# Only where a unit test opens a pseudo-terminal or /proc/self; unmounted at the end.
mount_into() { # root
	mkdir -p "$1/dev/pts" "$1/dev/shm"
	mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --make-rslave "$1/dev"
}

unmount_from() { # root
	umount -R "$1/dev" 2>/dev/null
	umount "$1/proc" 2>/dev/null
}

# packages.sh test also wants clang and valgrind, which only the end-to-end tests need.
# shellcheck disable=SC2016 # $MORE is set inside
prepare='export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq --no-install-recommends make \
	libcmocka-dev python3 python3-yaml git $MORE && make deps'

# What make cases runs, with the system's own python: no network.
cases_command='python3 tests/run_cases.py && python3 tests/run_stories.py && python3 tests/run_reasons.py && build/kubectl-status rules check kube/rules'

# What make e2e runs but for the API server, with the system's own python and its packages.
# shellcheck disable=SC2016 # expanded inside
e2e_command='export DEBIAN_FRONTEND=noninteractive PYTHON=/usr/bin/python3; \
	apt-get install -y -qq --no-install-recommends $(sed -n "s/.* \(python3-.*\)/\1/p" tests/requirements.txt) && ./packages.sh test && \
	KUBECTL_STATUS=$PWD/build/kubectl-status PYTHONPATH=tests $PYTHON -m pytest -q -p no:cacheprovider -p results_of_pytest -n 4 tests/e2e'

debian_row() { # name, suite, compiler, mirror
	local root=$cache/$2 build unit=- cases=- e2e=- curl result=ok more='' flags='-g -Werror'
	make_system "$2" "$4" || { row "$1" - - - - - "failed: debootstrap, see $log" && failed=1 && return; }
	unmount_from "$root"
	fill "$root"
	mount_into "$root" || { not_tried "$1" "no /proc and /dev can be mounted there" && return; }
	[ "$3" = gcc ] || more=$3
	case $1 in *-gcc-11) flags=-g ;; esac # gcc up to 11 warns of what later ones know to be right
	if ! inside "$root" "MORE=$more; $prepare"; then
		unmount_from "$root"
		row "$1" - - - - - "failed: packages, see $log"
		failed=1
		return
	fi
	curl=$(chroot "$root" pkg-config --modversion libcurl)
	build=$(timed "$root" "make -j2 CC=$3 CFLAGS='$flags' demo")
	if [ "$build" != failed ]; then
		unit=$(timed "$root" "make -j2 -k CC=$3 CFLAGS='$flags' unit")
		cases=$(timed "$root" "$cases_command")
		[ -z "${E2E:-}" ] || e2e=$(timed "$root" "$e2e_command")
	fi
	unmount_from "$root"
	case "$build $unit $cases $e2e" in *failed*) result="failed: see $log" failed=1 ;; esac
	row "$1" "$curl" "$build" "$unit" "$cases" "$e2e" "$result"
}

# The program of the archive for amd64 where nothing was installed for it but what the cases need.
static_in_row() { # name, suite, mirror
	local root=$cache/$2 cases
	make_system "$2" "$3" || { row "$1" - - - - - "failed: debootstrap, see $log" && failed=1 && return; }
	if ! "$top/packaging/static.sh" --ready amd64; then
		not_tried "$1" "the static libraries are not built yet: make dist ARCHS=amd64"
		return
	fi
	unmount_from "$root"
	fill "$root"
	mount_into "$root" || { not_tried "$1" "no /proc and /dev can be mounted there" && return; }
	mkdir -p "$root/root/kubectl-status/build"
	cp "$("$top/packaging/static.sh" amd64 2>>"$log")" "$root/root/kubectl-status/build/kubectl-status"
	if inside "$root" "build/kubectl-status --version && build/kubectl-status --replay demo/incident.jsonl.gz --problems && \
		export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-yaml"; then
		cases=$(timed "$root" "$cases_command")
	else
		cases=failed
	fi
	unmount_from "$root"
	[ "$cases" = failed ] && failed=1 && row "$1" "$(pinned_curl)" - - failed - "failed: see $log" && return
	row "$1" "$(pinned_curl)" - - "$cases" - "ok: the archive of a release"
}

pinned_curl() {
	"$top/packaging/sources.sh" list | sed -n 's/^curl  *\([0-9.]*\).*/\1/p'
}

# Every library from source (packaging/static.sh), and the cases with the program where this machine can run it.
static_row() { # name, arch
	local began=$SECONDS build cases=failed program result=ok
	if ! "$top/packaging/static.sh" --ready "$2"; then
		not_tried "$1" "the static libraries are not built yet: make dist ARCHS=$2"
		return
	fi
	program=$("$top/packaging/static.sh" "$2" 2>>"$log") && build="$((SECONDS - began)) s" || build=failed
	began=$SECONDS
	if [ "$build" != failed ] && [ "$2" = "$(dpkg --print-architecture)" ]; then
		(cd "$top" && KUBECTL_STATUS=$program "$(tests/python.sh)" tests/run_cases.py) >>"$log" 2>&1 && cases="$((SECONDS - began)) s"
	elif [ "$build" != failed ] && [ "$2" = arm64 ]; then
		printf '#!/bin/sh\nexec qemu-aarch64-static "%s" "$@"\n' "$program" >"$program.qemu" && chmod +x "$program.qemu"
		(cd "$top" && KUBECTL_STATUS=$program.qemu "$(tests/python.sh)" tests/run_cases.py) >>"$log" 2>&1 && cases="$((SECONDS - began)) s"
		result="ok: run by qemu"
	elif [ "$build" != failed ]; then
		cases=-
		result="ok: linked for macOS, not run"
	fi
	case "$build $cases" in *failed*) result="failed: see $log" failed=1 ;; esac
	row "$1" "$(pinned_curl)" "$build" - "$cases" - "$result"
}

try() { # name
	local system=${1%%-*} last=${1#*-} mirror
	log=$cache/$1.log
	: >"$log"
	case $system in
	static) static_row "$1" "$last"; return ;;
	alpine) not_tried "$1" "Alpine's packages are not in this system's apt sources; static-amd64 builds with musl" && return ;;
	esac
	if is_ubuntu "$system"; then
		mirror=${UBUNTU_MIRROR:-$(mirror_of ubuntu)}
	else
		mirror=$(mirror_of debian)
	fi
	if [ -z "$mirror" ]; then
		not_tried "$1" "this system's apt sources name no mirror of it"
	elif [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		not_tried "$1" "it takes root and debootstrap"
	elif [ "$last" = static ]; then
		static_in_row "$1" "$system" "$mirror"
	else
		debian_row "$1" "$system" "$last" "$mirror"
	fi
}

renice -n 5 $$ >/dev/null
mkdir -p "$cache"
row system libcurl build unit cases e2e ""
[ $# -gt 0 ] || set -- "${all[@]}"
for name; do
	try "$name"
done
exit $failed
