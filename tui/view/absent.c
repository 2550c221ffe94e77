/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/absent.h"

#include "tui/words/words.h"

struct handle absent_successor(const struct scene *scene, struct handle h)
{
	struct handle now = HANDLE_NONE;

	if (h.slot && !store_alive(scene->store, h) && store_knows(scene->store, h))
		now = store_node_handle(scene->store, h.slot);
	return handle_eq(now, h) ? HANDLE_NONE : now;
}

bool absent_is_let_go(const struct scene *scene, struct handle h)
{
	return store_was_let_go(scene->store, h.slot) || store_is_met(scene->store, absent_successor(scene, h));
}

struct str absent_words(const struct scene *scene, struct handle h)
{
	if (absent_is_let_go(scene, h))
		return absent_successor(scene, h).slot ? STR(" It was not watched for a time. Enter shows it as it is now.") :
							 STR(" It is not watched any more.");
	if (store_was_deselected(scene->store, h.slot))
		return STR(" It is not in the selection any more (deleted, or changed).");
	return absent_successor(scene, h).slot ? STR(" It was deleted. Another one of that name is there: Enter shows it.") :
						 STR(" It does not exist any more.");
}

struct id absent_id(const struct scene *scene, struct handle h)
{
	struct id id = graph_id(scene->graph, h.slot);

	id.handle = HANDLE_NONE;
	return id;
}

struct handle absent_handle(const struct scene *scene, struct handle named_by, const struct id *id)
{
	struct object_id key = { .kind = kinds_find(store_kinds(scene->store), id->group, id->kind),
				 .ns = id->ns,
				 .name = id->name };
	struct handle h;

	if (!key.kind || !id->name.len || !store_knows(scene->store, named_by))
		return HANDLE_NONE;
	key.cluster = store_node_id(scene->store, named_by.slot).cluster;
	h = store_node_named(scene->store, store_find_node(scene->store, &key));
	return is_absent(scene, h) ? h : HANDLE_NONE;
}

struct str absent_command(const struct scene *scene, struct handle h, enum command_reader reader, struct arena *a)
{
	struct id id = absent_id(scene, h);

	return words_kind_unknown(&id) ? STR_NONE : words_command(scene->graph, &id, WAIT_MISSING, STR_NONE, reader, a);
}

const struct line_texts *absent_texts(const struct scene *scene, struct handle named_by, const struct id *id,
				      struct lines *lines)
{
	struct handle h = absent_handle(scene, named_by, id);
	struct arena a = { 0 };
	struct line_texts *texts;

	if (!h.slot)
		return NULL;
	texts = arena_alloc(lines->arena, sizeof(*texts));
	texts->name = arena_str(lines->arena, id->name);
	for (int reader = 0; reader < 2; reader++)
		texts->command[reader] = arena_str(lines->arena, absent_command(scene, h, (enum command_reader)reader, &a));
	texts->waiter = named_by;
	texts->absent = h;
	arena_release(&a);
	return texts;
}
