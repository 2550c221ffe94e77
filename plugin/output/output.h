/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output, written in large pieces.  When the reader closes the pipe, output ends without an error. */
#ifndef PLUGIN_OUTPUT_OUTPUT_H
#define PLUGIN_OUTPUT_OUTPUT_H

#include "kube/base/buf.h"

struct output {
	struct buf buf;
	int fd;
	/* nothing more is written: the reader is gone, a signal came while it did not read, or a write failed */
	bool broken;
	int error;	/* the errno of the write that failed; 0 when the reader is gone */
	bool collect;	/* keeps everything in buf and writes nothing */
	/* Called before a write that has to wait for the reader; may be NULL. */
	void (*on_block)(void *ctx);
	void *ctx;
};

/* Writes what has been collected when it is much; output_flush() writes it in any case. */
void output_drain(struct output *o);
void output_flush(struct output *o);
/* Returns true when somebody reads it through a pipe: who waits for its descriptor is woken when the reader goes. */
bool output_is_pipe(const struct output *o);
/* Notices, without writing, that the reader of a pipe has gone. */
void output_look(struct output *o);

#endif
