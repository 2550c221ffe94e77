/* SPDX-License-Identifier: Apache-2.0 */
/* The palette as a prompt: what choosing one of its matches does, such as showing another namespace. */
#include "tui/view/palette.h"

#include <string.h>

#include "tui/ui/act.h"
#include "tui/view/bars.h"

/*
 * Prepares for a selection of other objects: its rows, column widths and root causes are not changes of the ones
 * before.
 */
static void begin_scope(struct ui *ui)
{
	observer_begin(&ui->observer);
	ui->past_observed = 0;
	memset(&ui->steady_widths, 0, sizeof(ui->steady_widths));
	ui->causes_known = false;
	ui->noted_causes->well = (struct well){ .from = 0 };
	ui->narrived = 0;
	ui->changed = ui->must_build = true;
	ui->scanned = 1;	/* long ago, so that its root causes are found at once, also where time stands still; 0 has no deadline */
	arena_release(&ui->saved_table.arena);
	ui->saved_table = (struct built){ .ncolumns = 0 };
	ui_dirty(ui);
}

/* Notes the scope that is shown, so that back returns to it. */
static void note_former(struct ui *ui, const struct scene *scene)
{
	struct former_scope *former;

	if (ui->nformer == FORMER) {	/* forget the oldest */
		memmove(ui->former, ui->former + 1, (FORMER - 1) * sizeof(ui->former[0]));
		ui->nformer--;
	}
	former = &ui->former[ui->nformer++];
	ui_copy_str(former->ns, sizeof(former->ns), scene->header->ns);
	former->kinds = ui->kinds;
	former->kind = ui->kind;
	memcpy(former->places, ui->places, sizeof(former->places));
	former->depth = ui->depth;
	former->places[ui->depth].left = true;
	former->places[ui->depth].left_top = ui_place(ui)->top;
	former->places[ui->depth].left_selected = ui_place(ui)->selected;
}

static unsigned take_scope(struct ui *ui, struct scope scope)
{
	ui_copy_str(ui->scope_name, sizeof(ui->scope_name), scope.name);
	scope.name = str_of(ui->scope_name);
	ui->scope = scope;
	ui->kinds = scope.kinds;
	ui->kind = scope.kind;
	begin_scope(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX | EFFECT_SCOPE;
}

unsigned palette_former_scope(struct ui *ui)
{
	const struct former_scope *former = &ui->former[--ui->nformer];

	memcpy(ui->places, former->places, sizeof(ui->places));
	ui->depth = former->depth;
	ui->returning = RETURN_PENDING;
	return take_scope(ui, (struct scope){ SCOPE_OBJECTS, str_of(former->ns), former->kinds, former->kind });
}

static unsigned act_all(struct ui *ui, const struct scene *scene)
{
	bool narrowed = ui->kinds != KINDS_ASKED;
	unsigned effects;

	if (narrowed || scene->header->ns.len)
		note_former(ui, scene);
	effects = take_scope(ui, (struct scope){ .what = SCOPE_OBJECTS, .kinds = KINDS_ASKED });
	/*
	 * The rows of one namespace are among the rows of all namespaces: they stay until those of all have been read.
	 */
	ui->must_build = false;
	ui->build_later = ui_view(ui) == VIEW_TABLE && store_count(scene->store) >= MANY_OBJECTS;
	return effects | act_say(ui, scene, narrowed ? "all namespaces and kinds" : "all namespaces");
}

unsigned act_palette(struct ui *ui, const struct scene *scene, enum action action)
{
	if (action == ACTION_ALL_NAMESPACES)
		return act_all(ui, scene);
	if (ui_view(ui) == VIEW_PALETTE)
		return 0;
	ui->palette_text[0] = '\0';
	ui->prompt = PROMPT_PALETTE;
	return act_go(ui, VIEW_PALETTE, HANDLE_NONE);
}

static unsigned choose_scope(struct ui *ui, const struct scene *scene, struct scope scope)
{
	note_former(ui, scene);
	/* The new list begins at its top, because its rows are other ones. */
	ui->depth = 0;
	ui->places[0] = (struct place){ .view = ui->places[0].view };
	return take_scope(ui, scope);
}

static unsigned choose_namespace(struct ui *ui, const struct scene *scene, struct str ns)
{
	return choose_scope(ui, scene, (struct scope){ SCOPE_OBJECTS, ns, ui->kinds, ui->kind });
}

/* Chooses a kind; NULL: all kinds. */
static unsigned choose_kind(struct ui *ui, const struct scene *scene, const struct kind *kind)
{
	return choose_scope(ui, scene, (struct scope){ SCOPE_OBJECTS, scene->header->ns, kind ? KINDS_ONE : KINDS_ALL, kind });
}

/* Chooses another context.  What is shown stays until that context has answered. */
static unsigned choose_context(struct ui *ui, struct str name)
{
	ui_copy_str(ui->scope_name, sizeof(ui->scope_name), name);
	ui->scope = (struct scope){ .what = SCOPE_CONTEXT, .name = str_of(ui->scope_name) };
	return EFFECT_REPAINT | EFFECT_CONTEXT;
}

/* Says that there is no such namespace or kind; the next Enter takes the nearest, when there is one. */
static void ask_for_nearest(struct ui *ui, const struct scene *scene, struct str missing, size_t at)
{
	struct arena a = { 0 };
	const struct match *m = at < ui->nmatches ? &ui->matches[at] : NULL;
	const char *what = str_starts(str_of(ui->palette_text), "k") ? "kind" : "namespace";
	struct str nearest = m ? ARENA_JOIN(&a, STR(" "), m->kind ? m->kind->plural : m->name, STR(": Enter takes it")) : STR(": none");

	ui_place(ui)->moved = m != NULL;
	if (m)
		ui_place(ui)->selected = at;
	act_say(ui, scene, arena_printf(&a, "no %s " STR_FMT "; nearest" STR_FMT, what, STR_ARG(missing), STR_ARG(nearest)).ptr);
	arena_release(&a);
}

enum action palette_choose(struct ui *ui, const struct scene *scene, unsigned *out_effects)
{
	struct str missing;
	size_t at = palette_exact(ui, scene, &missing);
	struct match m;

	*out_effects = EFFECT_REPAINT;
	if (missing.len) {
		ask_for_nearest(ui, scene, missing, at);
		return ACTION_NONE;
	}
	if (at >= ui->nmatches) {
		act_say(ui, scene, "nothing is found");
		return ACTION_NONE;
	}
	m = ui->matches[at];
	act_leave(ui);
	switch (m.what) {
	case FOUND_ACTION:
		ui_refresh(ui, scene);
		if (m.action == ACTION_NONE) {
			ui->depth = 0;
			ui_arrive(ui);
		}
		return m.action;
	case FOUND_NAMESPACE:
		*out_effects = choose_namespace(ui, scene, m.name);
		break;
	case FOUND_CONTEXT:
		*out_effects = choose_context(ui, m.name);
		break;
	case FOUND_KIND:
		*out_effects = choose_kind(ui, scene, m.kind);
		break;
	case FOUND_OBJECT:
		*out_effects = act_go(ui, VIEW_DETAIL, m.object);
		break;
	}
	return ACTION_NONE;
}

struct scope ui_scope(const struct ui *ui)
{
	return ui->scope;
}
