/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many requests, watches apart, one server gets at a time and how many a second: up
 * to LIMIT_REQUESTS_IN_FLIGHT while it answers quickly, fewer as soon as it answers
 * slowly or refuses.  As TCP finds its window: one more for each quick answer, a quarter
 * less when answers are slow, half of it when the server says that it is too much.
 */
#ifndef KUBE_API_WINDOW_H
#define KUBE_API_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct window {
	unsigned limit, cap, in_flight;	/* what was found, what it may be at most */
	int64_t best;		/* ms: the quickest answer yet, -1: none */
	int64_t reduced;	/* ms: when limit was; answers to what was sent before do not count */
	double tokens;		/* requests that may be sent at once */
	int64_t tokens_at;	/* ms */
};

enum answer_speed {
	ANSWER_IN_TIME,
	ANSWER_TOO_MUCH,	/* 429, or none at all */
	ANSWER_UNTIMED		/* it was given up: nothing is known about the server's speed */
};

void window_init(struct window *w, int64_t now);
/* Never more than that at a time. */
void window_cap(struct window *w, unsigned cap);
/* Room for one more request? */
bool window_has_room(struct window *w, int64_t now);
void window_sent(struct window *w);
/* sent: when; took: ms until the answer began. */
void window_ended(struct window *w, enum answer_speed speed, int64_t sent, int64_t took, int64_t now);
/* When window_has_room() may turn true by time alone, ms; 0: when another request ends. */
int64_t window_deadline(const struct window *w, int64_t now);

#endif
