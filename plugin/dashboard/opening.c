/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/opening.h"

#include "kube/base/alloc.h"
#include "plugin/changed.h"
#include "plugin/clock.h"
#include "plugin/dashboard/history.h"

struct program *opening_new(const struct program *beside, struct str context, const struct options *several, struct err *err)
{
	struct program *p = xcalloc(1, sizeof(*p));

	p->source = &source_clusters;
	p->options = several ? *several : beside->options;
	p->preferences = beside->preferences;
	p->dashboard = beside->dashboard;
	p->http = beside->http;
	p->started = clock_now();
	p->context = xstrndup(context.ptr, context.len);
	if (!several) {
		p->options.context = p->context;
		p->options.contexts = NULL;
		p->options.all_contexts = false;
		p->options.namespace = NULL;
	}
	world_init(&p->world, false);
	p->world.now = beside->options.as_of ? beside->world.now : p->started;
	world_keep_labels(&p->world, p->options.label_columns.values, p->options.label_columns.n, &p->preferences);
	p->changelog = changelog_new(p->world.graph, VERSIONS_CEILING, p->started);
	changed_begin(p);
	p->live = live_new(&(struct live_options){ .http = p->http, .changelog = p->changelog, .options = &p->options,
						   .world = &p->world, .query = &p->query }, err);
	if (p->live)
		return p;
	opening_leave(p);
	return NULL;
}

void opening_leave(struct program *p)
{
	if (!p)
		return;
	p->source->close(p);
	history_free(p->past);
	changed_free(p->changed);
	changelog_free(p->changelog);
	query_release(&p->query);
	world_release(&p->world);
	if (p->context) {
		xfree(p->context);
		xfree(p);
		return;
	}
	/* The program of main() is not freed: it goes on with an empty world. */
	p->past = NULL;
	p->changed = NULL;
	p->changelog = NULL;
	p->query = (struct query){ 0 };
	world_init(&p->world, false);
}

int opening_step(struct program *p, struct err *err)
{
	int result;

	live_dispatch(p->live);
	result = live_watches(p->live) ? 0 : program_connect_step(p, err);
	return result ? result : live_answered(p->live, err);
}
