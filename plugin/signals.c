/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/signals.h"

#include "kube/base/child.h"
#include "kube/base/system.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define GRACE_US 300000	/* how long the program may take to end after a signal, microseconds */

/* The state that the signal handlers need. */
static struct {
	int pipe[2];			/* holds the numbers of the signals that came; -1: no signal is caught */
	volatile sig_atomic_t ending;	/* the first signal that ends the program */
	void (*on_death)(void);
} caught = { .pipe = { -1, -1 } };

/* Signals that the program's own errors cause; it cannot go on after them. */
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
static const int requests[] = { SIGINT,	 SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2,	 SIGXCPU,
				SIGPROF, SIGVTALRM, SIGALRM };
static const int nonfatal[] = { SIGWINCH, SIGTSTP, SIGCONT };

bool signals_ends(int number)
{
	for (unsigned i = 0; i < sizeof(nonfatal) / sizeof(nonfatal[0]); i++)
		if (nonfatal[i] == number)
			return false;
	return true;
}

void signals_die(int signal_number)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&action.sa_mask);
	sigaction(signal_number, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	raise(signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void die_now(int number)
{
	child_kill_all();
	if (caught.on_death)
		caught.on_death();
	signals_die(number);
}

/* Handles a signal.  After a signal that ends the program an ALRM comes from the timer that was set here. */
static void on_signal(int number)
{
	static const struct itimerval grace = { .it_value = { .tv_usec = GRACE_US } };
	unsigned char byte = (unsigned char)number;
	int saved = errno;

	if (number == SIGALRM && caught.ending)
		die_now(caught.ending);
	if (signals_ends(number) && !caught.ending) {
		caught.ending = number;
		setitimer(ITIMER_REAL, &grace, NULL);
	}
	/* A failed write does no harm: a full pipe wakes up the event loop already. */
	if (write(caught.pipe[1], &byte, 1) < 0)
		errno = saved;
	errno = saved;
}

/* Returns true for a HUP that was ignored when the program began, as with nohup. */
static bool stays_ignored(int number)
{
	struct sigaction now;

	return number == SIGHUP && sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void handle(const int *numbers, size_t n, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < n; i++)
		if (!stays_ignored(numbers[i]))
			sigaction(numbers[i], &action, NULL);
}

void signals_catch(void)
{
	if (caught.pipe[0] >= 0 || system_pipe(caught.pipe) < 0)
		return;
	handle(requests, sizeof(requests) / sizeof(requests[0]), on_signal);
	for (int n = 0, number; (number = system_extra_signal(n)) > 0; n++)
		handle(&number, 1, on_signal);
}

void signals_catch_screen(void)
{
	handle(nonfatal, sizeof(nonfatal) / sizeof(nonfatal[0]), on_signal);
}

void signals_on_death(void (*hook)(void))
{
	caught.on_death = hook;
	handle(crashes, sizeof(crashes) / sizeof(crashes[0]), die_now);
}

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

void signals_end_children(void)
{
	if (caught.pipe[0] < 0)
		handle(ends, ENDS, die_now);
}

int signals_fd(void)
{
	return caught.pipe[0];
}

int signals_next(void)
{
	unsigned char byte;

	return caught.pipe[0] >= 0 && read(caught.pipe[0], &byte, 1) == 1 ? byte : 0;
}

bool signals_ending(void)
{
	return caught.ending != 0;
}
