/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/clock.h"

#include <time.h>

int64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
