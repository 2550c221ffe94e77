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

/* Every colour of a text has a contrast of at least 4.5:1 on what it stands on, in both schemes. */
static const char *const style[] = {
	":root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--dim:#57606a;--card:#f6f8fa;--line:#d0d7de;--code:#eef1f4;--mark:#6f2dbd;"
	"--failed:#b42318;--on-failed:#fff;--h-failed:#b42318;--waiting:#f7dc94;--on-waiting:#4a3200;--h-waiting:#e3bd58;"
	"--progress:#cfe3fb;--on-progress:#0b3a73;--h-progress:#8fbcf0;--degraded:#a84300;--on-degraded:#fff;--h-degraded:#8a3500;"
	"--deleting:#8a2a6a;--on-deleting:#fff;--h-deleting:#6d1d53;--suspended:#d7dce2;--on-suspended:#2b3138;--h-suspended:#bcc4cd;"
	"--ready:#cdeed4;--on-ready:#124620;--h-ready:#cdeed4;--unknown:#e6e7eb;--on-unknown:#33363d;--h-unknown:#c9ccd3;"
	"--absent:#7a1712;--on-absent:#fff;--h-absent:#5c0f0b;--good:#116329;--bad:#a40e26;--warn:#7d4e00}\n",
	"@media screen and (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--dim:#9aa4ae;--card:#161b22;--line:#30363d;--code:#21262d;--mark:#d2a8ff;"
	"--failed:#f85149;--on-failed:#1a0504;--h-failed:#f85149;--waiting:#5c4708;--on-waiting:#ffe39a;--h-waiting:#4a3800;"
	"--progress:#123a66;--on-progress:#cfe3ff;--h-progress:#0b2c50;--degraded:#f0883e;--on-degraded:#1d0d00;--h-degraded:#ffa668;"
	"--deleting:#d67ab8;--on-deleting:#1f0516;--h-deleting:#e79dcc;--suspended:#373e47;--on-suspended:#e6edf3;--h-suspended:#2a3038;"
	"--ready:#12381f;--on-ready:#a6e7b6;--h-ready:#12381f;--unknown:#2d333b;--on-unknown:#d0d7de;--h-unknown:#21262d;"
	"--absent:#ff9c94;--on-absent:#2b0503;--h-absent:#ffb8b2;--good:#56d364;--bad:#ff7b72;--warn:#e3b341}}\n",
	"*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;overflow-wrap:anywhere}"
	"main{max-width:1240px;margin:0 auto;padding:28px 24px 48px}"
	"h1{font-size:1.75rem;line-height:1.25;margin:0 0 10px;letter-spacing:-.01em}h2{font-size:1.2rem;margin:40px 0 12px;padding-top:14px;border-top:1px solid var(--line)}"
	"h3{font-size:1.05rem;margin:0 0 4px}p{margin:0 0 8px;max-width:90ch}.lead{font-size:1.05rem}.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}.warn{color:var(--warn)}"
	"code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;font-size:.9em;white-space:pre-wrap;unicode-bidi:isolate}"
	"code{background:var(--code);border-radius:4px;padding:.1em .35em}h1 code,h3 code,dd code,.rows code{background:none;padding:0;font-size:.95em}dd code,.rows code{font-size:.88em}"
	"pre{margin:10px 0 0;padding:9px 12px;background:var(--code);border-radius:6px;white-space:pre-wrap}"
	"time{font-variant-numeric:tabular-nums;white-space:nowrap}ul,ol{margin:0;padding-left:1.3em}li{margin:2px 0}.place{color:var(--dim);font-size:.9em}\n",
	"article{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--line);border-radius:8px;padding:14px 18px;margin:0 0 14px;break-inside:avoid}"
	"article.bad{border-left-color:var(--failed);color:inherit;font-weight:inherit}article.warn{border-left-color:var(--degraded);color:inherit}article.good{border-left-color:var(--good);color:inherit;font-weight:inherit}"
	"dl{display:grid;grid-template-columns:6.5rem minmax(0,1fr);gap:3px 12px;margin:8px 0 0}dt{color:var(--dim)}dd{margin:0}"
	".phase{white-space:nowrap;font-weight:600}.rows{list-style:none;padding:0;margin:0}"
	".rows li{display:grid;grid-template-columns:10.5rem minmax(0,17rem) minmax(0,10rem) minmax(0,1fr);gap:0 14px;padding:4px 0;border-bottom:1px solid var(--line);margin:0}\n",
	"figure{margin:0}.patterns{position:absolute}.lanes{--label:19rem;position:relative;padding-top:22px}.lanes svg{display:block;overflow:hidden}"
	".lanes .grid{position:absolute;top:0;right:0;width:calc(100% - var(--label));height:100%;overflow:visible}"
	".row{position:relative;display:grid;grid-template-columns:var(--label) minmax(0,1fr);align-items:center}.label{padding:2px 12px 2px 16px;line-height:1.25;font-size:.88rem}"
	".of-cause{margin-top:10px}.of-cause .label{font-weight:650;padding-left:0;font-size:.95rem}.more .label{color:var(--dim)}.label .place{font-weight:400}"
	".tick{stroke:var(--line);stroke-dasharray:2 3}.clock{fill:var(--dim);font-size:11.5px}.gap{fill:var(--line);opacity:.55}.unsure rect{opacity:.45}.mark{fill:var(--mark);stroke:var(--back);stroke-width:1.5}"
	".lanes text{font-size:11.5px;font-weight:600}.lanes .clock{font-weight:400}.lanes rect[class^=f-]{stroke:var(--back);stroke-width:1}"
	".legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;padding:0;margin:14px 0 0;font-size:.88rem}.legend li{display:flex;align-items:center;gap:6px;margin:0}\n",
	"@media (max-width:760px){main{padding:18px 16px 36px}h1{font-size:1.4rem}.lanes{--label:0px}.row{display:block}.label{padding:6px 0 1px}.of-cause{margin-top:12px}"
	".rows li{display:block}.rows li>span{margin-right:.5em}dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin-bottom:4px}article{padding:12px 14px}}\n"
	"@media print{body{font-size:10.5pt}main{max-width:none;padding:0}h2{break-after:avoid}.row,.rows li{break-inside:avoid}svg,article{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n",
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
		buf_add_cstr(out, "</span><span>");
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
