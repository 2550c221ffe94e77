/* SPDX-License-Identifier: Apache-2.0 */
/* How long is too long: thresholds.def, as this user wants it. */
#ifndef KUBE_STATUS_THRESHOLDS_H
#define KUBE_STATUS_THRESHOLDS_H

#include "kube/base/err.h"
#include "kube/base/time.h"

/* Milliseconds, but for the counts. */
struct thresholds {
#define THRESHOLD(member, name, value, what) int64_t member;
#define THRESHOLD_COUNT(member, name, value, what) int64_t member;
#include "kube/status/thresholds.def"
#undef THRESHOLD
#undef THRESHOLD_COUNT
};

/* The defaults, until thresholds_set(), which must be called before the first verdict. */
extern struct thresholds thresholds;

struct family;

/*
 * One of them, or of the families' own, by its name; value is a duration ("45m") or a count ("10").  families
 * ends with NULL.  ERR_INPUT when either is none.
 */
int thresholds_set(const struct family *const *families, struct str name, struct str value, struct err *err) MUST_USE;

struct threshold_row {
	const char *name, *what;
	bool count;
	int64_t value;		/* the present one */
};
/* All of them and the families' own, for the manual; row i, or false after the last. */
bool thresholds_row(const struct family *const *families, size_t i, struct threshold_row *out);

#endif
