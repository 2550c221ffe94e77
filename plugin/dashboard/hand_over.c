/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/hand_over.h"

#include "kube/base/alloc.h"
#include "kube/base/redact.h"
#include "kube/base/time.h"
#include "kube/base/unanswered.h"
#include "kube/journal/versions.h"
#include "plugin/changed.h"
#include "plugin/clock.h"
#include "plugin/dashboard/capsule.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"
#include "tui/ui/resume.h"

enum { REQUESTS = 100 };	/* the most requests for one capsule */
#define PATIENCE 1500		/* how long their answers are waited for, ms */
#define LAST_ANSWERS 100	/* how long, when the dashboard ends at once */

struct request {
	struct unanswered unanswered;
	struct hand_over *of;
	unsigned number;	/* that of the capsule; the answer to an earlier one is not needed any more */
	size_t object;		/* its index in the incident */
};

struct hand_over {
	struct program *p;		/* of the present capsule */
	struct explaining *incident;	/* NULL: none was begun */
	struct capsule capsule;
	struct capsule_writing *writing;	/* of capsule; NULL: it is not written so far */
	struct buf screen;
	struct arena texts;
	struct str read[EXPLAINING_OBJECTS];	/* the texts that were read, by the index in the incident */
	struct unanswered *requests;
	unsigned number;
	size_t npending;			/* the requests for the present capsule */
	int64_t deadline;
	unsigned put_off;	/* the effects that end what the capsule is about: they wait until it is written */
	struct buf last_words;	/* what has become of the last capsule */
	int64_t words_until;	/* until when that is on the screen: a dashboard that ends before says it once more, ms */
};

struct hand_over *hand_over_new(void)
{
	return xcalloc(1, sizeof(struct hand_over));
}

static void drop(struct hand_over *h)
{
	capsule_free(h->writing);
	h->writing = NULL;
	if (h->incident)
		explaining_release(h->incident);
	xfree(h->incident);
	h->incident = NULL;
	h->npending = 0;
	h->deadline = 0;
	for (size_t i = 0; i < EXPLAINING_OBJECTS; i++)
		h->read[i] = STR_NONE;
	arena_reset(&h->texts);
}

void hand_over_leave(struct hand_over *h)
{
	unanswered_free(&h->requests);
	drop(h);
}

void hand_over_free(struct hand_over *h)
{
	if (!h)
		return;
	hand_over_leave(h);
	if (clock_now() < h->words_until)
		say_line(buf_str(&h->last_words));
	arena_release(&h->texts);
	buf_release(&h->screen);
	buf_release(&h->last_words);
	xfree(h);
}

/* ---- texts that are kept ------------------------------------------------------ */

/* Returns the text of the last record of an object that the program keeps for its keyframes. */
static struct str kept_text(struct hand_over *h, struct handle object)
{
	struct buf record = { 0 }, text = { 0 };
	struct json doc;
	struct str copy = STR_NONE;
	int64_t judged;

	if (h->p->latest && latest_get(h->p->latest, object, &record, &judged) &&
	    json_parse(buf_str(&record), &doc, &(struct err){ 0 }) == 0) {
		json_write(json_at(doc, "object"), &text);
		copy = arena_str(&h->texts, buf_str(&text));
		json_free(doc);
	}
	buf_release(&record);
	buf_release(&text);
	return copy;
}

static struct str text_of(void *ctx, const struct object_id *id)
{
	struct hand_over *h = ctx;
	struct handle object = store_find(h->p->world.store, id);
	size_t i = (size_t)(id - h->incident->all);

	if (!object.slot)
		return STR_NONE;
	if (i < EXPLAINING_OBJECTS && h->read[i].len)
		return h->read[i];
	return h->p->source->plays ? h->p->source->text(h->p, object, &h->texts) : kept_text(h, object);
}

/* ---- texts that are read ------------------------------------------------------ */

static void on_answer(void *ctx, int http_status, struct str body, const struct err *err)
{
	struct request *q = ctx;
	struct hand_over *h = q->of;
	struct buf text = { 0 };
	struct json doc;

	if (h->incident && q->number == h->number) {
		h->npending--;
		if (!err && http_status == 200 && json_parse(body, &doc, &(struct err){ 0 }) == 0) {
			if (kind_fits(h->incident->all[q->object].kind, doc) && json_str(doc, "metadata.name").len)
				record_object(doc, h->incident->all[q->object].kind, &text);
			if (text.len)
				h->read[q->object] = arena_str(&h->texts, buf_str(&text));
			json_free(doc);
		}
	}
	buf_release(&text);
	unanswered_end(&h->requests, q);
}

static void send(struct hand_over *h, struct session *session, size_t object)
{
	const struct object_id *id = &h->incident->all[object];
	struct request *q = unanswered_add(&h->requests, sizeof(*q));
	struct buf path = { 0 };

	q->of = h;
	q->number = h->number;
	q->object = object;
	h->npending++;
	session_path(session, id->kind, id->ns, id->name, &path);
	if (kind_is_secret(id->kind))
		session_get_metadata(session, buf_cstr(&path), false, on_answer, q);
	else
		session_get(session, buf_cstr(&path), on_answer, q);
	buf_release(&path);
}

/* Requests the objects of which no text is kept.  Returns the number of requests. */
static size_t read_objects(struct hand_over *h)
{
	struct versions *versions = changelog_versions(h->p->changelog);
	size_t sent = 0;

	for (size_t i = 0; h->p->source->asks && i < h->incident->n && sent < REQUESTS; i++) {
		const struct object_id *id = &h->incident->all[i];
		struct session *session = h->p->source->session(h->p, id->cluster);
		struct handle object = store_find(h->p->world.store, id);

		if (!session || !object.slot || versions_has(versions, id) || kept_text(h, object).len ||
		    !(id->kind->flags & KIND_DISCOVERED))
			continue;
		send(h, session, i);
		sent++;
	}
	return sent;
}

/* ---- what is on the screen ---------------------------------------------------- */

static void add_strings(struct document to, const char *name, const char *const *values, size_t n)
{
	struct document array = document_add_list(to, name, n);

	for (size_t i = 0; i < n; i++)
		document_add_string(array, NULL, str_of(values[i]));
}

static void add_arguments(const struct dashboard *d, struct document out)
{
	const struct options *o = &d->p->options;
	const struct kind *kind = d->chosen.only.kind;
	struct buf name = { 0 };

	if (d->chosen.kinds == KINDS_ONE && kind) {
		buf_printf(&name, STR_FMT "%s" STR_FMT, STR_ARG(kind->plural), kind->group.len ? "." : "", STR_ARG(kind->group));
		add_strings(out, "args", (const char *const[]){ buf_cstr(&name) }, 1);
	}
	if (d->chosen.kinds == KINDS_ASKED)
		add_strings(out, "args", o->args, o->nargs);
	add_strings(out, "labels", o->label_columns.values, o->label_columns.n);
	document_add_text(out, "selector", str_of(o->selector));
	document_add_text(out, "fieldSelector", str_of(o->field_selector));
	buf_release(&name);
}

/* Appends what is on the screen as JSON. */
static void describe_screen(struct dashboard *d, struct buf *out)
{
	struct scene scene = shown_scene(d);
	struct document screen = document_object();
	char at[TIME_TEXT];

	if (scene.past)
		document_add_string(screen, "at", str_of(time_format_ms(scene.now, at)));
	add_arguments(d, screen);
	ui_describe(d->ui, &scene, screen);
	document_write(screen, out);
	document_free(screen);
}

/* Notes which objects explain the screen. */
static void choose_objects(struct dashboard *d, struct explaining *incident, struct arena *a)
{
	struct explaining_shown shown = { .selects = shown_selects_live, .ctx = d->p };

	shown.objects = ui_shown_objects(d->ui, a, &shown.n);
	explaining_add(incident, &d->p->world, &shown);
	shown.selects = shown_selects;
	if (d->p->shown)
		explaining_add(incident, d->p->shown, &shown);
}

void hand_over_begin(struct dashboard *d)
{
	struct hand_over *h = d->hand_over;
	struct arena a = { 0 };
	size_t reads;

	d->effects = (d->effects & ~(unsigned)EFFECT_HAND_OVER) | EFFECT_REPAINT;
	if (hand_over_deadline(h)) {
		ui_say(d->ui, STR("the capsule before is still being written"), clock_now());
		return;
	}
	drop(h);
	h->p = d->p;
	h->number++;
	h->deadline = clock_now() + PATIENCE;
	buf_reset(&h->screen);
	describe_screen(d, &h->screen);
	h->incident = xcalloc(1, sizeof(*h->incident));
	choose_objects(d, h->incident, &a);
	reads = read_objects(h);
	changed_ask_all(d->p);
	if (!h->incident->n) {
		drop(h);
		ui_say(d->ui, STR("there is nothing to hand over yet"), clock_now());
	} else if (reads) {
		ui_say(d->ui, arena_printf(&a, "reading %zu objects for the capsule", reads), clock_now());
	}
	arena_release(&a);
}

/* ---- when it is written ------------------------------------------------------- */

int64_t hand_over_deadline(const struct hand_over *h)
{
	return h->writing ? clock_now() : h->incident ? h->deadline : 0;
}

/* Returns true when a capsule was begun and everything for it was read, or the deadline has passed. */
static bool is_due(const struct hand_over *h)
{
	return h->incident && (h->writing || (h->npending == 0 && !changed_pending(h->p)) || clock_now() >= h->deadline);
}

/* Says what has become of a capsule. */
static void tell(struct dashboard *d, struct str text)
{
	struct hand_over *h = d->hand_over;

	ui_say_longer(d->ui, text, clock_now());
	buf_reset(&h->last_words);
	buf_add(&h->last_words, text);
	h->words_until = ui_say_deadline(d->ui);
	d->effects |= EFFECT_REPAINT;
}

void hand_over_go_on(struct dashboard *d)
{
	struct hand_over *h = d->hand_over;
	struct capsule_file file;
	struct err err = { 0 };
	int result;

	if (!is_due(h))
		return;
	if (!h->writing) {
		h->capsule = (struct capsule){ .incident = h->incident, .screen = buf_str(&h->screen), .context = h->p->source->facts(h->p).context,
					       .clock = clock_now(), .text_of = text_of, .ctx = h };
		h->writing = capsule_begin(h->p, &h->capsule);
		return;
	}
	result = capsule_step(h->writing, &file, &err);
	if (result > 0)
		return;
	drop(h);
	if (result < 0)
		tell(d, redact_copy(&d->frame, arena_printf(&d->frame, "no capsule was written: %s", err.msg)));
	else
		tell(d, arena_printf(&d->frame, "%s written: %zu objects, %zu KB", file.name, file.objects, (file.bytes + 999) / 1000));
}

void hand_over_finish(struct dashboard *d)
{
	struct hand_over *h = d->hand_over;
	int64_t limit = clock_now() + LAST_ANSWERS, left;

	while (d->p->source->asks && hand_over_deadline(h) && !is_due(h) && (left = limit - clock_now()) > 0)
		d->p->source->turn(d->p, NULL, 0, left);
	h->deadline = clock_now();
	while (is_due(h))
		hand_over_go_on(d);
}

void hand_over_put_off(struct dashboard *d)
{
	struct hand_over *h = d->hand_over;
	unsigned ends = d->effects & (unsigned)(EFFECT_QUIT | EFFECT_SCOPE);

	d->effects &= ~ends;
	if (!hand_over_deadline(h) || h->put_off & ends & EFFECT_QUIT) {
		d->effects |= h->put_off | ends;
		h->put_off = 0;
	} else if (ends) {
		h->put_off |= ends;
		ui_say(d->ui, ends & EFFECT_QUIT ? STR("the capsule is written first; q again does not wait for answers") :
						   STR("the capsule is written first"), clock_now());
		d->effects |= EFFECT_REPAINT;
	}
}
