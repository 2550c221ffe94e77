/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a report says, before it has a form: blocks (a heading, a paragraph, a line of a list) of parts, of which each is
 * the program's own words or a text from the cluster.  The forms (blocks_html.c, blocks_markdown.c) lay the blocks out,
 * and only they know how such a text is made harmless.
 */
#ifndef PLUGIN_OUTPUT_BLOCKS_H
#define PLUGIN_OUTPUT_BLOCKS_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/model/status.h"

struct chart;

enum part_kind {
	PART_OWN,	/* the program's own words */
	PART_TEXT,	/* a text from the cluster, a file or the user */
	PART_NAME,	/* the same, which is the name of what the block is about */
	PART_TIME,	/* a moment: own words, and the time */
	PART_PHASE,	/* a phase, with its glyph */
	PART_CELL	/* in BLOCK_ROW: the next cell begins */
};

struct part {
	enum part_kind kind;
	struct str text;
	int64_t time;		/* PART_TIME: ms */
	enum phase phase;	/* PART_PHASE */
};

enum block_kind {
	BLOCK_TITLE,
	BLOCK_LEAD,		/* a paragraph below the title */
	BLOCK_SECTION,		/* a heading */
	BLOCK_CAUSE,		/* the heading of a root cause, within a section */
	BLOCK_PARAGRAPH,
	BLOCK_NOTE,		/* a paragraph of the section, which does not belong to the root cause before it */
	BLOCK_FACT,		/* a label and a text */
	BLOCK_COMMAND,		/* a command to be copied: one part */
	BLOCK_ITEM,		/* of a list */
	BLOCK_ROW,		/* of a list that has a time, a name, a place and a text, in cells */
	BLOCK_CHART
};

/* How a block looks, beside its kind. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_WARN };

struct block {
	enum block_kind kind;
	enum tone tone;
	const char *label;	/* BLOCK_FACT: constant, or in the arena */
	const struct chart *chart;
	struct part *parts;
	size_t n, cap;
};

struct blocks {
	struct arena *arena;	/* holds everything */
	struct block *all;
	size_t n, cap;
};

/* Adds an empty block and returns it; it is borrowed until the next one is added. */
struct block *blocks_add(struct blocks *b, enum block_kind kind);
/* Adds a block that begins with the program's own words. */
void blocks_say(struct blocks *b, enum block_kind kind, struct str words);
/* Append a part to the last block; an empty text adds nothing.  The texts are borrowed. */
void blocks_own(struct blocks *b, struct str words);
void blocks_text(struct blocks *b, struct str text);
void blocks_name(struct blocks *b, struct str text);
void blocks_time(struct blocks *b, struct str words, int64_t time);
void blocks_phase(struct blocks *b, enum phase phase);
void blocks_cell(struct blocks *b);

/* Append the blocks as a whole page. */
void blocks_html(const struct blocks *b, struct buf *out);
void blocks_markdown(const struct blocks *b, struct buf *out);

#endif
