/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the manual page in roff, from the tables of options, keys, phases, columns and thresholds. */
#include "plugin/help/manual.h"

#include "kube/base/time.h"
#include "kube/family/families.h"
#include "kube/model/status.h"
#include "kube/status/thresholds.h"
#include "plugin/help/commands.h"
#include "plugin/options.h"
#include "tui/state/action.h"
#include "tui/view/columns.h"

#include <string.h>

/* Appends text with the characters escaped that roff would interpret. */
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

/* Appends each action of the keyboard with its name in the preferences. */
static void manual_keys(struct buf *out)
{
	char name[ACTION_NAME];
	size_t n;
	const struct action_row *r = action_rows(&n);

	for (size_t i = 0; i < n; i++) {
		if (r[i].action == ACTION_NONE) {
			buf_printf(out, ".SS %s\n", r[i].text);
			continue;
		}
		buf_add_cstr(out, ".TP\n.B ");
		roff(out, r[i].keys);
		buf_add_cstr(out, " \\fR(");
		roff(out, action_name(r[i].action, name));
		buf_add_cstr(out, ")\n");
		roff(out, r[i].text);
		buf_add_char(out, '\n');
	}
}

/* Appends a preferences file that has the defaults, and one key as an example. */
static void manual_preferences(struct buf *out)
{
	struct threshold_row r;
	char text[TIME_TEXT];

	buf_add_cstr(out, ".SH PREFERENCES\nThey are read from ~/.kube/kubectl\\-status.yaml; every line but the first two may be left out.\n"
			  "These are the defaults, with one cluster, one history and one key as an example:\n"
			  ".PP\n.nf\napiVersion: kubectl\\-status/v1\nkind: Preferences\n"
			  "theme: auto             # auto, dark, light, high\\-contrast, colour\\-blind, none\n"
			  "bell: true              # rings when there is a new root cause\n"
			  "history: 32             # MB that the dashboard keeps of the past\n"
			  "columns: [namespace, name, phase, since, waits\\-on, reason, message]\n"
			  "owner: [owner, team, contact, app.kubernetes.io/part\\-of]  # labels and annotations that tell the owner\n"
			  "runbook: [runbook_url, runbook]  # annotations with the address of a runbook\n"
			  "clusters:               # the context that the label cluster of an alert means\n"
			  "  eu1: prod\n"
			  "flights:                # the history of a context, as \\-\\-history takes it\n"
			  "  prod: kubectl\\-status/flight\n"
			  "keys:                   # names of actions, as KEYS has them\n"
			  "  next\\-problem: n F8\n"
			  "thresholds:             # durations (90s, 45m, 2h) or counts\n");
	for (size_t i = 0; thresholds_row(families_all, i, &r); i++) {
		struct buf line = { 0 };

		if (r.count)
			buf_printf(&line, "%s: %lld", r.name, (long long)r.value);
		else if (r.value % HOURS(1) == 0)
			buf_printf(&line, "%s: %lldh", r.name, (long long)(r.value / HOURS(1)));	/* a duration knows no days */
		else
			buf_printf(&line, "%s: %s", r.name, time_age(r.value, text));
		buf_printf(out, "  %-30s # %s\n", buf_cstr(&line), r.what);
		buf_release(&line);
	}
	buf_add_cstr(out, ".fi\n");
}

static void manual_files(struct buf *out)
{
	buf_add_cstr(out, ".SH FILES\n.TP\n.B ~/.kube/kubectl\\-status.yaml\nPreferences.\n"
			  ".TP\n.B ~/.kube/kubectl\\-status.pins.json\nWhat is pinned to the top (key *), for each context.\n"
			  ".TP\n.B ~/.kube/kubectl\\-status.d/\nYour own rules for operators.\n"
			  ".TP\n.B ~/.kube/config\nThe kubeconfig.\n.TP\n.B ~/.kube/cache\nThe discovery cache, shared with kubectl.\n");
}

static void manual_commands(struct buf *out, const char *command)
{
	buf_add_cstr(out, ".SH COMMANDS\n");
	for (const struct command_row *r = help_commands; r->command; r++) {
		buf_add_cstr(out, ".TP\n.B ");
		roff(out, command);
		buf_add_char(out, ' ');
		roff(out, r->command);
		if (*r->args)
			buf_add_char(out, ' ');
		roff(out, r->args);
		buf_add_char(out, '\n');
		roff(out, r->what);
		buf_add_char(out, '\n');
	}
}

static void manual_phases(struct buf *out)
{
	static const char *const meanings[PHASE_COUNT] = {
		[PHASE_DELETING] = "is being deleted",
		[PHASE_FAILED] = "has stopped, and cannot reach its goal without a change",
		[PHASE_WAITING] = "waits for something that can be named: another object, an approval, an external system",
		[PHASE_PROVISIONING] = "is being created, and nothing is in its way",
		[PHASE_UPDATING] = "was usable; a change is being rolled out",
		[PHASE_MAINTENANCE] = "a maintenance operation is running",
		[PHASE_SCALING] = "a change of its size is being rolled out",
		[PHASE_DEGRADED] = "is usable, but not as promised",
		[PHASE_SUSPENDED] = "a person or a policy has paused it",
		[PHASE_READY] = "is at its goal, or ran to completion",
		[PHASE_UNKNOWN] = "there is not enough information to say",
	};

	buf_add_cstr(out, ".SH PHASES\nOne word for every resource of every operator; the first that applies is shown.\n");
	for (int p = 0; p < PHASE_COUNT; p++)
		buf_printf(out, ".TP\n.B %s\n%s\n", phase_name((enum phase)p), meanings[p]);
	buf_add_cstr(out, ".PP\nThe severity says who has to act. error: a person must change something; warning: it is retried,\n"
			  "overdue or silent, and may heal; info: the happy path is under way; none: nothing to do.\n");
}

static void manual_columns(struct buf *out)
{
	buf_add_cstr(out, ".SH COLUMNS\nFor \\-\\-columns, in any order:");
	for (size_t i = 0; column_name(i); i++) {
		buf_add_cstr(out, i ? ", " : "\n");
		roff(out, column_name(i));
	}
	buf_add_cstr(out, ".\nsince is the age of the phase, age that of the object. \\-L adds a column for a label or an\n"
			  "annotation, \\-\\-show\\-labels one with all labels.\n");
}

static void manual_json(struct buf *out)
{
	buf_add_cstr(out, ".SH JSON\n\\-o json prints one document of kind StatusList: summary, rootCauses (what has to be fixed,\n"
			  "worst first, with what it blocks), items (every selected resource) and notices. \\-o yaml is the\n"
			  "same document. With \\-w each change is a document on one line: an item with its event. Facts that\n"
			  "are not known are left out, never null. docs/status.schema.json is its JSON Schema; within\n"
			  "kubectl\\-status/v1 members are added, none is removed.\n");
}

static void manual_examples(struct buf *out, const char *command)
{
	static const struct {
		const char *what, *args;
	} examples[] = {
		{ "What is broken anywhere, by root cause:", "-A --problems" },
		{ "Why is this one not ready?", "server/web-0 -o why" },
		{ "What it depends on, and what depends on it:", "network/net -o tree" },
		{ "Wait for a rollout, at most five minutes:", "deploy/web --for Ready --timeout 5m" },
		{ "Read a dump, without a cluster:", "-f dump.yaml" },
		{ "A gate in CI: 4 when something failed, 3 while something is under way:", "-n shop --exit-code" },
		{ "Record an incident, show it again:", "-A --record incident.jsonl.gz" },
		{ NULL, "--replay incident.jsonl.gz --speed 10" },
		{ "Names of what failed:", "-o json | jq -r '.items[] | select(.phase==\"Failed\").name'" },
	};

	buf_add_cstr(out, ".SH EXAMPLES\n");
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		if (examples[i].what)
			buf_printf(out, "%s%s\n", i ? ".PP\n" : "", examples[i].what);
		buf_add_cstr(out, ".PP\n.nf\n    ");
		roff(out, command);
		buf_add_char(out, ' ');
		roff(out, examples[i].args);
		buf_add_cstr(out, "\n.fi\n");
	}
}

static void manual_environment(struct buf *out)
{
	static const struct {
		const char *name, *what;
	} rows[] = {
		{ "KUBECONFIG", "kubeconfig files, separated by colons; else ~/.kube/config" },
		{ "KUBECTL_PATH", "the kubectl to run for !, and to refresh an id-token; else the one in $PATH" },
		{ "KUBECACHEDIR", "directory of the discovery cache; else ~/.kube/cache" },
		{ "KUBECTL_STATUS_CONFIG", "the preferences file; else ~/.kube/kubectl-status.yaml" },
		{ "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "as kubectl" },
		{ "SSL_CERT_FILE", "file of CA certificates, where the kubeconfig names none" },
		{ "NO_COLOR", "when set to anything, no colours" },
		{ "TERM", "the terminal; dumb: no colours, and no dashboard" },
		{ "PAGER", "shows what the dashboard's ! prints, and returns as that program does; else it is a view, from which Esc and q return" },
		{ "XDG_DATA_HOME, XDG_CONFIG_HOME", "where completion install puts its files" },
	};

	buf_add_cstr(out, ".SH ENVIRONMENT\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_printf(out, ".TP\n.B %s\n", rows[i].name);
		roff(out, rows[i].what);
		buf_add_char(out, '\n');
	}
}

static void manual_exit_status(struct buf *out)
{
	static const struct {
		int status;
		const char *what;
	} rows[] = {
		{ 0, "done" },
		{ 1, "it could not be done: one line on standard error says what, why and what to try; also when what was asked for may not be read: "
		     "a TYPE that was named, a namespace that does not exist, or everything" },
		{ 2, "the command line is wrong" },
		{ 3, "with --exit-code or --for: something waits or is under way, or --timeout ran out" },
		{ 4, "with --exit-code or --for: something is Failed or Degraded" },
	};

	buf_add_cstr(out, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_printf(out, ".TP\n.B %d\n", rows[i].status);
		roff(out, rows[i].what);
		buf_add_char(out, '\n');
	}
}

void manual_print(struct buf *out, const char *file)
{
	struct command_name command = options_command(file);

	buf_add_cstr(out, ".TH ");
	roff(out, file);
	buf_add_cstr(out, " 1 " RELEASED " \"kubectl status " VERSION "\"\n.SH NAME\n");
	roff(out, file);
	buf_add_cstr(out, " \\- what is broken, what waits for it, and since when\n.SH SYNOPSIS\n.B ");
	roff(out, command.text);
	buf_add_cstr(out, "\n[\\fITYPE\\fR [\\fINAME\\fR...] | \\fITYPE/NAME\\fR...] [\\fIflags\\fR]\n"
			  ".SH DESCRIPTION\nShows the phase of every resource, the state of its asynchronous operation, what\n"
			  "it waits for, and the root cause. On a terminal it opens a dashboard; otherwise it\n"
			  "prints. It only reads: get, list and watch.\n.SH OPTIONS\n");
	manual_options(out);
	manual_commands(out, command.text);
	manual_phases(out);
	manual_columns(out);
	manual_json(out);
	buf_add_cstr(out, ".SH KEYS\n");
	manual_keys(out);
	manual_preferences(out);
	manual_files(out);
	manual_environment(out);
	manual_exit_status(out);
	manual_examples(out, command.text);
	buf_add_cstr(out, ".SH SEE ALSO\n.BR kubectl (1)\n.PP\n"
			  "Pictures of all views, and an incident key by key: docs/views.md and docs/incident.md of the source.\n");
}
