/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/system.h"

#include "kube/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* musl and glibc before 2.34 have none */
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
#define HAVE_ADDCLOSEFROM
#endif
#endif

const char *system_name(void)
{
#if defined(__linux__)
	return "linux";
#elif defined(__APPLE__)
	return "darwin";
#elif defined(__FreeBSD__)
	return "freebsd";
#elif defined(__OpenBSD__)
	return "openbsd";
#elif defined(__NetBSD__)
	return "netbsd";
#else
	return "unknown";
#endif
}

const char *system_architecture(void)
{
#if defined(__x86_64__)
	return "amd64";
#elif defined(__aarch64__)
	return "arm64";
#elif defined(__arm__)
	return "arm";
#elif defined(__i386__)
	return "386";
#elif defined(__powerpc64__)
	return "ppc64le";
#elif defined(__s390x__)
	return "s390x";
#else
	return "unknown";
#endif
}

uint64_t system_random(void)
{
	uint64_t n = 0;

#ifdef __linux__
	if (getrandom(&n, sizeof(n), 0) != (ssize_t)sizeof(n))
		n = 0x9E3779B97F4A7C15u;
#else
	arc4random_buf(&n, sizeof(n));
#endif
	return n;
}

void system_forbid_dumps(void)
{
	static const struct rlimit none = { 0, 0 };

#ifdef __linux__
	prctl(PR_SET_DUMPABLE, 0);
#endif
	setrlimit(RLIMIT_CORE, &none);
}

/* macOS has no pipe2(). */
int system_allow_files(int wanted)
{
	struct rlimit limit;
	rlim_t most = (rlim_t)wanted, before;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return wanted;
	before = limit.rlim_cur;
	if (most > limit.rlim_max)
		most = limit.rlim_max;
	if (most <= before)
		return before < (rlim_t)wanted ? (int)before : wanted;
	limit.rlim_cur = most;
	return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? (int)before : (int)most;
}

int system_pipe(int fds[2])
{
	if (pipe(fds) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

int system_close_from(posix_spawn_file_actions_t *files, int first)
{
#ifdef HAVE_ADDCLOSEFROM
	return posix_spawn_file_actions_addclosefrom_np(files, first);
#else
	struct rlimit limit;
	int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < LIMIT_FILES ? (int)limit.rlim_cur : LIMIT_FILES;

	for (int fd = first; fd < end; fd++) {
		int error = fcntl(fd, F_GETFD) < 0 ? 0 : posix_spawn_file_actions_addclose(files, fd);

		if (error)
			return error;
	}
	return 0;
#endif
}

static void set_option(int fd, int level, int option, int value)
{
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

void system_keep_alive(int fd, int probe_seconds, int unacked_ms)
{
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE)
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, probe_seconds);
#elif defined(TCP_KEEPALIVE)
	set_option(fd, IPPROTO_TCP, TCP_KEEPALIVE, probe_seconds);
#endif
#ifdef TCP_KEEPINTVL
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, probe_seconds);
#endif
#if defined(TCP_USER_TIMEOUT)
	set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, unacked_ms);
#elif defined(TCP_RXT_CONNDROPTIME)
	set_option(fd, IPPROTO_TCP, TCP_RXT_CONNDROPTIME, unacked_ms / 1000);
#else
	(void)unacked_ms;
#endif
}

void system_return_blocks(void)
{
#ifdef __GLIBC__
	/*
	 * If libc chose this threshold itself, it would grow with each large block that is freed, and such blocks would
	 * then stay in the heap.
	 */
	mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

bool system_has_terminal(int fd)
{
	pid_t foreground;

	if (!isatty(fd))
		return false;
	foreground = tcgetpgrp(fd);
	return foreground < 0 || foreground == getpgrp();
}

void system_trim_heap(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

int system_extra_signal(int n)
{
	const int named[] = {
#ifdef SIGIO
		SIGIO,
#endif
#ifdef SIGPWR
		SIGPWR,
#endif
#ifdef SIGSTKFLT
		SIGSTKFLT,
#endif
		0
	};
	const int count = (int)(sizeof(named) / sizeof(named[0])) - 1;

	if (n < count)
		return named[n];
#ifdef SIGRTMIN
	if (SIGRTMIN + n - count <= SIGRTMAX)
		return SIGRTMIN + n - count;
#endif
	return 0;
}

int system_temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/kubectl-status-XXXXXX", folder && *folder ? folder : "/tmp"), fd;

	if (n < 0 || n >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	unlink(path);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

bool system_allows_file(size_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur >= bytes;
}

int system_unnamed_file(void)
{
#ifdef __linux__
	int fd = memfd_create("kubectl-status", MFD_CLOEXEC);

	if (fd >= 0)
		return fd;
#endif
	return system_temporary_file();
}
