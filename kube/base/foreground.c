/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/foreground.h"

#include <sys/types.h>
#include <unistd.h>

bool foreground_has_terminal(int fd)
{
	pid_t foreground;

	if (!isatty(fd))
		return false;
	foreground = tcgetpgrp(fd);
	return foreground < 0 || foreground == getpgrp();
}
