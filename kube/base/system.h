/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between Linux (glibc, musl), macOS and the BSDs.  No other file
 * asks for the system.
 */
#ifndef KUBE_BASE_SYSTEM_H
#define KUBE_BASE_SYSTEM_H

#include <spawn.h>
#include <stdint.h>
#include <sys/stat.h>

/* As Go calls them: "linux", "darwin"; "amd64", "arm64".  "unknown" for others. */
const char *system_name(void);
const char *system_architecture(void);

/* For jitter, not for keys: a constant where the system has none to give. */
uint64_t system_random(void);

/* No core file, and no tracing where the system can forbid it. */
void system_forbid_dumps(void);

/* So many files may be open from now on, as far as the system allows it.  Returns how many may. */
int system_allow_files(int wanted);

/* Both ends do not block and are closed by exec.  Returns 0, or -1 with errno. */
int system_pipe(int fds[2]);

/* The child gets no file descriptor from this one on; where the system has no call for it, the first LIMIT_FILES count.  Returns an errno. */
int system_close_from(posix_spawn_file_actions_t *files, int first);

/*
 * The TCP connection ends when its peer is silent: it is probed after and every
 * probe_seconds, and given up when sent bytes are not acknowledged for unacked_ms.
 * As far as the system can; what it refuses only makes the loss show later.
 */
void system_keep_alive(int fd, int probe_seconds, int unacked_ms);

/* From now on large blocks of memory go back to the system as soon as they are freed. */
void system_return_blocks(void);

/* Gives unused memory of the heap back to the system. */
void system_trim_heap(void);

/* Signal n of those that only some systems have (SIGPWR, the real-time ones ...); 0 after the last. */
int system_extra_signal(int n);

/*
 * A file that has no name on a disk and is gone with its descriptor, for which
 * "/proc/self/fd/N" is a path.  -1 with errno where the system has none.
 */
int system_memory_file(void);

/* When the file was written last. */
struct timespec system_written(const struct stat *st);

#endif
