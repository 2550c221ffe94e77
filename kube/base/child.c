/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/child.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/file.h"
#include "kube/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* So many bytes of the standard error of a child are kept. */
#define STDERR_KEPT KIB(4)

struct child {
	pid_t pid;
	int out_fd, err_fd;	/* -1 after the end of that output */
	struct buf out, err;
	int status;
	bool exited;
	bool group;		/* the child leads a process group of its own */
	int64_t kill_at;	/* ms: when the child that was told to end is killed; 0: no look at it since */
	struct child *next;	/* the next child that was told to end */
};

enum { POLITE_MS = 200, LOOK_MS = 10 };

enum { RUNNING_MAX = 64 };

static struct {
	/* Those that were told to end and that had not ended then. */
	struct child *leaving;
	/*
	 * Those that run, for child_kill_all(): a process number, or minus the number of a process group; 0: an unused
	 * entry.
	 */
	volatile pid_t running[RUNNING_MAX];
} children;

static void note_running(pid_t target, pid_t in_place_of)
{
	for (size_t i = 0; i < RUNNING_MAX; i++)
		if (children.running[i] == in_place_of) {
			children.running[i] = target;
			return;
		}
}

static pid_t target_of(const struct child *c)
{
	assert(c->pid > 1);	/* kill(-1) would end every process of the user */
	return c->group ? -c->pid : c->pid;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Not pipe2(), which macOS does not have. */
static int make_pipe(int fds[2])
{
	if (pipe(fds) < 0)
		return errno;
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	return 0;
}

/* The child starts with the signals that a shell would give it. */
static void set_attributes(posix_spawnattr_t *attr, bool group)
{
	static const int reset[] = { SIGINT,  SIGQUIT, SIGTERM, SIGHUP,	 SIGPIPE,
				     SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGWINCH };
	short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
	sigset_t set;

	sigemptyset(&set);
	posix_spawnattr_setsigmask(attr, &set);
	for (size_t i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
		sigaddset(&set, reset[i]);
	posix_spawnattr_setsigdefault(attr, &set);
	if (group)
		flags |= POSIX_SPAWN_SETPGROUP;
	posix_spawnattr_setpgroup(attr, 0);
	posix_spawnattr_setflags(attr, flags);
}

static int set_files(posix_spawn_file_actions_t *files, const struct child_command *command,
		     int out, int err)
{
	int code = 0;

	if (!command->stdin_inherited)
		code = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(files, out, 1);
	if (code == 0 && err >= 0)
		code = posix_spawn_file_actions_adddup2(files, err, 2);
	if (code == 0)
		code = system_close_from(files, 3);
	return code;
}

/* posix_spawn() was declared before const existed, so its arguments are not const. */
static char *const *as_execve_wants(const char *const *list)
{
	union {
		const char *const *in;
		char *const *out;
	} u = { list };

	return u.out;
}

static int spawn(const struct child_command *command, int out, int err, pid_t *out_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int code;

	code = posix_spawn_file_actions_init(&files);
	if (code)
		return code;
	code = posix_spawnattr_init(&attr);
	if (code == 0) {
		set_attributes(&attr, !command->stderr_inherited);
		code = set_files(&files, command, out, err);
		if (code == 0)
			code = posix_spawn(out_pid, command->path, &files, &attr,
					   as_execve_wants(command->argv),
					   as_execve_wants(command->env));
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return code;
}

int child_start(const struct child_command *command, struct child **out)
{
	int out_pipe[2] = { -1, -1 }, err_pipe[2] = { -1, -1 }, code;
	struct child *c = xcalloc(1, sizeof(*c));
	sigset_t all, before;

	/*
	 * Signals are blocked: one between the start of the child and the note of its number would leave the child
	 * behind.
	 */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	code = make_pipe(out_pipe);
	if (code == 0 && !command->stderr_inherited)
		code = make_pipe(err_pipe);
	if (code == 0)
		code = spawn(command, out_pipe[1], err_pipe[1], &c->pid);
	close_fd(&out_pipe[1]);
	close_fd(&err_pipe[1]);
	if (code) {
		close_fd(&out_pipe[0]);
		close_fd(&err_pipe[0]);
		xfree(c);
		sigprocmask(SIG_SETMASK, &before, NULL);
		return code;
	}
	c->out_fd = out_pipe[0];
	c->err_fd = err_pipe[0];
	c->out = BUF_MAX(LIMIT_PLUGIN_OUTPUT);
	c->group = !command->stderr_inherited;
	note_running(target_of(c), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	*out = c;
	return 0;
}

int child_fd(const struct child *c)
{
	return c->out_fd;
}

/* Reads until nothing more is there for now; at the end of the output *fd is closed and becomes -1. */
static void drain(int *fd, struct buf *out, size_t keep)
{
	char chunk[4096];
	ssize_t n;

	while (*fd >= 0) {
		n = read(*fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			close_fd(fd);
			return;
		}
		buf_add(out, (struct str){ chunk, (size_t)n });
		if (keep && out->len > 2 * keep)
			buf_consume(out, out->len - keep);
	}
}

bool child_run(struct child *c)
{
	if (!c->exited) {
		pid_t pid = waitpid(c->pid, &c->status, WNOHANG);

		/* SIGCHLD is ignored, so there is no child to wait for: what it printed has to be enough */
		c->exited = pid == c->pid || (pid < 0 && errno == ECHILD);
		if (c->exited)
			note_running(0, target_of(c));
	}
	drain(&c->out_fd, &c->out, 0);
	drain(&c->err_fd, &c->err, STDERR_KEPT);
	return c->exited;
}

struct child_result child_result(const struct child *c)
{
	int status = c->status; /* the macros of macOS take its address */

	return (struct child_result){ buf_str(&c->out), buf_str(&c->err), c->out.failed, WIFEXITED(status) ? WEXITSTATUS(status) : -1 };
}

/* The child has ended, and its process number cannot be another process's yet. */
static bool is_zombie(const struct child *c)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return errno == ECHILD;
	return info.si_pid != 0;
}

/* Ends the processes that the child has started, too. */
static void end_leaving(struct child *c)
{
	kill(target_of(c), SIGKILL);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	note_running(0, target_of(c));
	xfree(c);
}

static bool had_its_time(struct child *c, int64_t now)
{
	if (!c->kill_at || c->kill_at - now > POLITE_MS)	/* the second case: the clock was set back */
		c->kill_at = now + POLITE_MS;
	return now >= c->kill_at;
}

void child_see_off(int64_t now)
{
	struct child **at = &children.leaving;

	while (*at) {
		struct child *c = *at;

		if (!is_zombie(c) && !had_its_time(c, now)) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		end_leaving(c);
	}
}

void child_see_off_all(void)
{
	for (int64_t now = 1; children.leaving; now += LOOK_MS) {
		child_see_off(now);
		if (children.leaving)
			poll(NULL, 0, LOOK_MS);
	}
}

/*
 * The child is asked to end before it is killed: it may have switched off the echo of the terminal, and should switch
 * it on again.
 */
static void leave(struct child *c)
{
	assert(!c->exited && c->out_fd < 0 && c->err_fd < 0);
	kill(target_of(c), SIGTERM);
	c->next = children.leaving;
	children.leaving = c;
}

void child_free(struct child *c)
{
	if (!c)
		return;
	close_fd(&c->out_fd);
	close_fd(&c->err_fd);
	file_wipe(&c->out);
	buf_release(&c->err);
	if (c->exited)
		xfree(c);
	else
		leave(c);
}

void child_kill_all(void)
{
	unsigned left = 0;

	for (size_t i = 0; i < RUNNING_MAX; i++)
		if (children.running[i] && kill(children.running[i], SIGTERM) == 0)
			left++;
	/* the same steps as in child_see_off() */
	for (int tries = 0; left && tries < POLITE_MS / LOOK_MS; tries++) {
		while (left && waitpid(-1, NULL, WNOHANG) > 0)
			left--;
		if (left)
			poll(NULL, 0, LOOK_MS);
	}
	for (size_t i = 0; i < RUNNING_MAX; i++)
		if (children.running[i])
			kill(children.running[i], SIGKILL);
}

bool child_is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode) && access(path, X_OK) == 0;
}

bool child_look_path(struct str name, struct buf *out)
{
	struct str path = str_of(getenv("PATH")), dir;

	if (str_contains(name, "/")) {
		buf_reset(out);
		buf_add(out, name);
		return child_is_executable(buf_cstr(out));
	}
	while (!str_empty(name) && str_split(&path, ':', &dir)) {
		buf_reset(out);
		BUF_JOIN(out, str_empty(dir) ? STR(".") : dir, STR("/"), name);
		if (child_is_executable(buf_cstr(out)))
			return str_starts(dir, "/");
	}
	return false;
}

struct str child_kubectl(void)
{
	struct str path = str_of(getenv("KUBECTL_PATH"));

	return path.len ? path : STR("kubectl");
}

/* ---- with the terminal ------------------------------------------------------ */

static void become_shell(const char *line)
{
	static const int usual[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_DFL };

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		sigaction(usual[i], &action, NULL);
	if (str_is(child_kubectl(), "kubectl"))
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	else
		execl("/bin/sh", "sh", "-c", "kubectl() { \"$KUBECTL_PATH\" \"$@\"; }; eval \"$1\"", "sh", line, (char *)NULL);
	_exit(127);
}

/* The line that runs, and not this program, is what the user interrupts or stops. */
static const int of_keys[] = { SIGINT, SIGQUIT, SIGTSTP };
enum { OF_KEYS = sizeof(of_keys) / sizeof(of_keys[0]) };

static void ignore_keys(struct sigaction before[OF_KEYS])
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigemptyset(&ignore.sa_mask);
	for (size_t i = 0; i < OF_KEYS; i++)
		sigaction(of_keys[i], &ignore, &before[i]);
}

static void heed_keys(const struct sigaction before[OF_KEYS])
{
	for (size_t i = 0; i < OF_KEYS; i++)
		sigaction(of_keys[i], &before[i], NULL);
}

/*
 * Returns true when the line has ended.  When the line was stopped this program stops, too: then the shell that it was
 * started from has the keyboard.
 */
static bool has_ended(pid_t pid, int how, struct shell_end *end)
{
	int status = 0;
	pid_t was = waitpid(pid, &status, how | WUNTRACED);

	if (was == pid && WIFSTOPPED(status))
		raise(SIGSTOP);
	if (was == pid && WIFSIGNALED(status))
		end->signal = WTERMSIG(status);
	if (was == pid && WIFEXITED(status))
		end->code = WEXITSTATUS(status);
	return was < 0 ? errno != EINTR : was == pid && !WIFSTOPPED(status);
}

struct shell_end child_shell(const char *line, struct buf *told)
{
	struct sigaction before[OF_KEYS];
	struct shell_end end = { 0 };
	int report[2] = { -1, -1 };
	pid_t pid = -1;

	ignore_keys(before);
	end.error = make_pipe(report);
	if (!end.error && (pid = fork()) < 0)
		end.error = errno;
	if (pid == 0) {
		if (dup2(report[1], 3) == 3)
			fcntl(3, F_SETFD, 0);	/* 3 may be one of the descriptors of before */
		become_shell(line);
	}
	close_fd(&report[1]);
	while (pid > 0 && !has_ended(pid, 0, &end))
		;
	drain(&report[0], told, 0);
	close_fd(&report[0]);
	heed_keys(before);
	return end;
}

/* Reads what both outputs of the line hold at present. */
static void hear(int *out, int *err, size_t keep, struct buf *printed, child_said *said, void *ctx)
{
	struct buf complaint = { 0 };

	drain(out, printed, keep);
	drain(err, &complaint, keep);
	if (complaint.len)
		said(ctx, buf_str(&complaint));
	buf_add(printed, buf_str(&complaint));
	buf_release(&complaint);
}

/* Forks, with both outputs of the line as pipes.  Returns -1 and sets end->error when the line could not be started. */
static pid_t start_shell(const char *line, int out[2], int err[2], struct shell_end *end)
{
	pid_t pid = -1;

	end->error = make_pipe(out);
	if (!end->error)
		end->error = make_pipe(err);
	if (!end->error && (pid = fork()) < 0)
		end->error = errno;
	if (pid == 0) {
		dup2(out[1], 1);
		dup2(err[1], 2);
		become_shell(line);
	}
	return pid;
}

struct shell_end child_shell_output(const char *line, size_t keep, struct buf *printed, child_said *said, void *ctx)
{
	/* ms between two looks whether the line has ended: it may have left its outputs to another process */
	enum { LOOK = 20 };
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	struct sigaction signals[OF_KEYS];
	struct shell_end end = { 0 };
	bool ended = false;
	pid_t pid;

	ignore_keys(signals);
	pid = start_shell(line, out, err, &end);
	close_fd(&out[1]);
	close_fd(&err[1]);
	while (pid > 0 && !ended) {
		struct pollfd polled[] = { { out[0], POLLIN, 0 }, { err[0], POLLIN, 0 } };

		ended = has_ended(pid, WNOHANG, &end);
		hear(&out[0], &err[0], keep, printed, said, ctx);
		if (!ended)
			poll(polled, 2, LOOK);
	}
	close_fd(&out[0]);
	close_fd(&err[0]);
	heed_keys(signals);
	return end;
}
