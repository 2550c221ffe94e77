/* SPDX-License-Identifier: Apache-2.0 */
/* A time is an int64_t: milliseconds since 1970 UTC, 0 when it is not known. */
#ifndef KUBE_BASE_TIME_H
#define KUBE_BASE_TIME_H

#include "kube/base/str.h"

#define SECONDS(n) ((int64_t)(n) * 1000)
#define MINUTES(n) SECONDS((int64_t)(n) * 60)
#define HOURS(n) MINUTES((int64_t)(n) * 60)

enum { TIME_TEXT = 32 };	/* bytes that a time as text needs at most */

/* Reads RFC 3339 with any fraction and offset; returns 0 when the text is not RFC 3339. */
int64_t time_parse(struct str s);
/* Writes "2026-11-20T09:00:00Z" to out, which has TIME_TEXT bytes.  Returns out. */
const char *time_format(int64_t ms, char *out);
/* Does the same with milliseconds, for recordings. */
const char *time_format_ms(int64_t ms, char *out);
/*
 * Writes a duration as kubectl prints ages: 45s, 3m12s, 17m, 5h2m, 13h, 2d3h, 8d, 3y.  out has TIME_TEXT bytes.
 * Returns out.
 */
const char *time_age(int64_t ms, char *out);
/* Reads a duration of Go ("1m30s", "500ms") or whole seconds.  Returns -1 when the text is neither. */
int64_t time_duration(struct str s);
/* The earlier of two times, of which 0 is none. */
int64_t time_earlier(int64_t a, int64_t b);
/* The order of two times or durations, for qsort(): of what is sorted, or its first member. */
int time_compare(const void *a, const void *b);

#endif
