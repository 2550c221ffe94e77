/* SPDX-License-Identifier: Apache-2.0 */
/* --alert: what the labels of an alert choose of the world, and what is said of it. */
#include "plugin/program.h"

#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "plugin/files.h"


enum { NAMED = 10 };	/* labels that name nothing are named, more are counted */

/* Chooses the contexts that the label "cluster" means, unless the user has chosen. */
static void choose_contexts(struct program *p)
{
	struct options *o = &p->options;
	struct str rest = p->alert.clusters, label, contexts = STR_NONE;
	bool chosen = o->context || o->contexts || o->all_contexts || o->cluster || o->filename.n || o->replay;

	while (!chosen && str_split(&rest, ',', &label)) {
		const char *context = preferences_cluster(&p->preferences, label, &p->alert.arena);

		if (!context)
			say_line(arena_printf(&p->alert.arena, "Warning: the alert is of cluster \"" STR_FMT "\", for which the preference "
					      "\"clusters\" names no context: the current one is asked", STR_ARG(label)));
		else if (!str_is_listed(str_of(context), contexts))
			contexts = ARENA_JOIN(&p->alert.arena, contexts, str_of(contexts.len ? "," : ""), str_of(context));
	}
	if (str_find(contexts, ',') < contexts.len)
		o->contexts = arena_str(&p->alert.arena, contexts).ptr;
	else if (contexts.len)
		o->context = arena_str(&p->alert.arena, contexts).ptr;
}

int program_read_alert(struct program *p, struct err *err)
{
	struct options *o = &p->options;
	struct buf text = BUF_MAX(LIMIT_ALERT);
	int result;

	if (!o->alert)
		return 0;
	result = files_read_regular(o->alert, &text, err);
	if (result == 0) {
		result = alert_read(buf_str(&text), &p->alert, err);
		if (result < 0)
			err_context(err, "the alert in %s cannot be read", o->alert);
	}
	buf_release(&text);
	if (result < 0)
		return -1;
	p->query.alert = &p->alert;
	if (!o->namespace && !o->all_namespaces && p->alert.namespaces.len)
		o->namespace = p->alert.namespaces.ptr;
	choose_contexts(p);
	return 0;
}

/* Sets --as-of to the beginning of the alert, where the user has not set it. */
bool program_goes_back_to_alert(struct program *p)
{
	char time[TIME_TEXT];

	if (p->options.as_of || !p->alert.since || p->alert.since >= p->started)
		return false;
	p->options.as_of = arena_str(&p->alert.arena, str_of(time_format(p->alert.since, time))).ptr;
	p->options.as_of_moment = (struct moment_option){ .time = p->alert.since };
	return true;
}

void program_stays_at_present(struct program *p)
{
	p->options.as_of = NULL;
	p->options.as_of_moment = (struct moment_option){ .time = 0 };
	p->world.now = p->started;
}

static bool is_there(const struct program *p, const struct alert_object *o)
{
	for (struct handle h = store_next(p->world.store, 0); h.slot; h = store_next(p->world.store, h.slot + 1)) {
		struct object_id id = store_node_id(p->world.store, h.slot);

		if (str_eq(id.name, o->name) && (!o->ns.len || !id.ns.len || str_eq(id.ns, o->ns)) && query_selects(&p->query, &p->world, h))
			return true;
	}
	return false;
}

static void notice(struct program *p, struct str ns, struct str message)
{
	world_notice(&p->world, (struct notice){ .kind = STR("alert"), .resource = STR_NONE, .ns = ns, .message = message });
}

/* Says which labels name nothing; all: none of them does. */
static void say_nameless(struct program *p, bool all, struct arena *a)
{
	size_t n = 0;

	for (size_t i = 0; i < p->alert.n; i++) {
		const struct alert_object *o = &p->alert.objects[i];

		if ((all || !is_there(p, o)) && n++ < NAMED)
			notice(p, o->ns, ARENA_JOIN(a, STR("the label "), str_of(o->label), STR("=\""), o->name, STR("\" of the alert names nothing"),
						   str_of(o->ns.len ? " in namespace " : ""), o->ns));
	}
	if (n > NAMED)
		notice(p, STR_NONE, arena_printf(a, "%zu more labels of the alerts name nothing", n - NAMED));
}

/* Says what the alert is, and what cannot be followed of it; all: none of its labels names anything. */
static void say(struct program *p, bool all)
{
	struct arena a = { 0 };
	struct str text = ARENA_JOIN(&a, STR("alert"), str_of(p->alert.name.len ? " " : ""), p->alert.name);
	char time[TIME_TEXT];

	if (p->alert.since)
		text = ARENA_JOIN(&a, text, STR(" since "), str_of(time_format(p->alert.since, time)));
	if (p->alert.runbook.len)
		text = ARENA_JOIN(&a, text, STR("; runbook "), p->alert.runbook);
	if (!str_is(text, "alert"))
		notice(p, STR_NONE, text);
	if (p->alert.alerts > ALERTS_READ)
		notice(p, STR_NONE, arena_printf(&a, "%d of %zu alerts are read", ALERTS_READ, p->alert.alerts));
	say_nameless(p, all, &a);
	if (!p->query.what.n)
		notice(p, p->query.ns, ARENA_JOIN(&a, STR("nothing else tells which object the alert means, so all is shown"),
						 str_of(p->query.ns.len ? " of namespace " : ""), p->query.ns));
	arena_release(&a);
}

bool program_settle_alert(struct program *p)
{
	bool any = false, named = p->query.what.n > 0;

	if (!p->query.alert || p->alert_said)
		return false;
	p->alert_said = true;
	for (size_t i = 0; i < p->alert.n && named; i++)
		any |= is_there(p, &p->alert.objects[i]);
	if (!any)
		p->query.what = (struct resolution){ .n = 0 };
	say(p, !any);
	return named && !any;
}
