/* SPDX-License-Identifier: Apache-2.0 */
/* The chart of phases over time: a lane for each root cause, and rows for what it held up. */
#ifndef PLUGIN_OUTPUT_CHART_H
#define PLUGIN_OUTPUT_CHART_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/model/status.h"
#include "plugin/past/cause_log.h"
#include "plugin/record/gaps.h"

/* A phase from when to when, ms, within the chart. */
struct chart_bar {
	int64_t from, to;
	enum phase phase;	/* PHASE_COUNT: of a root cause that is no object, or that is well itself */
	struct str word;	/* what stands in the bar and in the text: "Failed", "missing" */
	bool open;		/* it began before the chart */
	bool unsure;		/* nobody knows when it began */
	int64_t since;		/* of an open bar: when it began, ms; 0: not known */
};

struct chart_row {
	struct str name, where;	/* texts of the cluster */
	bool cause;		/* the row is the root cause, and the rows up to the next such row are held up by it */
	const struct chart_bar *bars;
	size_t nbars;
	struct str at_end;	/* without bars: the phase that it had at the very end of the chart alone; "": none is known */
	const int64_t *marks;	/* when something was changed that may explain the cause, ms */
	size_t nmarks;
	size_t more;		/* of the cause: how many objects that it held up have no row */
};

struct chart {
	int64_t from, to;	/* ms; from < to */
	const struct chart_row *rows;
	size_t nrows;
	struct gaps gaps;	/* borrowed */
};

/* A part of a recording that has no records. */
struct chart_time {
	int64_t from, to;
	struct gaps gaps;	/* borrowed */
};

enum {
	CHART_CAUSES = 20,	/* so many root causes have a lane */
	CHART_HELD = 5,		/* so many rows show what one of them held up */
	CHART_BARS = 240	/* a row has so many bars at most; shorter ones are joined, and the worst counts */
};

/* Makes the chart of the first CHART_CAUSES causes, in the arena. */
const struct chart *chart_make(struct world *w, const struct logged_cause *causes, size_t n, const struct chart_time *time, struct arena *a);
/*
 * Appends the chart as HTML: a row is its name and an inline SVG with a title and a description, whose positions are
 * shares of its width.
 */
void chart_html(const struct chart *c, struct buf *out);
/* Returns what the bars of a row say: "Provisioning until 05:00:04, Failed until 05:03:19". */
struct str chart_words(const struct chart *c, const struct chart_row *row, struct arena *a);
/* Returns the end of the names of the style classes of a phase, such as "failed"; for PHASE_COUNT "absent". */
const char *chart_class(enum phase phase);
/* Returns the moments that stand at the axis, at most six, in the arena. */
const int64_t *chart_ticks(int64_t from, int64_t to, struct arena *a, size_t *out_n);

#endif
