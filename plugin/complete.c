/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/complete.h"

#include "kube/config/kubeconfig.h"
#include "kube/family/families.h"
#include "kube/model/status.h"
#include "kube/status/thresholds.h"
#include "plugin/live.h"
#include "tui/view/action.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ms: who waits for a completion types on meanwhile. */
#define COMPLETION_PATIENCE 3000

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- candidates ---------------------------------------------------------- */

static void candidate(struct output *out, struct str word, struct str text, const char *help)
{
	if (text.len < word.len || !str_eq(str_head(text, word.len), word))
		return;
	buf_add(&out->buf, text);
	if (help && *help)
		buf_printf(&out->buf, "\t%s", help);
	buf_add_char(&out->buf, '\n');
}

static void flag_candidates(struct output *out, struct str word)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	for (size_t i = 0; i < n; i++) {
		struct buf flag = { 0 };

		if (r[i].group || strlen(r[i].name) < 2)
			continue;
		buf_printf(&flag, "--%s%s", r[i].name, r[i].takes_value ? "=" : "");
		candidate(out, word, buf_str(&flag), r[i].help);
		buf_release(&flag);
	}
}

static void list_candidates(struct output *out, struct str word, const char *const *values)
{
	for (; *values; values++)
		candidate(out, word, str_of(*values), NULL);
}

static void context_candidates(struct output *out, struct str word)
{
	struct config_flags flags = { 0 };
	struct arena arena = { 0 };
	const struct str *names;
	struct err ignored;
	size_t n;

	if (config_contexts(&flags, &arena, &names, &n, &ignored) == 0)
		for (size_t i = 0; i < n; i++)
			candidate(out, word, names[i], NULL);
	arena_release(&arena);
}

/* The values that a flag may have; false when they are not known. */
static bool value_candidates(struct output *out, struct str flag, struct str word)
{
	static const char *const formats[] = { "table", "wide", "tree", "why", "json", "yaml", "name", NULL };
	static const char *const colors[] = { "auto", "always", "never", NULL };
	static const char *const orders[] = { "severity", "phase", "name", "namespace", "kind", "since", NULL };

	if (str_is(flag, "-o") || str_is(flag, "--output"))
		list_candidates(out, word, formats);
	else if (str_is(flag, "--color"))
		list_candidates(out, word, colors);
	else if (str_is(flag, "--sort-by"))
		list_candidates(out, word, orders);
	else if (str_is(flag, "--context") || str_is(flag, "--contexts"))
		context_candidates(out, word);
	else if (str_is(flag, "--for"))
		for (int p = 0; p < PHASE_COUNT; p++)
			candidate(out, word, str_of(phase_name((enum phase)p)), NULL);
	else
		return false;
	return true;
}

/* Types by their plural names: those that the discovery cache tells, or Kubernetes' own. */
static void type_candidates(struct output *out, struct str word, int argc, char **argv)
{
	struct options options;
	struct world world;
	struct query query = { 0 };
	struct err ignored;
	struct live_options lo = { .options = &options, .world = &world, .query = &query, .once = true };
	struct live *live = NULL;

	world_init(&world, false);
	if (options_parse(argc, argv, &options, &ignored) == 0)
		live = live_new(&lo, &ignored);
	if (live)
		session_discover(live_session(live, 0), true);
	if (!live || !session_discovered(live_session(live, 0)))
		kinds_add_builtin(&world.kinds);
	for (uint32_t i = 0; i < world.kinds.count; i++)
		if (world.kinds.all[i]->flags & KIND_LIST)
			candidate(out, word, world.kinds.all[i]->plural, NULL);
	live_free(live);
	world_release(&world);
}

static void names_of(struct output *out, const struct query *query, struct world *world, struct str before,
		     struct str word)
{
	struct arena arena = { 0 };
	size_t n;
	const struct handle *all = query_collect(query, world, &arena, &n);

	for (size_t i = 0; i < n; i++) {
		struct str name = store_meta(world->store, all[i]).id.name;

		candidate(out, word, arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(before), STR_ARG(name)), NULL);
	}
	arena_release(&arena);
}

/* Names of one type, from the cluster; before: what stands in front of them in the word ("pods/"). */
static void name_candidates(struct output *out, const char *type, struct str before, struct str word, int argc,
			    char **argv)
{
	const char *args[] = { type, NULL };
	struct options options;
	struct world world;
	struct query query = { 0 };
	struct err ignored;
	struct live_options lo = { .options = &options, .world = &world, .query = &query, .once = true };
	struct live *live = NULL;

	world_init(&world, false);
	if (options_parse(argc, argv, &options, &ignored) == 0 && !options.filename.n && !options.replay) {
		options.args = args;
		options.nargs = 1;
		options.format = FORMAT_NAME;
		options.request_timeout_ms = COMPLETION_PATIENCE;
		live = live_new(&lo, &ignored);
	}
	if (live && live_connect(live, &ignored) == 0) {
		live_start(live);
		if (live_settle(live, &ignored) == 0)
			names_of(out, &query, &world, before, word);
	}
	live_free(live);
	query_release(&query);
	world_release(&world);
}

/* A name after "TYPE ", or after "TYPE/". */
static void argument_candidates(struct output *out, struct str word, int argc, char **argv)
{
	struct options options;
	struct err ignored;
	size_t slash = str_find(word, '/');
	struct buf type = { 0 };

	buf_add(&type, str_head(word, slash));
	if (slash < word.len)
		name_candidates(out, buf_cstr(&type), str_head(word, slash + 1), word, argc, argv);
	else if (options_parse(argc, argv, &options, &ignored) < 0 || options.nargs == 0)
		type_candidates(out, word, argc, argv);
	else if (!strchr(options.args[0], '/'))
		name_candidates(out, options.args[0], STR_NONE, word, argc, argv);
	buf_release(&type);
}

/* The option whose value comes after that word; NULL: none does. */
static const struct option_row *option_before(struct str before)
{
	size_t n;
	const struct option_row *r = options_rows(&n);
	bool name = str_starts(before, "--");

	for (size_t i = 0; i < n; i++)
		if (!r[i].group && r[i].takes_value &&
		    (name ? str_is(str_from(before, 2), r[i].name)
			  : before.len == 2 && before.ptr[0] == '-' && before.ptr[1] == r[i].letter))
			return &r[i];
	return NULL;
}

static bool is_file(const struct option_row *r)
{
	return str_is(str_of(r->arg), "FILE") || str_is(str_of(r->arg), "DIR");
}

bool complete_is_asked(int argc, char **argv)
{
	return argc > 0 && str_starts(str_of(base_name(argv[0])), "kubectl_complete");
}

int complete_run(int argc, char **argv)
{
	struct output out = { .fd = STDOUT_FILENO };
	struct str word = str_of(argc > 1 ? argv[argc - 1] : "");
	struct str before = str_of(argc > 2 ? argv[argc - 2] : "");
	const struct option_row *option = option_before(before);
	bool files = option && is_file(option);

	if (str_is(before, "-n") || str_is(before, "--namespace"))
		name_candidates(&out, "namespaces", STR_NONE, word, argc - 2, argv);
	else if (value_candidates(&out, before, word) || option)
		;
	else if (str_starts(word, "-"))
		flag_candidates(&out, word);
	else
		argument_candidates(&out, word, argc - 1, argv);
	/* as cobra's: the shell's own names of files, or none */
	buf_add_cstr(&out.buf, files ? ":0\n" : ":4\n");
	output_flush(&out);
	buf_release(&out.buf);
	return 0;
}

/* ---- completion scripts and the manual ----------------------------------- */

static void flag_words(struct buf *out)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	for (size_t i = 0; i < n; i++)
		if (!r[i].group && strlen(r[i].name) > 1)
			buf_printf(out, " --%s", r[i].name);
}

static void bash_script(struct buf *out)
{
	buf_add_cstr(out, "# bash completion for kubectl-status\n"
			  "_kubectl_status() {\n"
			  "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
			  "\tCOMPREPLY=($(compgen -W \"");
	flag_words(out);
	buf_add_cstr(out, "\" -- \"$cur\"))\n}\ncomplete -o default -F _kubectl_status kubectl-status\n");
}

static void zsh_script(struct buf *out)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	buf_add_cstr(out, "#compdef kubectl-status\n_arguments \\\n");
	for (size_t i = 0; i < n; i++)
		if (!r[i].group && strlen(r[i].name) > 1) {
			buf_printf(out, "\t'--%s%s[", r[i].name, r[i].takes_value ? "=" : "");
			for (const char *p = r[i].help; *p; p++)
				buf_printf(out, *p == '\'' ? "'\\''" : "%c", *p);
			buf_printf(out, "]%s%s' \\\n", r[i].takes_value ? ":" : "", r[i].takes_value ? r[i].arg : "");
		}
	buf_add_cstr(out, "\t'*:resource:'\n");
}

static void fish_script(struct buf *out)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	buf_add_cstr(out, "# fish completion for kubectl-status\n");
	for (size_t i = 0; i < n; i++) {
		if (r[i].group || strlen(r[i].name) < 2)
			continue;
		buf_printf(out, "complete -c kubectl-status -l %s", r[i].name);
		if (r[i].letter)
			buf_printf(out, " -s %c", r[i].letter);
		buf_printf(out, "%s -d \"%s\"\n", r[i].takes_value ? " -r" : "", r[i].help);
	}
}

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

static void manual(struct buf *out)
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

static int print_script(const struct options *o, struct output *out, struct err *err)
{
	static const struct {
		const char *name;
		void (*print)(struct buf *out);
	} scripts[] = { { "bash", bash_script }, { "zsh", zsh_script }, { "fish", fish_script }, { "man", manual } };

	if (!o->nargs || strcmp(o->args[0], "completion") != 0)
		return 0;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (o->nargs == 2 && strcmp(o->args[1], scripts[i].name) == 0) {
			scripts[i].print(&out->buf);
			return 1;
		}
	return err_set(err, ERR_USAGE, "completion for which shell? bash, zsh, fish (or man, for the manual)");
}

int complete_helps(const struct options *o, const char *program, struct output *out,
		   struct err *err)
{
	const char *name = base_name(program);
	int rc = 1;

	if (o->help)
		options_help(str_starts(str_of(name), "kubectl-") ? "kubectl status" : name, &out->buf);
	else if (o->version)
		buf_printf(&out->buf, "kubectl-status v%s%s%s\n", VERSION, *COMMIT ? " commit " : "", COMMIT);
	else
		rc = print_script(o, out, err);
	output_flush(out);
	return rc;
}
