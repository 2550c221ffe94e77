/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/outage.h"

#include "kube/base/time.h"

/* Shorter outages are not reported, such as the restart of a server. */
#define SHORT SECONDS(2)
/*
 * How long some kinds may be out of date while the connection is fine: a server that shuts down ends its watches one by
 * one, and its connections last.
 */
#define SHORT_KINDS SECONDS(5)
#define SHORT_LOGIN SECONDS(10)
/* How often outage_report() is called while something is out of date. */
#define TICK SECONDS(1)

/* Returns since when something is out of date, ms; 0: nothing is.  Kinds that can only be polled do not count. */
static int64_t old_since(const struct feeds_freshness *f, int64_t now)
{
	if (f->silent_since)
		return f->silent_since;
	if (f->kinds_old)
		return f->old_since ? f->old_since : now;
	return f->login_since && now - f->login_since >= SHORT_LOGIN ? f->login_since : 0;
}

static bool is_connected(const struct connections *c)
{
	return !c->fresh.silent_since && !c->fresh.login_since && c->facts.state == SESSION_LIVE;
}

static struct str login_pending(const struct connections *c, int64_t now, struct arena *arena)
{
	return arena_printf(arena, "a login is pending for %lld s%s" STR_FMT "%s", (long long)((now - c->fresh.login_since) / 1000),
			    c->login.len ? ": " : "", STR_ARG(c->login), c->login.len ? " has not finished" : "");
}

static void report_lost(const struct connections *c, int64_t now, void (*say)(struct str line))
{
	const struct feeds_freshness *f = &c->fresh;
	struct arena arena = { 0 };
	struct str what, why = c->facts.why.code == ERR_NONE ? STR_NONE : str_of(c->facts.why.msg);

	if (f->login_since)
		what = login_pending(c, now, &arena);
	else if (f->silent_since)
		what = arena_printf(&arena, "the server has not answered for %lld s",
				    (long long)((now - f->silent_since) / 1000));
	else if (c->facts.state == SESSION_UNAUTHENTICATED)
		what = STR("no valid credentials");
	else if (c->facts.state == SESSION_RECONNECTING)
		what = STR("no connection to the server");
	else
		what = arena_printf(&arena, "%u kind%s not watched any more", f->kinds_old,
				    f->kinds_old == 1 ? " is" : "s are");
	if (c->facts.state == SESSION_UNAUTHENTICATED)
		why = c->refusal;
	say(arena_printf(&arena, "Warning: " STR_FMT ", changes may be missing%s" STR_FMT, STR_ARG(what),
			 why.len ? ": " : "", STR_ARG(why)));
	arena_release(&arena);
}

static void report_back(int64_t began, int64_t now, void (*say)(struct str line))
{
	struct arena arena = { 0 };

	say(arena_printf(&arena, "All kinds are watched again, after %lld s", (long long)((now - began + 999) / 1000)));
	arena_release(&arena);
}

/*
 * Ends the outage when nothing was out of date for a while, because a server that returns does not answer everything at
 * once.  Returns when to look again, ms; 0: the outage has ended.
 */
static int64_t ending(struct outage *o, int64_t now, void (*say)(struct str line))
{
	if (o->reported && !o->ended)
		o->ended = now;
	if (o->reported && now - o->ended < SHORT)
		return now + TICK;
	if (o->reported)
		report_back(o->began, o->ended, say);
	*o = (struct outage){ 0 };
	return 0;
}

/*
 * Reports a login that takes long before anything is watched: no change can be missed, but the user learns why nothing
 * happens.  Returns when to look again, ms; 0: not needed.
 */
static int64_t report_login(struct outage *o, const struct connections *c, int64_t now,
			    void (*say)(struct str line))
{
	struct arena arena = { 0 };

	if (!c->fresh.login_since)
		o->login_reported = false;
	if (!c->fresh.login_since || o->login_reported)
		return 0;
	if (now - c->fresh.login_since < SHORT_LOGIN)
		return c->fresh.login_since + SHORT_LOGIN;
	say(ARENA_JOIN(&arena, STR("Warning: "), login_pending(c, now, &arena)));
	o->login_reported = true;
	arena_release(&arena);
	return 0;
}

/*
 * Returns how long an outage lasts before it is reported, ms.  Refused credentials are reported at once, because they
 * will not become valid by waiting.
 */
static int64_t grace(const struct connections *c)
{
	if (c->facts.state == SESSION_UNAUTHENTICATED && !c->fresh.login_since)
		return 0;
	return is_connected(c) ? SHORT_KINDS : SHORT;
}

int64_t outage_report(struct outage *o, const struct connections *c, int64_t now, void (*say)(struct str line))
{
	int64_t since;

	if (!c->watched)
		return report_login(o, c, now, say);
	since = old_since(&c->fresh, now);
	if (!since) {
		int64_t again = ending(o, now, say);

		return again || !c->fresh.login_since ? again : c->fresh.login_since + SHORT_LOGIN;
	}
	o->ended = 0;
	if (!o->began)
		o->began = since < now ? since : now;
	if (!o->reported && now - o->began >= grace(c)) {
		report_lost(c, now, say);
		o->reported = true;
	}
	return now + TICK;
}
