/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attempt in progress means for an object whose last verdict, for the same generation, is known.
 *
 * An operator that tries again what has failed says so before it knows how the attempt ends, and one that looks at a
 * healthy object from time to time does, too.  Neither is news: until the attempt ends, the verdict before it stands
 * where the object itself says that it is undecided (its Ready is Unknown), or where the same failure has come back
 * after an attempt before.  A failure that comes back with the same words is the same failure: while it stands, it began
 * when it began for the first time.  A first attempt fails, too, that leaves the object in Provisioning with a warning, or
 * with the name of what is missing.
 *
 * It is news when the generation is another one, when what decided the failure is denied (its condition has turned
 * round or is gone), when more is ready than before, when another version is wanted or another operation runs, and when
 * an attempt lasts longer than attempts do.
 */
#ifndef KUBE_STATUS_RETRY_H
#define KUBE_STATUS_RETRY_H

#include "kube/status/family.h"

/*
 * Compares the verdict with the status that the same object had before, for the same generation: before is borrowed
 * until the verdict is packed.
 */
void retry_compare(struct verdict *v, const struct status *before);
/*
 * What was ready before, of whatever generation, is not made for the first time; what was just begun and never was ready,
 * is.  same: before is of the same generation; then it is Degraded where its words call it ready as before and its numbers
 * say that it is not any more.
 */
void retry_was_ready(struct verdict *v, const struct status *before, bool same);

#endif
