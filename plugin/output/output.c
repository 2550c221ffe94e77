/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/output.h"

#include "kube/base/limits.h"
#include "plugin/signals.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* how often to look for a signal while waiting, ms, because one may come just before the wait */
#define LOOK_AGAIN 100

/* Waits until the reader takes more.  Returns false when a signal that ends the program comes first. */
static bool wait_for_reader(struct output *o)
{
	struct pollfd fd = { o->fd, POLLOUT, 0 };

	if (poll(&fd, 1, 0) > 0)
		return true;
	if (o->on_block)
		o->on_block(o->ctx);
	while (!signals_ending())
		if (poll(&fd, 1, LOOK_AGAIN) > 0)
			return true;
	return false;
}

/* Writes in pieces of at most PIPE_BUF bytes: a pipe that is writable takes so many without blocking. */
void output_flush(struct output *o)
{
	size_t done = 0;

	while (done < o->buf.len && !o->broken) {
		size_t left = o->buf.len - done;
		ssize_t n;

		if (!wait_for_reader(o)) {
			o->broken = true;
			break;
		}
		n = write(o->fd, o->buf.ptr + done, left < PIPE_BUF ? left : PIPE_BUF);
		if (n > 0) {
			done += (size_t)n;
		} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
			o->broken = true;
			o->error = errno == EPIPE ? 0 : errno;
		}
	}
	buf_reset(&o->buf);
}

bool output_is_pipe(const struct output *o)
{
	struct stat is;

	return fstat(o->fd, &is) == 0 && S_ISFIFO(is.st_mode);
}

void output_look(struct output *o)
{
	struct pollfd fd = { o->fd, 0, 0 };

	o->broken |= output_is_pipe(o) && poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR);
}

void output_drain(struct output *o)
{
	if (!o->collect && o->buf.len >= KIB(64))
		output_flush(o);
}
