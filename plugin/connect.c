/* SPDX-License-Identifier: Apache-2.0 */
/* Connects a run to its clusters: discovery first, then the lists.  --record and --flight begin and end with the lists. */
#include "plugin/program.h"

#include "plugin/clock.h"
#include "plugin/signals.h"

bool program_stays(const struct program *p)
{
	const struct options *o = &p->options;
	bool prints_once = o->format != FORMAT_NONE || o->problems || o->exit_code || o->report;

	return program_wants_dashboard(p) || p->serves || o->watch || o->wait_for || ((o->record || o->flight) && !prints_once);
}

static void flush_recorder(void *recorder)
{
	recorder_flush(recorder);
}

static int record_from_now(struct program *p, struct err *err)
{
	const struct str *contexts;
	size_t n;

	if (!p->options.record)
		return 0;
	contexts = live_used_contexts(p->live, &n);
	p->recorder = recorder_open(p->options.record, &p->world, contexts, n, p->query.ns, err);
	if (!p->recorder)
		return -1;
	p->out.on_block = flush_recorder;
	p->out.ctx = p->recorder;
	return 0;
}

static int fly_from_now(struct program *p, struct err *err)
{
	size_t n;
	const struct str *contexts = live_used_contexts(p->live, &n);

	if (!p->options.flight || p->flight)
		return 0;
	p->flight = flight_open(&(struct flight_options){ .dir = p->options.flight,
							 .size = p->options.flight_bytes ? p->options.flight_bytes : FLIGHT_SIZE,
							 .contexts = contexts, .ncontexts = n, .ns = p->query.ns,
							 .latest = p->latest }, &p->world, err);
	return p->flight ? 0 : -1;
}

/* Called once the arguments are resolved: begins the recordings and opens the lists. */
static int begin_lists(struct program *p, struct err *err)
{
	int result;

	if (!p->latest && (p->options.flight || (p->options.record && program_stays(p))))
		p->latest = latest_new();
	result = record_from_now(p, err);
	if (result == 0)
		result = fly_from_now(p, err);
	live_record(p->live, p->recorder, p->flight, p->latest);
	if (result == 0 && (program_stays(p) || p->recorder || p->flight))
		signals_catch();
	if (result)
		return result;
	live_start(p->live);
	return 0;
}

int program_connect(struct program *p, struct err *err)
{
	int result = live_connect(p->live, err);

	return result ? result : begin_lists(p, err);
}

int program_connect_step(struct program *p, struct err *err)
{
	int result = live_connect_step(p->live, err);

	return result ? result : begin_lists(p, err);
}

int program_end_recordings(struct program *p, struct err *err)
{
	int64_t now = p->options.as_of || !p->source->facts(p).watches ? p->world.now : clock_now();
	struct err failed = { 0 };

	if (p->live) {
		recorder_write_mark(p->recorder, now);
		recorder_write_mark(flight_recorder(p->flight), now);
		live_record(p->live, NULL, NULL, NULL);
	}
	if (flight_close(p->flight, &failed) < 0)
		p->recording_failed = failed;
	if (recorder_close(p->recorder, &failed) < 0)
		p->recording_failed = failed;
	p->flight = NULL;
	p->recorder = NULL;
	if (p->recording_failed.code == ERR_NONE)
		return 0;
	*err = p->recording_failed;
	return -1;
}
