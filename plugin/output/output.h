/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output, in large writes; a closed pipe ends it quietly. */
#ifndef PLUGIN_OUTPUT_OUTPUT_H
#define PLUGIN_OUTPUT_OUTPUT_H

#include "kube/base/buf.h"

struct output {
	struct buf buf;
	int fd;
	bool broken;	/* the reader is gone, a signal came while it did not read, or a write failed: nothing more is written */
	int error;	/* errno of a write that failed, unless the reader is gone */
	bool collect;	/* keep everything in buf, write nothing */
	/* Called before a write that has to wait for the reader; may be NULL. */
	void (*on_block)(void *ctx);
	void *ctx;
};

/* Writes when buf is large enough. */
void output_drain(struct output *o);
void output_flush(struct output *o);

#endif
