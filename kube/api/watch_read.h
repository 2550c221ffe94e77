/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a list or a watch to objects: the reading half of watch.c. */
#ifndef KUBE_API_WATCH_READ_H
#define KUBE_API_WATCH_READ_H

#include "kube/api/watch.h"

struct watch_reader;

enum watch_body {
	READ_LIST,
	READ_EVENTS,
	READ_INITIAL,	/* the same, but what there is comes first, told as a list; its list_end() is called */
	READ_OBJECT	/* one object, told as a list of one */
};

/* What stands around the items of a page. */
struct watch_page {
	struct buf version, token;
	int64_t remaining;	/* -1 unknown */
};

struct watch_reader *watch_reader_new(const struct watch_ops *ops, void *ctx);
void watch_reader_free(struct watch_reader *r);
/* Forgets how many items there were: a list begins. */
void watch_reader_restart(struct watch_reader *r);
/*
 * A body begins.  from_version: ADDED events tell of changes; else they tell what
 * there was, in no order, and their versions say nothing.
 */
void watch_reader_begin(struct watch_reader *r, enum watch_body body, bool from_version);
/* version: of a watch, is kept up to date.  -1 also after an ERROR event. */
int watch_reader_feed(struct watch_reader *r, struct str bytes, struct buf *version, struct err *err) MUST_USE;
/* The body is complete. */
int watch_reader_end(struct watch_reader *r, struct err *err) MUST_USE;
/* The same of a list's page.  The caller releases the buffers. */
int watch_reader_page(struct watch_reader *r, struct watch_page *out, struct err *err) MUST_USE;
/* Items since the restart; events, also bookmarks, since the last begin. */
int64_t watch_reader_items(const struct watch_reader *r);
uint64_t watch_reader_events(const struct watch_reader *r);

/* Of the page under way, when its metadata came before its items: where the list goes on; else "". */
struct str watch_reader_token(const struct watch_reader *r);
/* READ_INITIAL: the marker behind what there is has not come yet. */
bool watch_reader_initial(const struct watch_reader *r);

#endif
