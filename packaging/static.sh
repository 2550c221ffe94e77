#!/bin/sh
# static.sh ARCH: builds the program for Linux (ARCH amd64 or arm64) or macOS (darwin-amd64 or darwin-arm64) on Debian 12 or
# newer; prints its path, beside which the folder licences has the terms of what is in it.
# static.sh --ready ARCH: exit 0 when the libraries are built already.
# static.sh --sources: fetches the libraries' sources, and prints the folder that they are in.
#
# musl and all libraries are built from pinned sources (sources.sh), once for each ARCH and compiler, into the cache or the folder
# STATIC_CACHE; the program then takes seconds.  For Linux it is static: it needs nothing of the system that it runs on.  For macOS zig
# compiles and links it; it needs only libSystem.  That program cannot be run here.  No path of this system is in any.
set -eu
# so that neither is in the bytes
export LC_ALL=C TZ=UTC
umask 022

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-status
sources=$cache/sources-$(sha256sum <"$here/sources.sha256" | cut -c1-12)
if [ "${1:-}" = --sources ]; then
	"$here/sources.sh" fetch "$sources"
	echo "$sources"
	exit
fi
[ "${1:-}" = --ready ] && ready=yes && shift || ready=
arch=${1:?amd64, arm64, darwin-amd64 or darwin-arm64}
top=$(dirname "$here")
case $arch in
amd64) system=linux triple=x86_64-linux-gnu openssl_target=linux-x86_64 ;;
arm64) system=linux triple=aarch64-linux-gnu openssl_target=linux-aarch64 ;;
darwin-amd64) system=darwin triple=x86_64-apple-darwin openssl_target=darwin64-x86_64-cc zig_target=x86_64-macos.11.0 ;;
darwin-arm64) system=darwin triple=aarch64-apple-darwin openssl_target=darwin64-arm64-cc zig_target=aarch64-macos.11.0 ;;
*) echo "static.sh: $arch cannot be built, only amd64, arm64, darwin-amd64 and darwin-arm64" >&2 && exit 2 ;;
esac

say() {
	echo "static $arch: $*" >&2
}

# ---- what it takes -----------------------------------------------------------------

jobs=$(nproc)
# Nothing in it looks at unwind tables: they would be a tenth of the program.
[ "$system" = linux ] && no_unwind="-fno-unwind-tables -fno-asynchronous-unwind-tables" || no_unwind=
cflags="-Os -DNDEBUG -ffunction-sections -fdata-sections -fstack-protector-strong -fPIE $no_unwind"
if [ "$arch" = amd64 ]; then
	kernel_headers=/usr/include kernel_asm=/usr/include/x86_64-linux-gnu
else
	kernel_headers=/usr/aarch64-linux-gnu/include kernel_asm=/usr/aarch64-linux-gnu/include
fi

packages="gcc libc6-dev make perl xz-utils bzip2 dpkg-dev ncurses-bin pkg-config linux-libc-dev"
tools="gcc make perl xz bzip2 dpkg-source tic infocmp"
if [ "$system" = darwin ]; then
	packages="$packages python3-venv"
	tools="$tools python3"
elif [ "$arch" != "$(dpkg --print-architecture 2>/dev/null)" ]; then
	packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
	tools="$tools $triple-gcc qemu-aarch64-static"
fi

missing() {
	for tool in $tools; do
		command -v "$tool" >/dev/null 2>&1 || echo "$tool"
	done
}

# ZIG, or zig on the PATH, or the pinned one from PyPI in the cache.
find_zig() {
	[ "$system" = darwin ] || return 0
	zig=${ZIG:-$(command -v zig || true)}
	[ -z "$zig" ] || return 0
	zig_venv=$cache/zig-$(sha256sum <"$here/zig.txt" | cut -c1-12)
	if [ ! -e "$zig_venv/complete" ]; then
		say "fetching zig"
		python3 -m venv "$zig_venv" && "$zig_venv/bin/pip" install -q --disable-pip-version-check --require-hashes \
			-r "$here/zig.txt" >&2 && touch "$zig_venv/complete"
	fi
	zig=$(echo "$zig_venv"/lib/python3*/site-packages/ziglang/zig)
}

install_missing() {
	[ -n "$(missing)" ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
		echo "missing: $(missing | tr '\n' ' ')" >&2
		echo "install, on Debian: apt-get install $packages" >&2
		exit 1
	fi
	say "installing $packages"
	# shellcheck disable=SC2086 # a list of words
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
}

# ---- the libraries -----------------------------------------------------------------

# The version of a package's authors: 1.64.0 of 1.64.0-1.1+deb13u1.
upstream() { # package
	"$here/sources.sh" list | sed -n "s/^$1  *\([0-9]*:\)\{0,1\}\([0-9.]*\).*/\2/p"
}

# Patches are newer than what autoconf made of the files that they change: it is not made again.
unpack() {
	(cd src && "$here/sources.sh" unpack "$sources" && find . -exec touch -h -d "$("$here/sources.sh" value date)T00:00:00Z" {} +)
}

# A compiler whose name and options appear nowhere in what it makes: for macOS zig's, for Linux gcc with musl.
make_compiler() {
	mkdir -p bin headers
	if [ "$system" = darwin ]; then
		make_zig_compiler
	else
		make_musl_compiler
	fi
	PATH=$work/bin:$PATH
}

# zig cc checks for undefined behaviour unless told otherwise.
make_zig_compiler() {
	cat >bin/kcc <<EOF
#!/bin/sh
exec "$zig" cc -target $zig_target -fno-sanitize=undefined -ffile-prefix-map="$work"=/build \\
	-ffile-prefix-map="$top"=/kubectl-status "\$@"
EOF
	for tool in ar ranlib; do
		printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" >"bin/k$tool"
	done
	ln -sf "$(command -v nm)" bin/knm
	chmod +x bin/kcc bin/kar bin/kranlib
	mkdir -p root/include/sys
	# ncurses asks macOS for this header, and zig's lack it.  A speed's number there is the speed.
	for baud in 0 50 75 110 134 150 200 300 600 1200 1800 2400 4800 9600 19200 38400 57600 115200 230400; do
		echo "#define B$baud $baud"
	done >root/include/sys/ttydev.h
}

make_musl_compiler() {
	for folder in linux asm-generic mtd; do
		ln -sfn "$kernel_headers/$folder" "headers/$folder"
	done
	ln -sfn "$kernel_asm/asm" headers/asm
	cat >bin/kcc <<EOF
#!/bin/sh
exec $triple-gcc -specs "$work/root/lib/musl-gcc.specs" -idirafter "$work/headers" -ffile-prefix-map="$work"=/build \\
	-ffile-prefix-map="$top"=/kubectl-status "\$@"
EOF
	chmod +x bin/kcc
	for tool in ar ranlib nm strip; do
		ln -sf "$(command -v "$triple-$tool")" "bin/k$tool"
	done
}

# Its wrapper knows no -static-pie: where to start, and that nobody loads it.
build_musl() {
	[ "$system" = linux ] || return 0
	(cd src/musl && ./configure CC="$triple-gcc" --target="$triple" --prefix="$work/root" --syslibdir="$work/root/lib" \
		--disable-shared --enable-wrapper=gcc && make -j"$jobs" && make install)
	sed -i -e 's|Scrt1.o}|rcrt1.o}|' -e 's|^-dynamic-linker [^ ]* |-static -pie --no-dynamic-linker -z text |' \
		"$work/root/lib/musl-gcc.specs"
}

# A library of plain C files: objects and an archive, no configuration.
archive() { # name, cflags, files...
	lib=$work/root/lib/lib$1.a
	flags=$2
	shift 2
	rm -rf obj && mkdir obj
	for file; do
		# shellcheck disable=SC2086 # a list of words
		kcc $cflags $flags -c "$file" -o "obj/$(basename "$file" .c).o"
	done
	kar rcsD "$lib" obj/*.o
}

libyaml_version() {
	upstream libyaml | sed -E 's/(.*)\.(.*)\.(.*)/-DYAML_VERSION_STRING="&" -DYAML_VERSION_MAJOR=\1 -DYAML_VERSION_MINOR=\2 -DYAML_VERSION_PATCH=\3/'
}

build_small() {
	zlib_flags="-D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -DHAVE_STDARG_H"
	[ "$system" = linux ] || zlib_flags="$zlib_flags -Dfdopen=fdopen" # else it takes macOS for the one before OS X
	(cd src/zlib && archive z "$zlib_flags" ./*.c &&
		cp zlib.h zconf.h "$work/root/include")
	(cd src/cjson && archive cjson "" cJSON.c &&
		mkdir -p "$work/root/include/cjson" && cp cJSON.h "$work/root/include/cjson")
	(cd src/libyaml && archive yaml "-Iinclude $(libyaml_version)" src/*.c &&
		cp include/yaml.h "$work/root/include")
	nghttp2=$(upstream nghttp2)
	# shellcheck disable=SC2046,SC2183 # three numbers
	(cd src/nghttp2/lib && sed -e "s/@PACKAGE_VERSION@/$nghttp2/" \
		-e "s/@PACKAGE_VERSION_NUM@/$(printf '0x%02x%02x%02x' $(echo "$nghttp2" | tr . ' '))/" \
		includes/nghttp2/nghttp2ver.h.in >includes/nghttp2/nghttp2ver.h &&
		archive nghttp2 "-Iincludes -DNGHTTP2_STATICLIB -DHAVE_TIME_H -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H" ./*.c &&
		mkdir -p "$work/root/include/nghttp2" && cp includes/nghttp2/*.h "$work/root/include/nghttp2")
	cp src/uthash/src/uthash.h "$work/root/include"
}

# Its terminals: those of the system's terminfo first, then the usual ones from inside.
build_ncurses() {
	folders=/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo:/usr/share/misc/terminfo
	inside=xterm-256color,xterm,xterm-color,screen-256color,screen,tmux-256color,tmux,linux,vt100,vt220,ansi,dumb
	inside=$inside,alacritty,rxvt-unicode-256color,foot
	ncurses_flags=$cflags
	[ "$system" = linux ] || ncurses_flags="$cflags -I$work/root/include"
	(cd src/ncurses && ./configure CC=kcc AR=kar RANLIB=kranlib CFLAGS="$ncurses_flags" --host="$triple" --prefix="$work/root" \
		--enable-widec --without-ada --without-cxx --without-cxx-binding --without-progs --without-tests \
		--without-manpages --without-debug --without-gpm --without-shared --with-normal --disable-db-install \
		--disable-stripping --with-build-cc=gcc --with-tic-path="$(command -v tic)" \
		--with-infocmp-path="$(command -v infocmp)" --with-default-terminfo-dir=/usr/share/terminfo \
		--with-terminfo-dirs=$folders --with-fallbacks=$inside &&
		make -C include && make -j"$jobs" -C ncurses && make -C include install && cp lib/libncursesw.a "$work/root/lib" &&
		ln -sf ncursesw/curses.h "$work/root/include/curses.h" && ln -sf ncursesw/ncurses.h "$work/root/include/ncurses.h" &&
		for h in term.h ncurses_dll.h unctrl.h; do ln -sf "ncursesw/$h" "$work/root/include/$h"; done)
}

# TLS 1.2 and 1.3 with the ciphers and key exchanges that kubectl has, too: nothing else is in it.
# no-autoload-config: the configuration of the host's OpenSSL names providers that are not in here.
build_openssl() {
	openssl_flags="-ffunction-sections -fdata-sections -DNDEBUG -Os $no_unwind"
	# shellcheck disable=SC2086 # a list of words
	(cd src/openssl && ./Configure "$openssl_target" CC=kcc AR=kar RANLIB=kranlib --prefix=/usr --libdir=lib --openssldir=/etc/ssl \
		no-shared no-tests no-engine no-module no-dso no-async no-afalgeng no-legacy no-autoload-config no-comp no-idea \
		no-seed no-rc2 no-rc4 no-md4 no-bf no-cast no-camellia no-aria no-sm2 no-sm3 no-sm4 no-whirlpool no-srp no-psk \
		no-dtls no-ct no-cms no-ts no-ocsp no-ssl3 no-weak-ssl-ciphers no-tls1 no-tls1_1 no-dh no-dsa no-des no-mdc2 no-rmd160 \
		no-scrypt no-siphash no-blake2 no-ocb no-ec2m no-gost no-cmp no-rfc3779 no-srtp no-nextprotoneg no-multiblock \
		no-quic no-slh-dsa no-ml-dsa no-argon2 no-siv no-docs no-apps \
		$openssl_flags &&
		make -j"$jobs" build_generated && make -j"$jobs" libcrypto.a libssl.a && make DESTDIR="$work/openssl" install_dev &&
		cp -R "$work/openssl/usr/include/openssl" "$work/root/include" && cp libcrypto.a libssl.a "$work/root/lib")
}

# HTTP and HTTPS through proxies, Basic and Bearer: nothing else is in it.
build_curl() {
	mkdir -p pkgconfig
	printf 'Name: OpenSSL\nDescription: TLS\nVersion: %s\nLibs: -L%s/root/lib -lssl -lcrypto\nCflags: -I%s/root/include\n' \
		"$(upstream openssl)" "$work" "$work" >pkgconfig/openssl.pc
	printf 'Name: nghttp2\nDescription: HTTP/2\nVersion: %s\nLibs: -L%s/root/lib -lnghttp2\nCflags: -I%s/root/include\n' \
		"$(upstream nghttp2)" "$work" "$work" >pkgconfig/libnghttp2.pc
	(cd src/curl &&
		if [ "$system" = darwin ]; then # the SystemConfiguration framework, which only helps with NAT64, is not at hand
			sed -i 's/build_for_macos="\?yes"\?/build_for_macos=no/' configure &&
				sed -i -E 's/define (CURL_[A-Z]+_CALL_COPYPROXIES) 1/undef \1/' lib/curl_setup.h &&
				grep -q 'undef CURL_[A-Z]*_CALL_COPYPROXIES' lib/curl_setup.h &&
				export ac_cv_func_pipe2=no # zig's headers have it, and macOS before 27 has not
		fi &&
		PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$work/pkgconfig ./configure CC=kcc AR=kar RANLIB=kranlib NM=knm \
		CFLAGS="$cflags" CPPFLAGS="-I$work/root/include -DNGHTTP2_STATICLIB" LDFLAGS="-L$work/root/lib" \
		--host="$triple" --prefix="$work/root" --disable-shared --enable-static --with-openssl --with-nghttp2 \
		--with-zlib="$work/root" --without-brotli --without-zstd --without-libidn2 --without-libpsl --without-librtmp \
		--without-libssh2 --without-gssapi --without-ca-bundle --without-ca-path --enable-threaded-resolver \
		--disable-ftp --disable-file --disable-ldap --disable-ldaps --disable-rtsp --disable-dict --disable-telnet \
		--disable-tftp --disable-pop3 --disable-imap --disable-smb --disable-smtp --disable-gopher --disable-mqtt \
		--disable-manual --disable-ares --disable-ntlm --disable-tls-srp --disable-unix-sockets --disable-alt-svc --disable-hsts \
		--disable-cookies --disable-netrc --disable-digest-auth --disable-negotiate-auth --disable-kerberos-auth \
		--disable-websockets --disable-doh --disable-aws &&
		make -j"$jobs" -C lib libcurl.la && make -C lib install-libLTLIBRARIES && make -C include install)
}

# Reads tar, zip and gzip: nothing else is in it.
build_libarchive() {
	(cd src/libarchive && ./configure CC=kcc AR=kar RANLIB=kranlib NM=knm CFLAGS="$cflags" CPPFLAGS="-I$work/root/include" \
		LDFLAGS="-L$work/root/lib" --host="$triple" --prefix="$work/root" --disable-shared --enable-static --disable-bsdtar \
		--disable-bsdcat --disable-bsdcpio --disable-bsdunzip --disable-acl --disable-xattr --without-bz2lib --without-libb2 \
		--without-iconv --without-lz4 --without-zstd --without-lzma --without-cng --without-xml2 --without-expat --without-openssl \
		--without-nettle --without-mbedtls &&
		make -j"$jobs" libarchive.la && make install-libLTLIBRARIES install-includeHEADERS)
}

# Their terms, once for what is in the program.
gather_licences() {
	mkdir -p licences
	[ "$system" = darwin ] || cp src/musl/COPYRIGHT licences/musl
	sed -n '/Copyright notice:/,$p' src/zlib/README >licences/zlib
	cp src/openssl/LICENSE.txt licences/openssl
	cp src/nghttp2/COPYING licences/nghttp2
	cp src/curl/COPYING licences/curl
	cp src/ncurses/COPYING licences/ncurses
	cp src/cjson/LICENSE licences/cjson
	cp src/libyaml/License licences/libyaml
	cp src/libarchive/COPYING licences/libarchive
	cp src/uthash/LICENSE licences/uthash
}

step() { # name
	say "$1"
	"$1" >>log 2>&1 || {
		tail -n 30 log >&2
		echo "static.sh: $1 failed; all of it is in $work/log" >&2
		exit 1
	}
}

build_libraries() {
	rm -rf "$work"
	mkdir -p "$work/src" "$work/root/include" "$work/root/lib"
	cd "$work"
	# the date that OpenSSL and others write into what they build: of the sources, not of the commit that is built first
	SOURCE_DATE_EPOCH=$(date -u -d "$("$here/sources.sh" value date)" +%s)
	export SOURCE_DATE_EPOCH
	step unpack
	step make_compiler
	step build_musl
	step build_small
	step build_ncurses
	step build_openssl
	step build_curl
	step build_libarchive
	step gather_licences
	rm -rf src openssl
	touch complete
}

# ---- the program -------------------------------------------------------------------

build_program() {
	cd "$top"
	root=$work/root
	# objects of other libraries or flags: make does not know that they are old
	[ "$(cat "build/static-$arch/libraries" 2>/dev/null)" = "$(basename "$work")" ] || rm -rf "build/static-$arch"
	mkdir -p "build/static-$arch"
	basename "$work" >"build/static-$arch/libraries"
	ldflags=-Wl,--gc-sections
	[ "$system" = linux ] || ldflags="-s -Wl,-dead_strip" # stripped later, it would lose its signature
	# where pointers stand takes a bit for each instead of 24 bytes; musl from 1.2.4 on reads it, and binutils writes it for x86
	[ "$arch" != amd64 ] || ldflags="$ldflags -Wl,-z,pack-relative-relocs"
	make --no-print-directory B="build/static-$arch" CC=kcc AR=kar PKGS= OPT="$cflags" HARDEN="-fstack-protector-strong -fPIE" \
		CPPFLAGS="-I$root/include -I$root/include/ncursesw -DCURL_STATICLIB -DNGHTTP2_STATICLIB -DNCURSES_WIDECHAR=1" \
		LDFLAGS="$ldflags -L$root/lib" \
		LDLIBS="-lcurl -lnghttp2 -lssl -lcrypto -larchive -lz -lncursesw -lcjson -lyaml -lm" CFLAGS="" \
		"build/static-$arch/kubectl-status" >&2
	if [ "$system" = linux ]; then
		kstrip -s "build/static-$arch/kubectl-status" -o "build/static-$arch/program"
	else
		cp "build/static-$arch/kubectl-status" "build/static-$arch/program"
	fi
	rm -rf "build/static-$arch/licences"
	cp -R "$work/licences" "build/static-$arch/licences"
}

# It is static and it runs; of macOS', that it is a program that needs no library but the system's one: else nothing is built.
check_program() {
	program=$top/build/static-$arch/program
	if [ "$system" = darwin ]; then
		if [ "$(od -An -tx1 -N4 "$program" | tr -d ' ')" != cffaedfe ] ||
			[ "$(grep -aoE '/(usr|System)/[A-Za-z0-9./]+(dylib|framework)' "$program" | sort -u)" != /usr/lib/libSystem.B.dylib ]; then
			echo "static.sh: $program is no program for macOS, or needs more than libSystem" >&2
			exit 1
		fi
		say "linked; it cannot be run here"
		return
	fi
	if readelf -l "$program" | grep -q INTERP; then
		echo "static.sh: $program is not static" >&2
		exit 1
	fi
	[ "$arch" = "$(dpkg --print-architecture)" ] && run= || run=qemu-aarch64-static
	TERM=vt100 $run "$program" --version >&2
}

# What the libraries depend on: their sources, how they are built, and the compiler.
libraries_key() {
	{
		cat "$here/sources.txt" "$here/sources.sha256" "$here/zig.txt"
		sed -n '/^# ---- what it takes/,/^# ---- the program/p' "$0"
		[ "$system" = darwin ] || "$triple-gcc" --version
	} 2>/dev/null | sha256sum | cut -c1-12
}

if [ -n "$ready" ]; then
	[ -e "${STATIC_CACHE:-$cache}/static-$arch-$(libraries_key)/complete" ]
	exit
fi
install_missing
find_zig
work=${STATIC_CACHE:-$cache}/static-$arch-$(libraries_key)
if [ ! -e "$work/complete" ]; then
	say "fetching the sources"
	"$here/sources.sh" fetch "$sources"
	(build_libraries)
fi
SOURCE_DATE_EPOCH=$("$here/epoch.sh")
export SOURCE_DATE_EPOCH
PATH=$work/bin:$PATH
build_program
check_program
echo "$top/build/static-$arch/program"
