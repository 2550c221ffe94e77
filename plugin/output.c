/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output.h"

#include "kube/base/limits.h"

#include <errno.h>
#include <unistd.h>

void output_flush(struct output *o)
{
	size_t done = 0;

	while (done < o->buf.len && !o->broken && !o->error) {
		ssize_t n = write(o->fd, o->buf.ptr + done, o->buf.len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno == EPIPE)
			o->broken = true;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			o->error = errno;
	}
	buf_reset(&o->buf);
}

void output_drain(struct output *o)
{
	if (!o->collect && o->buf.len >= KIB(64))
		output_flush(o);
}
