/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Linux (glibc, musl), macOS and the BSDs.  No other file tests for an operating system. */
#ifndef KUBE_BASE_SYSTEM_H
#define KUBE_BASE_SYSTEM_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Operating system and processor as Go calls them: "linux", "darwin"; "amd64", "arm64".  Others are "unknown". */
const char *system_name(void);
const char *system_architecture(void);

/* A random number for jitter, never for keys: a constant where the system has none to give. */
uint64_t system_random(void);

/* Forbids core files, and tracing where the system can forbid it. */
void system_forbid_dumps(void);

/*
 * Raises the number of files that may be open to that number, as far as the system allows it.  Returns how many may be
 * open.
 */
int system_allow_files(int wanted);

/* Makes a pipe whose ends do not block and are closed by exec.  Returns 0, or -1 with errno. */
int system_pipe(int fds[2]);

/*
 * Keeps file descriptors from this number on from the child; where the system has no call for it, the first LIMIT_FILES
 * of them.  Returns an errno.
 */
int system_close_from(posix_spawn_file_actions_t *files, int first);

/*
 * Ends the TCP connection when its peer is silent: it is probed after probe_seconds and then again at that interval,
 * and given up when bytes that were sent are not acknowledged for unacked_ms.  What the system cannot do is left out;
 * the loss then shows later.
 */
void system_keep_alive(int fd, int probe_seconds, int unacked_ms);

/*
 * Returns true when fd is a terminal that this process may read from and change.  The system stops a process that does
 * that in the background of its shell ("command &").  Another terminal than the process's own has no background.
 */
bool system_has_terminal(int fd);

/* From now on large blocks of memory are given back to the system as soon as they are freed. */
void system_return_blocks(void);

/* Gives memory of the heap that libc keeps for later use back to the system, where that can take it: after much was freed. */
void system_trim_heap(void);

/* Returns the n-th of the signals that only some systems have (SIGPWR, the real-time signals ...); 0 after the last. */
int system_extra_signal(int n);

/*
 * Makes a file that has no name, that nobody else can open, and that vanishes with its descriptor: in memory where the
 * system has such files, else as system_temporary_file() does.  Returns -1 with errno.
 */
int system_unnamed_file(void);
/* Returns true when a limit (ulimit -f) allows a file of that many bytes. */
bool system_allows_file(size_t bytes);
/* Makes such a file in the directory TMPDIR, or in /tmp. */
int system_temporary_file(void);

#endif
