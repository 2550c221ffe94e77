/* SPDX-License-Identifier: Apache-2.0 */
/* Times are int64_t: milliseconds since 1970 UTC, 0 when not known. */
#ifndef KUBE_BASE_TIME_H
#define KUBE_BASE_TIME_H

#include "kube/base/str.h"

#define SECONDS(n) ((int64_t)(n) * 1000)
#define MINUTES(n) SECONDS((int64_t)(n) * 60)
#define HOURS(n) MINUTES((int64_t)(n) * 60)

enum { TIME_TEXT = 32 };	/* room for a time as text */

/* RFC 3339 with any fraction and offset; 0 when it is not one. */
int64_t time_parse(struct str s);
/* "2026-11-20T09:00:00Z"; out needs TIME_TEXT bytes.  Returns out. */
const char *time_format(int64_t ms, char *out);
/* The same with milliseconds, for recordings. */
const char *time_format_ms(int64_t ms, char *out);
/* As kubectl prints ages: 45s, 3m12s, 17m, 5h2m, 13h, 2d3h, 8d, 3y; out needs TIME_TEXT bytes. */
const char *time_age(int64_t ms, char *out);
/* A Go duration ("1m30s", "500ms") or whole seconds.  -1 when it is neither. */
int64_t time_duration(struct str s);

#endif
