/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is started for its output, without a shell, and without waiting for its end. */
#ifndef KUBE_BASE_CHILD_H
#define KUBE_BASE_CHILD_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

struct child;

struct child_command {
	const char *path;		/* the path as execve() takes it */
	const char *const *argv;	/* ends with NULL */
	const char *const *env;		/* "NAME=value", ends with NULL */
	bool stdin_inherited;		/* false: standard input is /dev/null */
	bool stderr_inherited;		/* false: the last bytes of standard error are kept */
};

/* Returns 0, or the errno of the call that failed. */
int child_start(const struct child_command *command, struct child **out);
/* A descriptor that is readable while the child writes; -1 when the child has closed both its outputs. */
int child_fd(const struct child *c);
/* Reads what the child has printed since.  Returns true when the child has ended. */
bool child_run(struct child *c);
/* What the child has printed so far; borrowed until the next child_run(). */
struct child_result {
	struct str out, err;
	bool overflowed;	/* it printed more than LIMIT_PLUGIN_OUTPUT; the rest was dropped */
	int code;		/* its exit status; -1 when a signal ended it */
};
struct child_result child_result(const struct child *c);
/*
 * Frees the child without waiting.  A child that still runs is told to end; child_see_off() kills it when it does not.
 */
void child_free(struct child *c);
/*
 * Frees the children that have ended since child_free(), and kills those that were told to end more than 200 ms ago.
 * now: ms of any clock.
 */
void child_see_off(int64_t now);
/* Does the same at the end of the program, and waits until no child is left. */
void child_see_off_all(void);
/* Kills every child that still runs.  Safe in a signal handler. */
void child_kill_all(void);

/* How a line of the shell ended. */
struct shell_end {
	int error;	/* the errno of what kept the line from being started, else 0 */
	int signal;	/* the signal that ended the line, else 0 */
	int code;	/* its exit status */
};

/* The kubectl to run, for child_look_path(): $KUBECTL_PATH, which kubectl itself sets for a plugin, else "kubectl". */
struct str child_kubectl(void);

/*
 * Runs a line of /bin/sh, in which kubectl is child_kubectl(), on the terminal of this program and waits for its end.  An interrupt from the keyboard ends
 * only that line.  What the line writes to descriptor 3 is appended to told.
 */
struct shell_end child_shell(const char *line, struct buf *told);
/*
 * Does the same, and reads what the line prints on both its outputs: of more than keep bytes, at least the last keep.
 * What it prints on standard error is handed to said() at once, because it may be a question.
 */
typedef void child_said(void *ctx, struct str text);
struct shell_end child_shell_output(const char *line, size_t keep, struct buf *printed, child_said *said, void *ctx);

bool child_is_executable(const char *path);
/*
 * Finds an executable in $PATH, as exec.LookPath() of Go does: an executable that only a relative entry of $PATH would
 * find is refused.  Returns false when there is none.
 */
bool child_look_path(struct str name, struct buf *out);

#endif
