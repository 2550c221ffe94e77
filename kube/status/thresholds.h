/* SPDX-License-Identifier: Apache-2.0 */
/* When patience ends: the one table of times that turn info into warning. */
#ifndef KUBE_STATUS_THRESHOLDS_H
#define KUBE_STATUS_THRESHOLDS_H

#include "kube/base/time.h"

#define OVERDUE MINUTES(30)		/* under way or waiting */
#define GUARD_GRACE SECONDS(30)		/* a guard lets go that soon after the last one it speaks for went */
#define YOUNG MINUTES(2)		/* no status yet, Unknown */
#define STALE_POLLS 10			/* poll intervals without a touch of the status, */
#define STALE_LEAST MINUTES(15)		/* and at least this */
#define APPCAT_FAILED_AFTER_READY MINUTES(15)
#define APPCAT_FAILED_NEVER_READY MINUTES(30)
#define APPCAT_FAILED_UNSYNCED MINUTES(20)
#define LEASE_FORGOTTEN (24 * MINUTES(60))	/* a lease that ran out so long ago accuses nobody */
#define POD_START_GRACE MINUTES(10)
#define UNSCHEDULABLE_GRACE SECONDS(15)

#endif
