/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/api/window.h"

#include "kube/base/assert.h"
#include "kube/base/limits.h"

enum {
	AT_FIRST = 50,		/* nothing is known yet */
	LEAST = 2,
	SLOW_MS = 250		/* more than twice the quickest answer */
};

void window_init(struct window *w, int64_t now)
{
	*w = (struct window){ .limit = AT_FIRST, .cap = LIMIT_REQUESTS_IN_FLIGHT, .best = -1, .tokens = LIMIT_REQUEST_BURST, .tokens_at = now };
}

void window_cap(struct window *w, unsigned cap)
{
	w->cap = cap;
}

static bool is_full(const struct window *w)
{
	return w->in_flight >= (w->limit < w->cap ? w->limit : w->cap);
}

static void refill(struct window *w, int64_t now)
{
	double earned = (double)(now - w->tokens_at) * LIMIT_REQUESTS_PER_SECOND / 1000.0;

	if (earned > 0)
		w->tokens += earned;
	if (w->tokens > LIMIT_REQUEST_BURST)
		w->tokens = LIMIT_REQUEST_BURST;
	w->tokens_at = now;
}

bool window_has_room(struct window *w, int64_t now)
{
	refill(w, now);
	return !is_full(w) && w->tokens >= 1;
}

void window_sent(struct window *w)
{
	w->in_flight++;
	w->tokens -= 1;
	assert(w->in_flight <= LIMIT_REQUESTS_IN_FLIGHT && w->tokens >= 0);
}

/* One slow moment is one reason: what was on its way by then does not count again. */
static void reduce(struct window *w, unsigned limit, int64_t sent, int64_t now)
{
	if (sent < w->reduced)
		return;
	assert(limit <= w->limit);
	w->limit = limit > LEAST ? limit : LEAST;
	w->reduced = now;
}

void window_ended(struct window *w, enum answer_speed speed, int64_t sent, int64_t took, int64_t now)
{
	assert(w->in_flight > 0);
	w->in_flight--;
	if (speed == ANSWER_TOO_MUCH)
		reduce(w, w->limit / 2, sent, now);
	if (speed != ANSWER_IN_TIME)
		return;
	if (w->best < 0 || took < w->best)
		w->best = took;
	if (took > 2 * w->best + SLOW_MS)
		reduce(w, w->limit - w->limit / 4, sent, now);
	else if (w->limit < LIMIT_REQUESTS_IN_FLIGHT)
		w->limit++;
}

int64_t window_deadline(const struct window *w, int64_t now)
{
	if (is_full(w))
		return 0;
	return w->tokens >= 1 ? now : now + 1000 / LIMIT_REQUESTS_PER_SECOND;
}
