/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Events about an object tell of its trouble.  An Event that names what is wrong counts before one that only counts attempts;
 * which is which, its family has found out (particular "tells").
 */
#include "kube/graph/assessment.h"

#include "kube/base/time.h"

enum { EVENTS_READ = 256 };	/* of one object; an owner of thousands of objects has other evidence */

bool assess_events_are_read(const struct assessment *d)
{
	struct str ns = assess_namespace(d);

	ns = ns.len ? ns : STR("default");	/* those about what is in no namespace are there */
	return assess_readable(d, "", "Event", ns) || assess_readable(d, "events.k8s.io", "Event", ns);
}

static int64_t number_of(const struct status *st, const char *what, int64_t absent)
{
	int64_t n;

	return str_to_int(status_first_particular(st, what), &n) ? n : absent;
}

static struct event_told read_event(const struct neighbour *n)
{
	const struct status *st = &n->status;

	return (struct event_told){ .found = *n, .reason = st->reason, .message = st->message,
				    .container = status_first_particular(st, "container"), .last = st->since,
				    .first = number_of(st, "first", st->since), .count = number_of(st, "count", 1),
				    .tells = (enum event_tells)number_of(st, "tells", EVENT_TELLS_A_REMARK) };
}

/* The one that tells more, then the later one; in the same second the name decides. */
static bool tells_more(const struct event_told *e, const struct event_told *than)
{
	if (e->tells != than->tells)
		return e->tells > than->tells;
	if (e->last != than->last)
		return e->last > than->last;
	return str_cmp(e->found.name, than->found.name) > 0;
}

static bool is_asked_for(const struct event_told *e, const struct events_asked *asked)
{
	bool elsewhere = asked->container.len && e->container.len && !str_eq(asked->container, e->container);

	return e->last >= asked->from && !elsewhere && (!asked->reasons || str_is_any(e->reason, asked->reasons)) &&
	       (!asked->words || str_contains_any(e->message, asked->words));
}

bool assess_known_event(struct assessment *d, const struct events_asked *asked, struct event_told *out)
{
	struct neighbour n;
	bool any = false;
	size_t at = 0;

	for (size_t i = 0; i < EVENTS_READ && assessment_next_referrer(d, "Event", &at, &n); i++) {
		struct event_told e;

		if (i == 0 && !assess_events_are_read(d))	/* most objects have none, which is sooner seen */
			return false;
		if (n.presence != PRESENCE_FOUND || !(n.flags & REF_REPORTS) || assess_now(d) - n.status.since >= EVENTS_KEPT)
			continue;
		e = read_event(&n);
		if (e.tells == EVENT_TELLS_A_REMARK || !is_asked_for(&e, asked) || (any && !tells_more(&e, out)))
			continue;
		*out = e;
		any = true;
	}
	if (any)
		assess_revisit(d, out->last + EVENTS_KEPT);
	return any;
}

bool assess_find_event(struct assessment *d, const struct events_asked *asked, struct event_told *out)
{
	assess_wants_events(d);
	return assess_known_event(d, asked, out);
}

void assess_rests_on_event(struct assessment *d, const struct event_told *e)
{
	struct arena *a = assess_arena(d);
	char age[TIME_TEXT];
	struct str from = ARENA_JOIN(a, STR("Event "), e->reason), what = from;

	if (e->count > 1 && e->last > e->first)
		what = arena_printf(a, STR_FMT ", %lld times in %s", STR_ARG(from), (long long)e->count,
				    time_age(e->last - e->first, age));
	else if (e->count > 1)
		what = arena_printf(a, STR_FMT ", %lld times", STR_ARG(from), (long long)e->count);
	assess_because(d, what, e->message, from);
}
