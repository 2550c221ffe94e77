/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/signals.h"

#include "kube/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int signal_pipe[2] = { -1, -1 };

static void on_signal(int number)
{
	unsigned char byte = (unsigned char)number;
	int saved = errno;

	/* A full pipe has plenty to wake up for already. */
	if (write(signal_pipe[1], &byte, 1) < 0)
		errno = saved;
	errno = saved;
}

void signals_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (signal_pipe[0] >= 0 || pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	sigemptyset(&action.sa_mask);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

static void on_fatal(int number)
{
	child_kill_all();
	signals_die(number);
}

void signals_end_children(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_fatal };

	sigemptyset(&action.sa_mask);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

int signals_fd(void)
{
	return signal_pipe[0];
}

int signals_next(void)
{
	unsigned char byte;

	return signal_pipe[0] >= 0 && read(signal_pipe[0], &byte, 1) == 1 ? byte : 0;
}

void signals_die(int signal_number)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigemptyset(&action.sa_mask);
	sigaction(signal_number, &action, NULL);
	raise(signal_number);
}
