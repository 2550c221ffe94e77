/* SPDX-License-Identifier: Apache-2.0 */
/* How long is too long: the values of thresholds.def, with the changes that this user has made. */
#ifndef KUBE_STATUS_THRESHOLDS_H
#define KUBE_STATUS_THRESHOLDS_H

#include "kube/base/err.h"
#include "kube/base/time.h"

/* Milliseconds, except for those that are counts. */
struct thresholds {
#define THRESHOLD(member, name, value, what) int64_t member;
#define THRESHOLD_COUNT(member, name, value, what) int64_t member;
#include "kube/status/thresholds.def"
#undef THRESHOLD
#undef THRESHOLD_COUNT
};

/* Returns the defaults until thresholds_set() changes them, which must happen before the first verdict. */
extern struct thresholds thresholds;

struct family;

/*
 * Sets one of them, or of the families' own thresholds, by its name; value is a duration ("45m") or a count ("10").
 * families ends with NULL.  ERR_INPUT when name or value is wrong.
 */
int thresholds_set(const struct family *const *families, struct str name, struct str value, struct err *err) MUST_USE;

struct threshold_row {
	const char *name, *what;
	bool count;
	int64_t value;		/* the present value */
};
/* Lists all of them and the families' own, for the manual: row i, or false after the last. */
bool thresholds_row(const struct family *const *families, size_t i, struct threshold_row *out);

#endif
