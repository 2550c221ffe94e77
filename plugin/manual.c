/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page: the tables of options, keys, phases, columns and thresholds, as roff. */
#include "plugin/manual.h"

#include "kube/base/time.h"
#include "kube/family/families.h"
#include "kube/status/thresholds.h"
#include "plugin/options.h"
#include "tui/view/action.h"
#include "tui/view/report.h"

#include <string.h>

/* roff takes a leading dot or a hyphen for its own. */
static void roff(struct buf *out, const char *text)
{
	for (const char *p = text; *p; p++)
		buf_printf(out, *p == '-' ? "\\-" : *p == '\\' ? "\\e" : "%c", *p);
}

static void manual_options(struct buf *out)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	for (size_t i = 0; i < n; i++) {
		if (r[i].group) {
			buf_printf(out, ".SS %s\n", r[i].group);
			continue;
		}
		buf_add_cstr(out, ".TP\n.B ");
		if (r[i].letter)
			buf_printf(out, "\\-%c", r[i].letter);
		if (strlen(r[i].name) > 1) {
			buf_add_cstr(out, r[i].letter ? ", \\-\\-" : "\\-\\-");
			roff(out, r[i].name);
		}
		if (r[i].takes_value)
			buf_printf(out, " \\fI%s\\fR", r[i].arg);
		buf_add_char(out, '\n');
		roff(out, r[i].help);
		buf_add_char(out, '\n');
	}
}

static void manual_keys(struct buf *out)
{
	size_t n;
	const struct action_row *r = action_rows(&n);

	for (size_t i = 0; i < n; i++) {
		if (r[i].action == ACTION_NONE) {
			buf_printf(out, ".SS %s\n", r[i].text);
			continue;
		}
		buf_add_cstr(out, ".TP\n.B ");
		roff(out, r[i].keys);
		buf_add_char(out, '\n');
		roff(out, r[i].text);
		buf_add_char(out, '\n');
	}
}

static void manual_files(struct buf *out)
{
	struct threshold_row r;
	char text[TIME_TEXT];

	buf_add_cstr(out, ".SH FILES\n.TP\n.B ~/.kube/kubectl\\-status.yaml\n"
			  "When patience ends, for those whose operators are slower or faster than most; another\n"
			  "file is named by $KUBECTL_STATUS_CONFIG. Durations (45m, 2h), with their defaults:\n"
			  ".PP\n.nf\napiVersion: kubectl\\-status/v1\nkind: Preferences\nthresholds:\n");
	for (size_t i = 0; thresholds_row(families_all, i, &r); i++)
		if (r.count)
			buf_printf(out, "  %s: %lld\t# %s\n", r.name, (long long)r.value, r.what);
		else
			buf_printf(out, "  %s: %s\t# %s\n", r.name, time_age(r.value, text), r.what);
	buf_add_cstr(out, ".fi\n");
}

void manual_print(struct buf *out)
{
	buf_add_cstr(out, ".TH KUBECTL\\-STATUS 1\n.SH NAME\n"
			  "kubectl\\-status \\- what is broken, what waits for it, and since when\n.SH SYNOPSIS\n"
			  ".B kubectl status\n[\\fITYPE\\fR [\\fINAME\\fR...] | \\fITYPE/NAME\\fR...] [\\fIflags\\fR]\n"
			  ".SH DESCRIPTION\nShows the phase of every resource, the state of its asynchronous operation, what\n"
			  "it waits for, and the root cause. On a terminal it opens a dashboard; otherwise it\n"
			  "prints. It only reads: get, list and watch.\n.SH OPTIONS\n");
	manual_options(out);
	buf_add_cstr(out, ".SH KEYS\n");
	manual_keys(out);
	manual_files(out);
	buf_add_cstr(out, ".SH EXIT STATUS\n"
			  "0 done; 1 could not be done; 2 usage; with \\-\\-exit\\-code or \\-\\-for: 3 something still\n"
			  "waits or is under way (or the time ran out), 4 something is Failed or Degraded.\n");
}

