/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/blocks.h"

#include "kube/base/assert.h"

struct block *blocks_add(struct blocks *b, enum block_kind kind)
{
	b->all = arena_grow(b->arena, b->all, b->n, &b->cap, sizeof(*b->all));
	b->all[b->n] = (struct block){ .kind = kind };
	return &b->all[b->n++];
}

static void add(struct blocks *b, struct part part)
{
	struct block *to = &b->all[b->n - 1];

	assert(b->n);
	to->parts = arena_grow(b->arena, to->parts, to->n, &to->cap, sizeof(*to->parts));
	to->parts[to->n++] = part;
}

void blocks_own(struct blocks *b, struct str words)
{
	if (words.len)
		add(b, (struct part){ .kind = PART_OWN, .text = words });
}

void blocks_say(struct blocks *b, enum block_kind kind, struct str words)
{
	blocks_add(b, kind);
	blocks_own(b, words);
}

void blocks_text(struct blocks *b, struct str text)
{
	if (text.len)
		add(b, (struct part){ .kind = PART_TEXT, .text = text });
}

void blocks_name(struct blocks *b, struct str text)
{
	if (text.len)
		add(b, (struct part){ .kind = PART_NAME, .text = text });
}

void blocks_time(struct blocks *b, struct str words, int64_t time)
{
	add(b, (struct part){ .kind = PART_TIME, .text = words, .time = time });
}

void blocks_phase(struct blocks *b, enum phase phase)
{
	add(b, (struct part){ .kind = PART_PHASE, .text = str_of(phase_name(phase)), .phase = phase });
}

void blocks_cell(struct blocks *b)
{
	add(b, (struct part){ .kind = PART_CELL });
}
