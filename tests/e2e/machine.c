/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine as a program under test sees it (machine.py): this is loaded before the C library.  TEST_CLOCK holds how fast the program's
 * time passes, and at which real times, of day and since the start of the machine, in ns, it began to.  The file TEST_CLOCK_LATER holds how
 * many seconds later than that its time of day is, and may change while the program runs.  Nobody listens at the port TEST_REFUSED.  With
 * TEST_NO_MEMORY_FILES there are no files in memory, and descriptors have no paths.
 * The program's children see the machine as it is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

static double speed = 1;
static long long began_day, began_machine;
static volatile const int64_t *later;
static in_port_t refused;
static bool no_memory_files;

__attribute__((constructor)) static void start(void)
{
	const char *told = getenv("TEST_CLOCK"), *file = getenv("TEST_CLOCK_LATER"), *port = getenv("TEST_REFUSED");
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;

	if (told)
		sscanf(told, "%lf %lld %lld", &speed, &began_day, &began_machine);
	if (fd >= 0) {
		void *page = mmap(NULL, sizeof(*later), PROT_READ, MAP_SHARED, fd, 0);

		later = page == MAP_FAILED ? NULL : page;
		close(fd);
	}
	if (port)
		refused = htons((in_port_t)atoi(port));
	no_memory_files = getenv("TEST_NO_MEMORY_FILES") != NULL;
	unsetenv("LD_PRELOAD");
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	long long began = id == CLOCK_REALTIME ? began_day : began_machine, ns;
	int status = (int)syscall(SYS_clock_gettime, id, now);

	if (status || (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC))
		return status;
	ns = (long long)now->tv_sec * SECOND + now->tv_nsec;
	if (began)
		ns = began + (long long)((double)(ns - began) * speed);
	now->tv_sec = (time_t)(ns / SECOND) + (id == CLOCK_REALTIME && later ? *later : 0);
	now->tv_nsec = ns % SECOND;
	return 0;
}

/* What waits for so long by its own time waits for less, or more, by that of the machine. */
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	long long ns = (long long)((double)timeout * 1e6 / speed) + 1;
	struct timespec t = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = ns % SECOND };

	if (timeout == 0)
		t = (struct timespec){ 0 };
	return (int)syscall(SYS_ppoll, fds, n, timeout < 0 ? NULL : &t, NULL, (size_t)_NSIG / 8);
}

/* In both families of addresses the port is at the same place. */
int connect(int fd, const struct sockaddr *address, socklen_t n)
{
	bool has_port = address->sa_family == AF_INET || address->sa_family == AF_INET6;

	if (has_port && refused && ((const struct sockaddr_in *)address)->sin_port == refused) {
		errno = ECONNREFUSED;
		return -1;
	}
	return (int)syscall(SYS_connect, fd, address, n);
}

int memfd_create(const char *name, unsigned flags)
{
	if (!no_memory_files)
		return (int)syscall(SYS_memfd_create, name, flags);
	errno = ENOSYS;
	return -1;
}

int open(const char *path, int flags, ...)
{
	va_list more;
	int mode;

	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, int) : 0;
	va_end(more);
	if (!no_memory_files || (strncmp(path, "/dev/fd/", 8) != 0 && strncmp(path, "/proc/self/", 11) != 0))
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	errno = ENOENT;
	return -1;
}
