/* SPDX-License-Identifier: Apache-2.0 */
/* A program that we start for its output, without a shell and without waiting for it. */
#ifndef KUBE_BASE_CHILD_H
#define KUBE_BASE_CHILD_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

struct child;

struct child_command {
	const char *path;		/* as execve() takes it */
	const char *const *argv;	/* NULL-terminated */
	const char *const *env;		/* NULL-terminated, "NAME=value" */
	bool stdin_inherited;		/* else /dev/null */
	bool stderr_inherited;		/* else the last of it is kept */
};

/* 0, or the errno of what failed. */
int child_start(const struct child_command *command, struct child **out);
/* Readable while the child writes; -1 when both its outputs are closed. */
int child_fd(const struct child *c);
/* Reads what is there.  True when the child has ended. */
bool child_run(struct child *c);
/* What it printed so far.  Borrowed until the next child_run(). */
struct str child_stdout(const struct child *c);
struct str child_stderr(const struct child *c);
/* It printed more than LIMIT_PLUGIN_OUTPUT; the rest was dropped. */
bool child_overflowed(const struct child *c);
/* Exit status; -1 when a signal ended it. */
int child_exit_code(const struct child *c);
/* Kills it when it still runs. */
void child_free(struct child *c);
/* Kills every child that still runs.  Safe in a signal handler. */
void child_kill_all(void);

/* How a line of the shell ended. */
struct shell_end {
	int error;	/* errno of what kept it from being started, else 0 */
	int signal;	/* that ended it, else 0 */
	int code;	/* exit status */
};

/*
 * Runs a line of /bin/sh with our terminal, and waits for its end; what the user
 * interrupts there is that line alone.  What it writes to descriptor 3 is appended
 * to told.
 */
struct shell_end child_shell(const char *line, struct buf *told);
/*
 * The same, and reads what it prints on both its outputs; of more than keep
 * bytes, at least the last keep.  What comes on its
 * standard error is handed to said() at once, as it may ask something.
 */
typedef void child_said(void *ctx, struct str text);
struct shell_end child_shell_output(const char *line, size_t keep, struct buf *printed, child_said *said, void *ctx);

bool child_is_executable(const char *path);
/*
 * Finds an executable in $PATH, as Go's exec.LookPath does: what would be found
 * by a relative entry of $PATH is refused.  False when there is none.
 */
bool child_look_path(struct str name, struct buf *out);

#endif
