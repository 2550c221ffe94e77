/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks as Markdown; texts of the cluster are inline code, which they cannot end. */
#include "plugin/output/blocks.h"

#include "plugin/output/chart.h"
#include "tui/view/markdown.h"
#include "tui/words/style.h"
#include "tui/words/words.h"

static void add_part(const struct part *p, struct buf *out)
{
	switch (p->kind) {
	case PART_OWN:
	case PART_TIME:
		clean_text(out, p->text);
		break;
	case PART_TEXT:
	case PART_NAME:
		markdown_code(out, p->text);
		break;
	case PART_PHASE:
		buf_printf(out, "**%s %s**", phase_appearance(p->phase)->glyph, phase_name(p->phase));
		break;
	case PART_CELL:
		buf_add_char(out, ' ');
		break;
	}
}

static void add_more(size_t more, struct buf *out, struct arena *a)
{
	if (more)
		BUF_JOIN(out, STR("  * and "), words_count(more, a), STR(" more that it blocked\n"));
}

/* Adds the rows of the chart as a list; those of what a cause blocked stand below it. */
static void add_chart(const struct chart *c, struct buf *out)
{
	struct arena a = { 0 };
	size_t more = 0;

	for (size_t i = 0; i < c->nrows; i++) {
		const struct chart_row *row = &c->rows[i];

		if (row->cause) {
			add_more(more, out, &a);
			more = row->more;
		}
		buf_add_cstr(out, row->cause ? "* " : "  * ");
		markdown_code(out, row->name);
		if (row->where.len) {
			buf_add_cstr(out, " (");
			markdown_code(out, row->where);
			buf_add_char(out, ')');
		}
		BUF_JOIN(out, STR(": "), chart_words(c, row, &a), STR("\n"));
		arena_reset(&a);
	}
	add_more(more, out, &a);
	arena_release(&a);
}

/* What stands before the parts of a block, and behind them. */
static const struct {
	const char *before, *behind;
} frames[] = {
	[BLOCK_TITLE] = { "# ", "\n\n" },	  [BLOCK_LEAD] = { "", "\n\n" },      [BLOCK_SECTION] = { "## ", "\n\n" },
	[BLOCK_CAUSE] = { "### ", "\n\n" },	  [BLOCK_PARAGRAPH] = { "", "\n\n" }, [BLOCK_FACT] = { "* ", "\n" },
	[BLOCK_COMMAND] = { "", "\n\n" },	  [BLOCK_ITEM] = { "* ", "\n" },      [BLOCK_ROW] = { "* ", "\n" },
	[BLOCK_NOTE] = { "", "\n\n" },	  [BLOCK_CHART] = { "", "" },
};

static bool is_list(enum block_kind kind)
{
	return kind == BLOCK_FACT || kind == BLOCK_ITEM || kind == BLOCK_ROW || kind == BLOCK_CHART;
}

void blocks_markdown(const struct blocks *b, struct buf *out)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct block *block = &b->all[i];

		buf_add_cstr(out, frames[block->kind].before);
		if (block->kind == BLOCK_FACT)
			buf_printf(out, "%s: ", block->label);
		if (block->kind == BLOCK_CHART)
			add_chart(block->chart, out);
		for (size_t k = 0; k < block->n; k++)
			if (block->parts[k].kind != PART_CELL || (k + 1 < block->n && block->parts[k + 1].kind != PART_CELL))
				add_part(&block->parts[k], out);
		buf_add_cstr(out, frames[block->kind].behind);
		if (is_list(block->kind) && i + 1 < b->n && b->all[i + 1].kind != block->kind)
			buf_add_char(out, '\n');
	}
}
