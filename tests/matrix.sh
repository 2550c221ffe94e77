#!/bin/bash
# matrix.sh [ROW...]: builds from source in fresh systems, runs the unit tests and the cases there, and prints a table.
# A row is a system and a compiler: bullseye-gcc, trixie-clang ...; without one, all of them.
#
# Debian's systems are made by debootstrap from the mirror in this system's apt sources, once, into the cache; it takes
# root.  What is tested is the committed state.  Exit 1 when a row failed; one that could not be tried says why and is
# no failure.
set -u

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status/matrix
all=(bullseye-gcc bullseye-clang bookworm-gcc bookworm-clang trixie-gcc trixie-clang focal-gcc jammy-gcc noble-gcc alpine-gcc
	static-amd64 static-arm64 macos-arm64 macos-amd64)
failed=0

# The address of this distribution's packages in the apt sources of this system.
mirror_of() { # debian or ubuntu
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
		sed -nE 's/^(deb (\[[^]]*\] )?|URIs: *)(https?:[^ ]*\/'"$1"'\/?)( .*)?$/\3/p' | head -n 1
}

row() { # name, libcurl, build, unit, cases, remark
	printf '%-15s %-8s %8s %12s %8s  %s\n' "$@"
}

not_tried() { # name, why
	row "$1" - - - - "not tried: $2"
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

make_system() { # suite, mirror
	local root=$cache/$1
	[ -e "$root/etc/debian_version" ] && return
	rm -rf "$root.new"
	debootstrap --variant=minbase "$1" "$root.new" "$2" >>"$log" 2>&1 && mv "$root.new" "$root"
}

# The committed state, and where names are asked for.
fill() { # root
	rm -rf "$1/root/kubectl-status"
	mkdir -p "$1/root/kubectl-status"
	git -C "$top" archive HEAD | tar -x -C "$1/root/kubectl-status"
	cp /etc/resolv.conf "$1/etc/resolv.conf"
	printf 'force-unsafe-io\n' >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
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

# packages.sh test also wants clang and valgrind, which neither the unit tests nor the cases need.
prepare='export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq --no-install-recommends make \
	libcmocka-dev python3 python3-yaml git $MORE && make deps'

# What make cases runs, with the system's own python: no network.
cases_command='python3 tests/run_cases.py && python3 tests/run_stories.py && build/kubectl-status rules check kube/rules'

debian_row() { # name, suite, compiler, mirror
	local root=$cache/$2 build unit=- cases=- curl result=ok more='' flags='-g -Werror'
	make_system "$2" "$4" || { row "$1" - - - - "failed: debootstrap, see $log" && failed=1 && return; }
	unmount_from "$root"
	fill "$root"
	mount_into "$root" || { not_tried "$1" "no /proc and /dev can be mounted there" && return; }
	[ "$3" = clang ] && more=clang
	[ "$2" != bullseye ] || flags=-g # gcc 10 warns of what later ones know to be right
	if ! inside "$root" "MORE=$more; $prepare"; then
		unmount_from "$root"
		row "$1" - - - - "failed: packages, see $log"
		failed=1
		return
	fi
	curl=$(chroot "$root" pkg-config --modversion libcurl)
	build=$(timed "$root" "make -j2 CC=$3 CFLAGS='$flags' kubectl-status")
	if [ "$build" != failed ]; then
		unit=$(timed "$root" "make -j2 -k CC=$3 CFLAGS='$flags' unit")
		cases=$(timed "$root" "$cases_command")
	fi
	unmount_from "$root"
	case "$build $unit $cases" in *failed*) result="failed: see $log" failed=1 ;; esac
	row "$1" "$curl" "$build" "$unit" "$cases" "$result"
}

# musl and every library from source: packaging/static.sh, and the cases with its program.
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
	elif [ "$build" != failed ]; then
		cases=-
		result="ok: --version under qemu"
	fi
	case "$build $cases" in *failed*) result="failed: see $log" failed=1 ;; esac
	row "$1" "$(sed -n 's/^curl \([0-9.]*\).*/\1/p' "$top/packaging/sources.txt")" "$build" - "$cases" "$result"
}

# Compiled against macOS' headers, which zig brings, and those of the static build's libraries; not linked and not run.
macos_row() { # name, zig's target
	local began=$SECONDS zig include work="$cache/$1" include_from
	zig=${ZIG:-zig}
	include_from=$(find "$cache/.." -maxdepth 1 -name 'static-amd64-*' -exec test -e {}/complete \; -print 2>/dev/null | head -n 1)
	if ! command -v "${zig%% *}" >/dev/null 2>&1; then
		not_tried "$1" "no zig (ZIG=...), which brings macOS' headers"
		return
	elif [ -z "$include_from" ]; then
		not_tried "$1" "the headers of the libraries are those of make dist ARCHS=amd64"
		return
	fi
	rm -rf "$work"
	mkdir -p "$work/include"
	for include in curl ncursesw uthash.h zlib.h zconf.h yaml.h; do
		cp -R "$include_from/root/include/$include" "$work/include"
	done
	if make -C "$top" -k -j2 B="build/$1" CC="$zig cc -target $2" AR=ar PKGS= OPT=-O0 HARDEN= CFLAGS="" \
		CPPFLAGS="-DNCURSES_WIDECHAR=1 -I$work/include -I$work/include/ncursesw" \
		"build/$1/libstatus.a" "build/$1/libplugin.a" "build/$1/plugin/main.o" >>"$log" 2>&1; then
		row "$1" - "$((SECONDS - began)) s" - - "ok: compiled only, not linked, not run"
	else
		row "$1" - failed - - "failed: see $log"
		failed=1
	fi
}

try() { # name
	local system=${1%-*} last=${1##*-} mirror
	log=$cache/$1.log
	: >"$log"
	case $system in
	static) static_row "$1" "$last" && return ;;
	macos) macos_row "$1" "$([ "$last" = arm64 ] && echo aarch64 || echo x86_64)-macos" && return ;;
	alpine) not_tried "$1" "Alpine's packages are not in this system's apt sources; static-amd64 builds with musl" && return ;;
	focal | jammy | noble) mirror=$(mirror_of ubuntu) ;;
	*) mirror=$(mirror_of debian) ;;
	esac
	if [ -z "$mirror" ]; then
		not_tried "$1" "this system's apt sources name no mirror of it"
	elif [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		not_tried "$1" "it takes root and debootstrap"
	else
		debian_row "$1" "$system" "$last" "$mirror"
	fi
}

renice -n 10 $$ >/dev/null
mkdir -p "$cache"
row system libcurl build unit cases ""
[ $# -gt 0 ] || set -- "${all[@]}"
for name; do
	try "$name"
done
exit $failed
