/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/ui/resume.h"

#include <string.h>

#include "kube/base/utf8.h"
#include "tui/ui/alarm.h"
#include "tui/ui/ui.h"
#include "tui/view/place.h"
#include "tui/view/blocked.h"

enum { ROWS = 1000000, FOLDS = 64 };

static const char *const group_names[GROUP_COUNT] = { "nothing", "cause", "namespace", "application", "node", "label", "owner" };

/* ---- objects ------------------------------------------------------------------ */

static void describe_id(struct document out, const char *key, const struct id *id)
{
	struct document d;

	if (!id->name.len)
		return;
	d = key ? document_add_object(out, key) : out;
	document_add_text(d, "cluster", id->cluster);
	document_add_text(d, "group", id->group);
	document_add_string(d, "kind", id->kind);
	document_add_text(d, "namespace", id->ns);
	document_add_string(d, "name", id->name);
}

static void describe_object(struct document out, const char *key, const struct scene *scene, struct handle h)
{
	struct id id;

	if (!h.slot || !store_knows(scene->store, h))
		return;
	id = graph_id(scene->graph, h.slot);
	describe_id(out, key, &id);
}

static struct id id_of(struct json d)
{
	return (struct id){ .cluster = json_str(d, "cluster"), .group = json_str(d, "group"), .kind = json_str(d, "kind"),
			    .ns = json_str(d, "namespace"), .name = json_str(d, "name") };
}

static struct handle find_object(const struct scene *scene, struct json d)
{
	struct id id = id_of(d);

	return scene_find(scene, &id);
}

/* ---- what was acknowledged ---------------------------------------------------- */

static void describe_acknowledged(const struct ui *ui, const struct scene *scene, struct document out)
{
	struct arena a = { 0 };
	struct document list = DOCUMENT_NONE;
	size_t n = 0;
	const struct cause_group *causes = ui->nacked ? cause_groups_selected(scene, &a, &n) : NULL;

	for (size_t i = 0; i < n; i++) {
		struct document d;

		if (!ui_acknowledged(ui, cause_key(&causes[i]), cause_state(&causes[i])))
			continue;
		list = list.node ? list : document_add_array(out, "acknowledged");
		d = document_add_object(list, NULL);
		document_add_string(d, "cause", str_of(wait_state_name(causes[i].what.cause)));
		describe_id(d, NULL, &causes[i].what.id);
	}
	arena_release(&a);
}

static bool is_cause(struct json d, const struct root_cause *r)
{
	return str_is(json_str(d, "cause"), wait_state_name(r->cause)) && str_eq(json_str(d, "kind"), r->id.kind) &&
	       str_eq(json_str(d, "group"), r->id.group) && str_eq(json_str(d, "namespace"), r->id.ns) &&
	       str_eq(json_str(d, "name"), r->id.name) && str_eq(json_str(d, "cluster"), r->id.cluster);
}

static void resume_acknowledged(struct ui *ui, const struct scene *scene, struct json list)
{
	struct arena a = { 0 };
	size_t n = 0, told = 0;
	const struct cause_group *causes = list.node ? cause_groups_selected(scene, &a, &n) : NULL;

	json_foreach(it, list) {
		if (told++ == ACKNOWLEDGED)
			break;
		for (size_t i = 0; i < n; i++)
			if (is_cause(it, &causes[i].what) && !ui_acknowledged(ui, cause_key(&causes[i]), cause_state(&causes[i])))
				ui_acknowledge(ui, cause_key(&causes[i]), cause_state(&causes[i]));
	}
	arena_release(&a);
}

/* ---- marks and orders --------------------------------------------------------- */

void ui_describe_pins(const struct ui *ui, struct str cluster, struct document out)
{
	for (size_t i = 0; i < ui->pins.n; i++) {
		struct id id = ui->pins.all[i].id;

		if (!str_eq(id.cluster, cluster))
			continue;
		id.cluster = STR_NONE;
		describe_id(document_add_object(out, NULL), NULL, &id);
	}
}

void ui_resume_pins(struct ui *ui, struct str cluster, struct json list)
{
	json_foreach(it, list) {
		struct id id = id_of(it);

		id.cluster = cluster;
		pins_add(&ui->pins, &id);
	}
	ui_dirty(ui);
}

static void describe_marks(const struct ui *ui, const struct scene *scene, struct document out)
{
	struct document list = document_add_list(out, "marked", ui->pins.n);

	for (size_t i = 0; i < ui->pins.n; i++)
		if (ui->pins.all[i].is_namespace || store_knows(scene->store, ui->pins.all[i].id.handle))
			describe_id(document_add_object(list, NULL), NULL, &ui->pins.all[i].id);
	for (int i = 0; i < VIEW_COUNT; i++)
		if (ui->views[i]->describe)
			ui->views[i]->describe(ui->own[i], out);
}

static void resume_marks(struct ui *ui, const struct scene *scene, struct json screen)
{
	json_foreach(it, json_at(screen, "marked")) {
		struct id id = id_of(it);

		if (pins_of(&ui->pins, scene_find(scene, &id)) == ui->pins.n)
			pins_add(&ui->pins, &id);
	}
	pins_find(&ui->pins, scene);
	for (int i = 0; i < VIEW_COUNT; i++)
		if (ui->views[i]->resume)
			ui->views[i]->resume(ui->own[i], screen);
}

static void describe_order(const struct ui *ui, const struct scene *scene, struct document out)
{
	document_add_string(out, "sort", str_of(sort_name(ui->sort)));
	if (ui->reverse)
		document_add_bool(out, "reverse", true);
	document_add_string(out, "group", str_of(group_names[ui->group]));
	if (ui->group == GROUP_LABEL && ui->label < scene->nlabels)
		document_add_string(out, "label", str_of(scene->labels[ui->label]));
	if (ui->preview != PREVIEW_BY_WIDTH)
		document_add_bool(out, "preview", ui->preview == PREVIEW_ON);
}

static void resume_group(struct ui *ui, const struct scene *scene, struct json screen)
{
	struct str group = json_str(screen, "group"), label = json_str(screen, "label");

	for (int i = 0; i < GROUP_COUNT; i++)
		if (str_is(group, group_names[i]) && i != GROUP_LABEL)
			ui->group = (enum group_by)i;
	for (size_t i = 0; str_is(group, group_names[GROUP_LABEL]) && i < scene->nlabels; i++)
		if (str_is(label, scene->labels[i])) {
			ui->group = GROUP_LABEL;
			ui->label = i;
		}
}

static void resume_order(struct ui *ui, const struct scene *scene, struct json screen)
{
	sort_parse(json_str(screen, "sort"), &ui->sort);
	ui->reverse = json_bool(screen, "reverse", false);
	resume_group(ui, scene, screen);
	if (json_type(json_at(screen, "preview")) == JSON_BOOL)
		ui->preview = json_bool(screen, "preview", false) ? PREVIEW_ON : PREVIEW_OFF;
}

/* ---- places ------------------------------------------------------------------- */

static void describe_place(const struct ui *ui, const struct scene *scene, const struct place *place, struct document out)
{
	size_t row = place->left ? place->left_selected : place->selected, top = place->left ? place->left_top : place->top;

	document_add_string(out, "view", str_of(ui->views[place->view]->resumes));
	if (place->view == VIEW_DETAIL)
		document_add_string(out, "tab", str_of(tab_title(place->tab, false)));
	describe_object(out, "subject", scene, place->subject);
	if (place->alike > 1)
		document_add_int(out, "alike", place->alike);
	document_add_text(out, "filter", str_of(place->filter));
	document_add_text(out, "search", str_of(place->search));
	if (!place->moved)
		return;
	/* the object of the selected row may not exist */
	describe_object(out, "object", scene, place == ui_place_const(ui) && ui_absent(ui).slot ? ui_absent(ui) : place->object);
	document_add_int(out, "row", (int64_t)row);
	document_add_int(out, "top", (int64_t)top);
}

static void describe_places(const struct ui *ui, const struct scene *scene, struct document list)
{
	for (size_t i = 0; i <= ui->depth && ui->views[ui->places[i].view]->resumes; i++)
		describe_place(ui, scene, &ui->places[i], document_add_object(list, NULL));
}

/* Copies what a user could have typed, and no half character. */
static void copy_typed(char out[FILTER_BYTES], struct str text)
{
	size_t n = 0, at = 0;

	while (at < text.len) {
		size_t from = at;
		uint32_t rune = utf8_next(text, &at);

		if (utf8_hostile(rune) || n + (at - from) >= FILTER_BYTES)
			break;
		memcpy(out + n, text.ptr + from, at - from);
		n += at - from;
	}
	out[n] = '\0';
}

static bool find_view(const struct ui *ui, struct str name, enum view_id *out)
{
	for (int i = 0; i < VIEW_COUNT; i++)
		if (ui->views[i]->resumes && str_is(name, ui->views[i]->resumes)) {
			*out = (enum view_id)i;
			return true;
		}
	return false;
}

static enum tab find_tab(const struct scene *scene, struct handle subject, struct str title)
{
	for (int i = 0; i < TAB_COUNT; i++)
		if (str_is(title, tab_title((enum tab)i, false)) && tab_exists(scene, subject, (enum tab)i))
			return (enum tab)i;
	return TAB_OVERVIEW;
}

static size_t whole(struct json d, const char *key)
{
	int64_t n = json_int(d, key, 0);

	return n > 0 && n <= ROWS ? (size_t)n : 0;
}

/* Returns false when the place cannot be shown: its view is not known, or what it shows is not there. */
static bool read_place(const struct ui *ui, const struct scene *scene, struct json d, struct place *out)
{
	struct json subject = json_at(d, "subject");

	*out = (struct place){ .view = VIEW_TABLE };
	if (!find_view(ui, json_str(d, "view"), &out->view))
		return false;
	if (1u << out->view & IN_OF_ONE)
		out->subject = find_object(scene, subject);
	if (1u << out->view & IN_OF_ONE && !out->subject.slot && (subject.node || out->view == VIEW_DETAIL))
		return false;
	if (out->view == VIEW_DETAIL)
		out->tab = find_tab(scene, out->subject, json_str(d, "tab"));
	out->alike = (uint32_t)whole(d, "alike");
	copy_typed(out->filter, json_str(d, "filter"));
	copy_typed(out->search, json_str(d, "search"));
	if (!json_has(d, "row"))
		return true;
	out->object = find_object(scene, json_at(d, "object"));
	out->selected = out->left_selected = whole(d, "row");
	out->top = out->left_top = whole(d, "top");
	out->moved = out->left = true;
	return true;
}

static void resume_places(struct ui *ui, const struct scene *scene, struct json list)
{
	struct place place;
	size_t n = 0;

	json_foreach(it, list) {
		if (n == PLACES || !read_place(ui, scene, it, &place) || (n == 0 && place.view != VIEW_TABLE))
			break;
		/* a filter that the next list has, too, was taken over from the one before */
		place.filtered = place.filter[0] && (n == 0 || strcmp(place.filter, ui->places[n - 1].filter) != 0);
		ui->places[n++] = place;
	}
	if (n)
		ui->depth = n - 1;
	ui_arrive(ui);
}

/* ---- folds -------------------------------------------------------------------- */

/* Rows stand where they are when those above them are unfolded, so that they can be unfolded from the top on. */
static void describe_folds(const struct ui *ui, const struct scene *scene, struct document out)
{
	struct document list = DOCUMENT_NONE;
	size_t n = 0;

	for (size_t i = 0; i < ui->lines.n && ui->ntoggled && n < FOLDS; i++) {
		const struct line *line = &ui->lines.all[i];
		struct document d;

		if (line->fold == FOLD_NONE || !ui_line_toggled(ui, line))
			continue;
		list = list.node ? list : document_add_array(out, "folds");
		d = document_add_object(list, NULL);
		document_add_int(d, "row", (int64_t)i);
		describe_object(d, "object", scene, line->object);
		n++;
	}
}

/* Returns the line in that row, if it is about the same object; else the line that is. */
static const struct line *line_of_fold(const struct ui *ui, size_t row, struct handle object)
{
	const struct line *line = row < ui->lines.n ? &ui->lines.all[row] : NULL;

	if (line && line->fold != FOLD_NONE && handle_eq(line->object, object))
		return line;
	for (size_t i = 0; object.slot && i < ui->lines.n; i++)
		if (ui->lines.all[i].fold != FOLD_NONE && handle_eq(ui->lines.all[i].object, object))
			return &ui->lines.all[i];
	return NULL;
}

static void resume_folds(struct ui *ui, const struct scene *scene, struct json list)
{
	struct place place = *ui_place(ui);
	size_t n = 0;

	json_foreach(it, list) {
		const struct line *line;

		if (n++ == FOLDS)
			break;
		ui_dirty(ui);
		ui_refresh(ui, scene);
		line = line_of_fold(ui, whole(it, "row"), find_object(scene, json_at(it, "object")));
		if (line && !ui_line_toggled(ui, line))
			ui_toggle_line(ui, line);
	}
	*ui_place(ui) = place;	/* the rows that it names are those of the unfolded list */
	ui_arrive(ui);
}

/* ---- all of it ---------------------------------------------------------------- */

void ui_describe(const struct ui *ui, const struct scene *scene, struct document out)
{
	describe_order(ui, scene, out);
	describe_marks(ui, scene, out);
	describe_acknowledged(ui, scene, out);
	describe_places(ui, scene, document_add_array(out, "places"));
	if (ui->views[ui_view(ui)]->resumes)
		describe_folds(ui, scene, out);
}

void ui_resume(struct ui *ui, const struct scene *scene, struct json screen)
{
	resume_order(ui, scene, screen);
	resume_marks(ui, scene, screen);
	resume_acknowledged(ui, scene, json_at(screen, "acknowledged"));
	resume_places(ui, scene, json_at(screen, "places"));
	resume_folds(ui, scene, json_at(screen, "folds"));
}

static void add_handle(struct handle h, struct handle *all, size_t *n)
{
	if (h.slot)
		all[(*n)++] = h;
}

const struct handle *ui_shown_objects(const struct ui *ui, struct arena *a, size_t *out_n)
{
	const struct place *place = ui_place_const(ui);
	size_t rows = (size_t)(ui->rows > 0 ? ui->rows : 0), n = 0;
	struct handle *all = arena_array(a, 2 * PLACES + 3 * rows + PINS, sizeof(*all));

	for (size_t i = ui->depth + 1; i-- > 0;) {
		add_handle(ui->places[i].subject, all, &n);
		add_handle(ui->places[i].object, all, &n);
	}
	for (size_t i = place->top; i < ui->lines.n && i < place->top + rows; i++) {
		const struct line *line = &ui->lines.all[i];

		add_handle(line->object, all, &n);
		add_handle(line->of, all, &n);
		if (line->texts)
			add_handle(line->texts->absent, all, &n);
	}
	for (size_t i = 0; i < ui->pins.n; i++)
		add_handle(ui->pins.all[i].id.handle, all, &n);
	*out_n = n;
	return all;
}
