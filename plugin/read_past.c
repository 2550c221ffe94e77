/* SPDX-License-Identifier: Apache-2.0 */
/* What a flight recorder saw before, for what is printed of the present. */
#include "plugin/dashboard/history.h"
#include "plugin/program.h"

const char *program_history(struct program *p)
{
	if (p->options.history)
		return p->options.history;
	return preferences_flight(&p->preferences, p->source->facts(p).context, &p->world.texts);
}

bool program_tells_past(const struct program *p)
{
	const struct options *o = &p->options;

	if (!o->history)
		return o->report && p->preferences.flights[0];
	return o->report || (o->format != FORMAT_NAME && !(o->wait_for && o->format == FORMAT_NONE));
}

/* Prints why a history is not used, where nothing else prints the notices. */
static void say_history(const struct program *p)
{
	bool is_document = options_is_document(p->options.format);
	struct arena a = { 0 };

	for (size_t i = 0; (is_document || p->options.wait_for) && !p->options.watch && i < p->world.nnotices; i++)
		if (str_is(p->world.notices[i].kind, "history"))
			say_line(ARENA_JOIN(&a, STR("notice: "), p->world.notices[i].message));
	arena_release(&a);
}

void program_read_history(struct program *p, int64_t until)
{
	const char *name = p->source->asks && program_tells_past(p) ? program_history(p) : NULL;
	struct err err = { 0 };

	if (!name)
		return;
	p->past = history_new(p, name, &err);
	if (!p->past)
		world_notice(&p->world, (struct notice){ .kind = STR("history"), .message = str_of(err.msg) });
	else
		history_read_now(p->past, until);
	say_history(p);
}
