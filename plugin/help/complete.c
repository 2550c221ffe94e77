/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the candidates for a word of the command line, and prints them in the protocol of cobra and kubectl. */
#include "plugin/help/complete.h"

#include "kube/base/alloc.h"
#include "kube/base/child.h"
#include "kube/base/shell.h"
#include "kube/base/utf8.h"
#include "kube/config/kubeconfig.h"
#include "plugin/live.h"
#include "plugin/user_rules.h"
#include "tui/view/columns.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* how long a completion may take, ms: the user goes on typing meanwhile */
#define COMPLETION_TIMEOUT_MS 3000

/* ---- candidates ---------------------------------------------------------- */

/* The text that is completed: the last word, or the part of it after "--flag=" and after the last comma. */
struct completion {
	struct output *out;
	struct str before;	/* the text that is printed before each candidate: "Ready," of "Ready,Fa" */
	struct str word;
	bool list;	/* the flag takes several values, separated by commas */
	/*
	 * True when kubectl asks.  Its script for bash expands candidates before it shows them ("compgen -W", up to
	 * cobra 1.8), so that one with $(…) would run, and inserts them unquoted.  Which shell asks is not known.
	 */
	bool plain;
};

/*
 * Returns true for text without characters that must not reach a terminal.  Other text is not offered: nobody could
 * type it.
 */
static bool is_printable(struct str text)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t rune = utf8_next(text, &at);

		if (rune == 0xFFFD || utf8_hostile(rune))
			return false;
	}
	return true;
}

/* Returns true for a candidate that the program would read as it is meant, and that is safe for the shell. */
static bool is_offered(const struct completion *c, struct str text)
{
	if (!text.len || !is_printable(text) || (c->plain && !shell_is_plain(text)))
		return false;
	if (c->list && (str_find(text, ',') < text.len || str_is_listed(text, c->before)))
		return false;
	/* a name that begins with a hyphen would be read as a flag */
	return !str_starts(text, "-") || c->before.len || str_starts(c->word, "-");
}

static void candidate(struct completion *c, struct str text, const char *help)
{
	if (!is_offered(c, text) || text.len < c->word.len || !str_eq_nocase(str_head(text, c->word.len), c->word))
		return;
	buf_add(&c->out->buf, c->before);
	buf_add(&c->out->buf, text);
	if (help && *help && is_printable(str_of(help)))
		buf_printf(&c->out->buf, "\t%s", help);
	buf_add_char(&c->out->buf, '\n');
}

static void flag_candidates(struct completion *c)
{
	size_t n;
	const struct option_row *r = options_rows(&n);

	for (size_t i = 0; i < n; i++) {
		char flag[64];

		if (r[i].group)
			continue;
		snprintf(flag, sizeof(flag), strlen(r[i].name) > 1 ? "--%s" : "-%s", r[i].name);
		candidate(c, str_of(flag), r[i].help);
	}
}

static void word_candidates(struct completion *c, const char *(*at)(size_t i))
{
	for (size_t i = 0; at(i); i++)
		candidate(c, str_of(at(i)), NULL);
}

static const char *goal_at(size_t i)
{
	static const char *const goals[] = { "condition=Ready", "create", "delete" };

	return i < sizeof(goals) / sizeof(goals[0]) ? goals[i] : NULL;
}

static const char *level_at(size_t i)
{
	static const char *const levels[] = { "1", "6", "8" };

	return i < sizeof(levels) / sizeof(levels[0]) ? levels[i] : NULL;
}

/* Completes only the part after the last comma: "Fa" of "Ready,Fa". */
static void after_comma(struct completion *c)
{
	size_t comma = str_rfind(c->word, ',');

	c->list = true;
	if (comma == c->word.len)
		return;
	c->before = str_head(c->word, comma + 1);
	c->word = str_from(c->word, comma + 1);
}

static void config_candidates(struct completion *c, enum config_names what, const struct options *o)
{
	struct config_flags flags = { .kubeconfig = o->kubeconfig };
	struct arena arena = { 0 };
	const struct str *names;
	struct err ignored;
	size_t n;

	if (config_names(&flags, what, &arena, &names, &n, &ignored) == 0)
		for (size_t i = 0; i < n; i++)
			candidate(c, names[i], NULL);
	arena_release(&arena);
}

/* Adds the values that a flag may have.  Returns false when they are not known. */
static bool value_candidates(struct completion *c, const char *flag, const struct options *o)
{
	static const struct {
		const char *flag;
		bool list;
		const char *(*at)(size_t i);
	} words[] = {
		{ "output", false, options_format },   { "color", false, options_color },
		{ "sort-by", false, options_sort_key }, { "columns", true, column_name },
		{ "for", true, options_phase },	       { "v", false, level_at },
	};
	static const struct {
		const char *flag;
		bool list;
		enum config_names what;
	} names[] = {
		{ "context", false, CONFIG_CONTEXTS },
		{ "contexts", true, CONFIG_CONTEXTS },
		{ "cluster", false, CONFIG_CLUSTERS },
		{ "user", false, CONFIG_USERS },
	};

	if (strcmp(flag, "for") == 0 && str_find(c->word, ',') == c->word.len)
		word_candidates(c, goal_at);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].flag, flag) == 0) {
			if (words[i].list)
				after_comma(c);
			word_candidates(c, words[i].at);
			return true;
		}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].flag, flag) == 0) {
			if (names[i].list)
				after_comma(c);
			config_candidates(c, names[i].what, o);
			return true;
		}
	return false;
}

/* The objects of a cluster that candidates are taken from.  No request takes longer than COMPLETION_TIMEOUT_MS. */
struct completion_world {
	struct world world;
	struct query query;
	struct live *live;	/* NULL: the configuration cannot be read */
};

static void completion_world_open(struct completion_world *a, struct options *o)
{
	struct live_options lo = { .options = o, .world = &a->world, .query = &a->query, .once = true };

	*a = (struct completion_world){ 0 };
	world_init(&a->world, false);
	o->request_timeout_ms = COMPLETION_TIMEOUT_MS;
	o->format = FORMAT_NAME;
	a->live = live_new(&lo, &(struct err){ 0 });
}

static void completion_world_close(struct completion_world *a)
{
	live_free(a->live);
	child_see_off_all();
	query_release(&a->query);
	world_release(&a->world);
}

/* Reads the objects of the type that is asked for.  Returns false when they cannot be read. */
static bool read_type(struct completion_world *a)
{
	struct err ignored;

	if (!a->live || live_connect(a->live, &ignored) < 0)
		return false;
	live_start(a->live);
	return live_settle(a->live, &ignored) == 0;
}

/* Adds the names of the objects of one type, each once. */
static void name_candidates(struct completion *c, const char *type, struct options *o)
{
	const char *args[] = { type, NULL };
	struct map seen = { 0 };
	struct completion_world a;
	struct arena arena = { 0 };
	const struct handle *all = NULL;
	size_t n = 0;

	/* the options borrow their arguments from the caller */
	xfree(o->args);
	o->args = args;
	o->nargs = 1;
	completion_world_open(&a, o);
	if (read_type(&a))
		all = query_collect(&a.query, &a.world, &arena, &n);
	for (size_t i = 0; i < n; i++) {
		struct str name = store_meta(a.world.store, all[i]).id.name;

		if (!map_set(&seen, name, &seen))
			candidate(c, name, NULL);
	}
	map_release(&seen);
	arena_release(&arena);
	completion_world_close(&a);
	o->args = NULL;
	o->nargs = 0;
}

/* Adds the plural names of types: those in the discovery cache, else those of Kubernetes itself. */
static void type_candidates(struct completion *c, struct options *o)
{
	struct completion_world a;

	after_comma(c);
	completion_world_open(&a, o);
	if (a.live)
		session_discover(live_session(a.live, 0), true);
	if (!a.live || !session_discovered(live_session(a.live, 0)))
		kinds_add_builtin(&a.world.kinds);
	for (uint32_t i = 0; i < a.world.kinds.count; i++)
		if (a.world.kinds.all[i]->flags & KIND_LIST)
			candidate(c, a.world.kinds.all[i]->plural, NULL);
	completion_world_close(&a);
}

static void each_candidate(struct completion *c, const char *const *words)
{
	for (; *words; words++)
		candidate(c, str_of(*words), NULL);
}

/* Adds types, or names after "TYPE " or "TYPE/".  Returns true when the shell shall complete file names. */
static bool argument_candidates(struct completion *c, struct options *o)
{
	static const char *const words[] = { "completion", "help", "options", "rules", "version", NULL };
	static const char *const kinds_of_completion[] = { "bash", "fish", "install", "man", "uninstall", "zsh", NULL };
	size_t slash = str_find(c->word, '/');
	struct buf type = { 0 };

	if (rules_asked(o) && o->nargs == 1)
		candidate(c, STR("check"), NULL);
	if (rules_asked(o))
		return o->nargs > 1 && strcmp(o->args[1], "check") == 0;
	if (slash < c->word.len) {
		buf_add(&type, str_head(c->word, slash));
		c->before = str_head(c->word, slash + 1);
		c->word = str_from(c->word, slash + 1);
		name_candidates(c, buf_cstr(&type), o);
	} else if (o->nargs == 1 && strcmp(o->args[0], "completion") == 0) {
		each_candidate(c, kinds_of_completion);
	} else if (o->nargs == 1 && strcmp(o->args[0], "help") == 0) {
		each_candidate(c, words);
	} else if (o->nargs == 0) {
		if (c->word.len)
			each_candidate(c, words);
		type_candidates(c, o);
	} else if (!strchr(o->args[0], '/')) {
		buf_add_cstr(&type, o->args[0]);
		name_candidates(c, buf_cstr(&type), o);
	}
	buf_release(&type);
	return false;
}

/*
 * Returns the option that a word such as "--output" or "-o" names; NULL when no option that takes a value has that
 * name.
 */
static const struct option_row *option_named(struct str word)
{
	size_t n;
	const struct option_row *r = options_rows(&n);
	bool name = str_starts(word, "--");

	for (size_t i = 0; i < n; i++)
		if (!r[i].group && r[i].takes_value &&
		    (name ? str_is(str_from(word, 2), r[i].name)
			  : word.len == 2 && word.ptr[0] == '-' && word.ptr[1] == r[i].letter))
			return &r[i];
	return NULL;
}

static bool is_file(const struct option_row *r)
{
	return str_is(str_of(r->arg), "FILE") || str_is(str_of(r->arg), "DIR") || str_is(str_of(r->arg), "FILE/DIR");
}

bool complete_is_asked(int argc, char **argv)
{
	return argc > 0 && (str_starts(str_of(options_file_name(argv[0])), "kubectl_complete") ||
			    (argc > 1 && strcmp(argv[1], "__complete") == 0));
}

/* Parses the words before the one that is completed, without those at the end that cannot be parsed. */
static void parse_before(int argc, char **argv, struct options *o)
{
	struct err ignored;

	while (options_parse(argc, argv, o, &ignored) < 0 && argc > 1)
		argc--;
}

int complete_run(int argc, char **argv)
{
	struct output out = { .fd = STDOUT_FILENO };
	struct str before, word;
	const struct option_row *option;
	struct completion c = { .out = &out };
	struct options o;
	bool files;

	c.plain = str_starts(str_of(options_file_name(argv[0])), "kubectl_complete");
	if (argc > 1 && strcmp(argv[1], "__complete") == 0) {
		argc--;
		argv++;
	}
	word = str_of(argc > 1 ? argv[argc - 1] : "");
	before = str_of(argc > 2 ? argv[argc - 2] : "");
	option = option_named(before);
	parse_before(argc - (option ? 2 : 1), argv, &o);
	c.word = word;
	if (!option && str_starts(word, "--") && str_find(word, '=') < word.len) {
		option = option_named(str_head(word, str_find(word, '=')));
		c.word = str_from(word, str_find(word, '=') + 1);
	}
	files = option && is_file(option);
	if (option && strcmp(option->name, "namespace") == 0) {
		after_comma(&c);
		name_candidates(&c, "namespaces", &o);
	} else if (option) {
		value_candidates(&c, option->name, &o);
	} else if (str_starts(word, "-")) {
		flag_candidates(&c);
	} else if (o.filename.n || o.replay) {
		files = false;	/* nobody asks a cluster about what is in files */
	} else {
		files = argument_candidates(&c, &o);
	}
	/* cobra's directive: 0 makes the shell complete file names, 4 does not */
	buf_add_cstr(&out.buf, files ? ":0\n" : ":4\n");
	output_flush(&out);
	buf_release(&out.buf);
	options_release(&o);
	return 0;
}
