/* SPDX-License-Identifier: Apache-2.0 */
/* The user's preferences file. */
#ifndef PLUGIN_PREFERENCES_H
#define PLUGIN_PREFERENCES_H

#include "kube/base/err.h"
#include "tui/state/action.h"
#include "tui/term/theme.h"

/* The default of the preference owner. */
#define PREFERRED_RUNBOOK "runbook_url,runbook"
#define PREFERRED_OWNER "owner,team,contact,app.kubernetes.io/part-of"

enum { PREFERRED_KEYS = 1024, PREFERRED_PAIRS = 8192 };	/* bytes of a list of labels, and of a map */

struct preferences {
	enum theme_name theme;
	bool silent;		/* "bell: false" was read */
	bool notify;		/* "notify: true" was read */
	unsigned history;	/* the memory for going back in time, MB; 0: the default */
	char columns[256];	/* the columns of the printed table, as --columns takes them; "": the default */
	char owner[PREFERRED_KEYS];	/* labels and annotations that tell the owner, as graph_use_owner_keys() takes them */
	bool owner_read;	/* owner is not the default */
	/* where the history of a context is: the context, a tab, a directory or service, and a newline, for each */
	char flights[PREFERRED_PAIRS];
	char clusters[PREFERRED_PAIRS];	/* the context that a label "cluster" means, in the same form */
	char runbook[PREFERRED_KEYS];	/* annotations with the address of a runbook, as graph_use_runbook_keys() takes them */
	struct bindings keys;
};

/*
 * Reads $KUBECTL_STATUS_CONFIG, else ~/.kube/kubectl-status.yaml if there is one:
 *
 *	apiVersion: kubectl-status/v1
 *	kind: Preferences
 *	theme: light		auto, dark, light, high-contrast, colour-blind, none
 *	bell: false		a new root cause does not ring
 *	notify: true		the terminal notifies the user (OSC 9, OSC 777) of a new root cause, and of a pinned row that ends
 *	history: 64		MB kept to go back in time; default 32
 *	columns: [name, phase]	of the printed table, unless --columns or -o wide is given
 *	owner: [team, contact]	labels and annotations whose value is the owner, the first that there is
 *	runbook: [runbook_url]	annotations with the address of a runbook
 *	clusters:		the context that the label "cluster" of an alert means
 *	  eu1: prod-eu
 *	flights:		the history of a context, as --history takes it
 *	  prod: kubectl-status/flight
 *	keys:			actions as the help calls them, and the keys that do it
 *	  next-problem: n F8
 *	thresholds:
 *	  overdue: 45m
 *
 * ERR_INPUT names file, line, column and what is wrong there; unknown keys are errors.  Then all is as by default, but for
 * thresholds that stand before the mistake.
 */
int preferences_load(struct preferences *out, struct err *err) MUST_USE;
/* Returns the directory or service that flights has for a context, in the arena; NULL: it has none. */
struct arena;
const char *preferences_flight(const struct preferences *p, struct str context, struct arena *arena);
/* Returns the context that clusters has for the label of an alert, in the arena; NULL: it has none. */
const char *preferences_cluster(const struct preferences *p, struct str label, struct arena *arena);

#endif
