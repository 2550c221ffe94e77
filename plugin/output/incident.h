/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of an incident, as blocks: what broke and since when, the phases over time, the root causes, what happened,
 * what was changed, and how all that was seen.
 */
#ifndef PLUGIN_OUTPUT_INCIDENT_H
#define PLUGIN_OUTPUT_INCIDENT_H

#include "plugin/output/blocks.h"
#include "plugin/past/cause_log.h"
#include "plugin/record/gaps.h"
#include "plugin/past/changelog.h"
#include "tui/view/timeline.h"

enum incident_source { INCIDENT_CLUSTER, INCIDENT_FILES, INCIDENT_RECORDING, INCIDENT_HISTORY };

/* Everything is borrowed. */
struct incident {
	struct world *w;	/* as it was at the end */
	const struct query *q;
	struct cause_log *log;
	struct changelog *changelog;	/* what happened in the meantime; NULL: it was read once */
	/* What happened before it was read once, the oldest first; with a changelog it is not used. */
	const struct timeline_entry *entries;
	size_t nentries;
	enum incident_source source;
	struct str context, selection;	/* "": not known; everything of the namespaces */
	/* the name of the recording, or of the history that tells of all of it, or of the time before a cluster was read; "": none */
	struct str recording;
	struct str flaws;	/* what of the recording cannot be used; "": all can */
	int64_t from, to;	/* what was observed, ms; equal when it was read once */
	int64_t changes_from;	/* until then what was there was being read, ms, so that differences are no changes */
	size_t never_met;	/* how many names were asked for that nobody met */
	bool unread_yet;	/* at the end the recorder had not read anything */
	bool part;		/* the user asked for this part, so the chart shows all of it */
	struct gaps gaps;	/* the first recorded of them are those of the recorder; in the others it did not watch everything */
	size_t recorded;
};

void incident_blocks(const struct incident *in, struct blocks *out);

/* Parts of it, for incident.c. */
void incident_timeline(const struct incident *in, const struct logged_cause *causes, size_t n, struct blocks *out);
void incident_changes(const struct incident *in, struct blocks *out);

#endif
