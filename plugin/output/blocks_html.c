/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks as one page of HTML that needs nothing else: no script, no font, no picture, and a policy that forbids a
 * browser to ask for any.  It follows the reader's choice of light or dark, and is light on paper.
 */
#include "plugin/output/blocks.h"

#include "kube/base/time.h"
#include "plugin/output/chart.h"
#include "plugin/output/html.h"
#include "tui/words/style.h"

/* The lines of report.css. */
static const char *const style[] = {
#include "report_css.def"
};

static const char *const classes[] = { "failed", "waiting", "progress", "degraded", "deleting", "suspended", "ready", "unknown", "absent" };

/* The rules of the classes that chart_class() names. */
static void add_classes(struct buf *out)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		const char *c = classes[i];

		buf_printf(out, ".f-%s{fill:var(--%s)}.t-%s{fill:url(#p-%s)}.o-%s{fill:var(--on-%s)}.h-%s{stroke:var(--h-%s);stroke-width:1.5}\n", c, c, c, c, c, c, c, c);
	}
	buf_add_cstr(out, ".t-ready,.t-failed{fill:none}.w-failed,.w-deleting{color:var(--bad)}.w-degraded,.w-waiting{color:var(--warn)}.w-ready{color:var(--good)}\n");
}

static const char *tone_class(enum tone tone)
{
	static const char *const names[] = { "", "good", "bad", "warn" };

	return names[tone];
}

static void add_time(const struct part *p, struct buf *out)
{
	char text[TIME_TEXT];

	buf_printf(out, "<time datetime=\"%s\">", time_format(p->time, text));
	html_text(p->text, out);
	buf_add_cstr(out, "</time>");
}

static void add_part(const struct part *p, struct buf *out)
{
	switch (p->kind) {
	case PART_OWN:
		html_text(p->text, out);
		break;
	case PART_TEXT:
	case PART_NAME:
		buf_add_cstr(out, "<code>");
		html_text(p->text, out);
		buf_add_cstr(out, "</code>");
		break;
	case PART_TIME:
		add_time(p, out);
		break;
	case PART_PHASE:
		buf_printf(out, "<span class=\"phase w-%s\">%s ", chart_class(p->phase), phase_appearance(p->phase)->glyph);
		html_text(p->text, out);
		buf_add_cstr(out, "</span>");
		break;
	case PART_CELL:
		buf_add_cstr(out, "</span> <span>");
		break;
	}
}

static void add_parts(const struct block *b, struct buf *out)
{
	for (size_t i = 0; i < b->n; i++)
		add_part(&b->parts[i], out);
}

/* Adds the block as an element; its tone is a class. */
static void add_element(const struct block *b, const char *name, const char *class, struct buf *out)
{
	const char *tone = tone_class(b->tone);

	buf_printf(out, "<%s", name);
	if (*class || *tone)
		buf_printf(out, " class=\"%s%s%s\"", class, *class && *tone ? " " : "", tone);
	buf_add_char(out, '>');
	add_parts(b, out);
	buf_printf(out, "</%s>\n", name);
}

static void add_block(const struct block *b, struct buf *out)
{
	switch (b->kind) {
	case BLOCK_TITLE:
		add_element(b, "h1", "", out);
		break;
	case BLOCK_LEAD:
		add_element(b, "p", "lead", out);
		break;
	case BLOCK_SECTION:
		add_element(b, "h2", "", out);
		break;
	case BLOCK_CAUSE:
		buf_printf(out, "<h3>");
		add_parts(b, out);
		buf_add_cstr(out, "</h3>\n");
		break;
	case BLOCK_PARAGRAPH:
	case BLOCK_NOTE:
		add_element(b, "p", "", out);
		break;
	case BLOCK_FACT:
		buf_add_cstr(out, "<dt>");
		html_text(str_of(b->label), out);
		buf_add_cstr(out, "</dt>");
		add_element(b, "dd", "", out);
		break;
	case BLOCK_COMMAND:
		buf_add_cstr(out, "<pre>");
		for (size_t i = 0; i < b->n; i++)
			html_text(b->parts[i].text, out);
		buf_add_cstr(out, "</pre>\n");
		break;
	case BLOCK_ITEM:
		add_element(b, "li", "", out);
		break;
	case BLOCK_ROW:
		buf_add_cstr(out, "<li><span>");
		add_parts(b, out);
		buf_add_cstr(out, "</span></li>\n");
		break;
	case BLOCK_CHART:
		chart_html(b->chart, out);
		break;
	}
}

/* Returns the element that holds all blocks of that kind which follow each other; NULL: none does. */
static const char *list_of(enum block_kind kind)
{
	switch (kind) {
	case BLOCK_FACT:
		return "dl";
	case BLOCK_ITEM:
		return "ul";
	case BLOCK_ROW:
		return "ol";
	case BLOCK_TITLE:
	case BLOCK_LEAD:
	case BLOCK_SECTION:
	case BLOCK_CAUSE:
	case BLOCK_PARAGRAPH:
	case BLOCK_NOTE:
	case BLOCK_COMMAND:
	case BLOCK_CHART:
		break;
	}
	return NULL;
}

/* Adds the head of the page; its title has the texts of the title block. */
static void add_head(const struct blocks *b, struct buf *out)
{
	buf_add_cstr(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
			  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	for (size_t i = 0; b->n && b->all[0].kind == BLOCK_TITLE && i < b->all[0].n; i++)
		html_text(b->all[0].parts[i].text, out);
	buf_add_cstr(out, "</title>\n<style>\n");
	for (size_t i = 0; i < sizeof(style) / sizeof(style[0]); i++)
		buf_add_cstr(out, style[i]);
	add_classes(out);
	buf_add_cstr(out, "</style>\n</head>\n<body>\n<main>\n");
}

void blocks_html(const struct blocks *b, struct buf *out)
{
	bool section = false, article = false;

	add_head(b, out);
	for (size_t i = 0; i < b->n; i++) {
		enum block_kind kind = b->all[i].kind;
		const char *list = list_of(kind);

		if (article && (kind == BLOCK_CAUSE || kind == BLOCK_SECTION || kind == BLOCK_NOTE)) {
			buf_add_cstr(out, "</article>\n");
			article = false;
		}
		if (kind == BLOCK_SECTION) {
			buf_add_cstr(out, section ? "</section>\n<section>\n" : "<section>\n");
			section = true;
		}
		if (kind == BLOCK_CAUSE) {
			buf_printf(out, "<article class=\"%s\">\n", tone_class(b->all[i].tone));
			article = true;
		}
		if (list && (i == 0 || b->all[i - 1].kind != kind))
			buf_printf(out, "<%s%s>\n", list, kind == BLOCK_ROW ? " class=\"rows\"" : "");
		add_block(&b->all[i], out);
		if (list && (i + 1 == b->n || b->all[i + 1].kind != kind))
			buf_printf(out, "</%s>\n", list);
	}
	buf_add_cstr(out, article ? "</article>\n" : "");
	buf_add_cstr(out, section ? "</section>\n" : "");
	buf_add_cstr(out, "</main>\n</body>\n</html>\n");
}
