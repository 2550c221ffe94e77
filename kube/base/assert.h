/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold unless the program itself has a fault; in the released program, too, which stops there instead of showing
 * what is wrong.  What a cluster, a file or a user can cause is never asserted: that is a case to handle.
 */
#ifndef KUBE_BASE_ASSERT_H
#define KUBE_BASE_ASSERT_H

#include "kube/base/fatal.h"

#define assert(condition) ((condition) ? (void)0 : fatal_assertion(#condition, __FILE__, __LINE__))

/*
 * Does the same only where ASSERT_COSTLY is defined (make check): for a condition that takes longer than the step that it
 * checks, or whose failure does no harm to the user.
 */
#ifdef ASSERT_COSTLY
#define assert_costly(condition) assert(condition)
#else
#define assert_costly(condition) ((void)(0 && (condition)))
#endif

#endif
