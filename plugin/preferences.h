/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own file. */
#ifndef PLUGIN_PREFERENCES_H
#define PLUGIN_PREFERENCES_H

#include "kube/base/err.h"
#include "tui/term/theme.h"
#include "tui/view/action.h"

struct preferences {
	enum theme_name theme;
	bool silent;		/* bell: false */
	unsigned history;	/* MB for what was before; 0: as usual */
	char columns[256];	/* of the printed table, as --columns takes them; "": as usual */
	struct bindings keys;
};

/*
 * Reads $KUBECTL_STATUS_CONFIG, else ~/.kube/kubectl-status.yaml if there is one:
 *
 *	apiVersion: kubectl-status/v1
 *	kind: Preferences
 *	theme: light		auto, dark, light, high-contrast, colour-blind, none
 *	bell: false		a new root cause does not ring
 *	history: 64		MB for what was before, to go back in time; 32 if not said
 *	columns: [name, phase]	of the printed table, unless --columns or -o wide is given
 *	keys:			actions as the help calls them, and the keys that do it
 *	  next-problem: n F8
 *	thresholds:
 *	  overdue: 45m
 *
 * ERR_INPUT names the file with line and column and what is wrong there: a wish that is
 * misspelt must not go unnoticed.
 */
int preferences_load(struct preferences *out, struct err *err) MUST_USE;

#endif
