/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/live_private.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "plugin/clock.h"

#include <stdlib.h>
#include <string.h>

#ifndef VERSION
#define VERSION "0"
#endif

/* ---- configuration ------------------------------------------------------- */

static struct config_flags flags_of(const struct options *o)
{
	return (struct config_flags){
		.kubeconfig = o->kubeconfig,
		.context = o->context,
		.cluster = o->cluster,
		.user = o->user,
		.namespace = o->namespace,
		.server = o->server,
		.token = o->token,
		.tls_server_name = o->tls_server_name,
		.certificate_authority = o->certificate_authority,
		.client_certificate = o->client_certificate,
		.client_key = o->client_key,
		.as = o->as,
		.as_uid = o->as_uid,
		.username = o->username,
		.password = o->password,
		.as_groups = o->as_group.values,
		.as_user_extra = o->as_user_extra.values,
		.insecure_skip_tls_verify = o->insecure_skip_tls_verify,
		.disable_compression = o->disable_compression,
	};
}

static const char *cache_dir(struct live *l)
{
	const char *dir = getenv("KUBECACHEDIR"), *home = getenv("HOME");

	if (l->o.options->cache_dir)
		return l->o.options->cache_dir;
	if (dir && *dir)
		return dir;
	return home && *home ? arena_printf(&l->arena, "%s/.kube/cache", home).ptr : NULL;
}

static void open_cluster(struct live *l, struct cluster *c, const char *cache)
{
	struct session_options so = {
		.cluster = c->index,
		.cache_dir = cache,
		.request_timeout = l->o.options->request_timeout_ms,
		.interactive = l->o.interactive,
		.once = l->o.once,
		.user_agent = "kubectl-status/v" VERSION,
		.now = clock_now(),
	};

	c->session = session_new(l->http, &c->config, &l->o.world->kinds, &so, &feed_ops, c);
	if (l->nclusters > 1)
		graph_name_cluster(l->o.world->graph, c->index, c->config.context);
}

/* The names in --contexts, each once; without the flag one empty name, which is the current one. */
static int named_contexts(struct live *l, const struct str **out, size_t *out_n, struct err *err)
{
	struct str rest = str_of(l->o.options->contexts), name, *names;
	struct map seen = { 0 };
	size_t most = 1, n = 0;

	for (size_t i = 0; i < rest.len; i++)
		most += rest.ptr[i] == ',';
	names = arena_array(&l->arena, most, sizeof(*names));
	while (str_split(&rest, ',', &name))
		if (name.len && !map_set(&seen, name, l))
			names[n++] = name;
	map_release(&seen);
	if (n == 0 && l->o.options->contexts)
		return err_set(err, ERR_USAGE, "--contexts names no context");
	*out = names;
	*out_n = n ? n : 1;
	return 0;
}

static int context_names(struct live *l, const struct config_flags *flags, const struct str **out, size_t *out_n,
			 struct err *err)
{
	if (!l->o.options->all_contexts)
		return named_contexts(l, out, out_n, err);
	return config_contexts(flags, &l->arena, out, out_n, err);
}

static int load_clusters(struct live *l, struct err *err)
{
	struct config_flags flags = flags_of(l->o.options);
	const char *cache = cache_dir(l);
	const struct str *names;
	size_t n;

	if (context_names(l, &flags, &names, &n, err) < 0)
		return -1;
	if (n == 0)
		return err_set(err, ERR_INPUT, "the kubeconfig has no contexts");
	l->clusters = xcalloc(n, sizeof(*l->clusters));
	l->nclusters = n;
	for (size_t i = 0; i < n; i++) {
		struct cluster *c = &l->clusters[i];

		c->live = l;
		c->index = (uint16_t)i;
		if (names[i].len)
			flags.context = arena_str(&l->arena, names[i]).ptr;
		if (config_load(&flags, &l->arena, &c->config, err) < 0)
			return -1;
		open_cluster(l, c, cache);
	}
	return 0;
}

/* What commands must name: the context that a flag chose, unless it is the current one anyway. */
static void name_target(struct live *l)
{
	const struct options *o = l->o.options;
	struct config_flags flags = { .kubeconfig = o->kubeconfig };
	struct client_config current = { .context = STR_NONE };
	struct str context = l->clusters[0].config.context;
	bool other = o->context && (config_load(&flags, &l->arena, &current, &(struct err){ 0 }) < 0 ||
				    !str_eq(current.context, context));

	graph_name_target(l->o.world->graph, other && l->nclusters == 1 ? context : STR_NONE, str_of(o->kubeconfig));
}

struct live *live_new(const struct live_options *options, struct err *err)
{
	struct live *l = xcalloc(1, sizeof(*l));

	l->o = *options;
	l->http = http_new();
	if (options->log)
		http_log(l->http, options->options->verbosity, options->log, NULL);
	if (load_clusters(l, err) == 0) {
		name_target(l);
		l->o.query->ns = options->options->all_namespaces ? STR_NONE : l->clusters[0].config.namespace;
		return l;
	}
	live_free(l);
	return NULL;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nclusters; i++)
		if (l->clusters[i].session)
			session_free(l->clusters[i].session);
	lapse_release(l);
	for (size_t i = 0; i < l->nfeeds; i++)
		xfree(l->feeds[i]);
	http_free(l->http);
	map_release(&l->by_sub);
	arena_release(&l->arena);
	xfree(l->feeds);
	xfree(l->clusters);
	xfree(l);
}

/* For the first lists of all clusters, where there are several. */
#define PATIENCE SECONDS(3)
#define PATIENCE_ONCE SECONDS(10)

/* ---- turns --------------------------------------------------------------- */

static int64_t earlier(int64_t a, int64_t b)
{
	return !a ? b : !b ? a : a < b ? a : b;
}

static int64_t next_deadline(const struct live *l)
{
	int64_t when = earlier(earlier(graph_next_revisit(l->o.world->graph), l->next_lapse), l->look_again);

	for (size_t i = 0; i < l->nclusters; i++)
		when = earlier(earlier(when, l->clusters[i].rediscover_at), session_deadline(l->clusters[i].session));
	if (l->nclusters > 1 && clock_now() < l->started_at + PATIENCE)
		when = earlier(when, l->started_at + PATIENCE);
	return when;
}

void live_wait(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms)
{
	int64_t deadline = next_deadline(l), now = clock_now();

	if (deadline) {
		int64_t left = deadline > now ? deadline - now : 0;

		timeout_ms = timeout_ms < 0 || left < timeout_ms ? left : timeout_ms;
	}
	http_wait(l->http, fds, nfds, timeout_ms);
}

/* Of several clusters the slow ones are shown when they come; who prints once has to wait. */
static bool waits_for_slow(const struct live *l)
{
	return l->nclusters == 1 || l->o.once || clock_now() < l->started_at + PATIENCE;
}

static bool lists_done(const struct live *l)
{
	bool some = false, all = true;

	for (size_t i = 0; i < l->nfeeds; i++) {
		some |= l->feeds[i]->done;
		all &= l->feeds[i]->done;
	}
	return all || (some && !waits_for_slow(l));
}

size_t live_turn(struct live *l)
{
	size_t changed;

	if (!l->o.options->as_of)
		l->o.world->now = clock_now();
	for (size_t i = 0; i < l->nclusters; i++)
		session_run(l->clusters[i].session, clock_now());
	lapse_refresh(l, l->o.world->now);
	plan_kinds_refresh(l, clock_now());
	changed = world_settle(l->o.world);
	if (l->look_again && clock_now() >= l->look_again) {
		l->look_again = 0;
		l->looked_up = false;
	}
	if (l->started && !l->looked_up && lists_done(l))
		l->looked_up = plan_neighbours(l) == 0;
	return changed;
}

static void turn_blocking(struct live *l)
{
	live_wait(l, NULL, 0, -1);
	live_turn(l);
}

/* ---- start --------------------------------------------------------------- */

static bool all_discovered(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++) {
		enum session_state state = session_state(l->clusters[i].session);

		if (!l->clusters[i].discovered && (state == SESSION_CONNECTING || state == SESSION_LIVE))
			return false;
	}
	return true;
}

static bool some_discovered(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++)
		if (l->clusters[i].discovered)
			return true;
	return false;
}

/* Of several clusters one that says nothing holds up nobody for long. */
static bool goes_on_without(const struct live *l, int64_t began)
{
	return l->nclusters > 1 && some_discovered(l) && clock_now() - began >= (l->o.once ? PATIENCE_ONCE : PATIENCE);
}

static void tell_silent(struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++) {
		struct cluster *c = &l->clusters[i];

		if (!c->discovered && session_state(c->session) == SESSION_CONNECTING)
			world_notice(l->o.world, (struct notice){ .kind = STR("unavailable"), .resource = c->config.context,
								  .message = STR("the server did not answer in time") });
	}
}

static int discover(struct live *l, bool cache_is_enough, struct err *err)
{
	int64_t began = clock_now();

	for (size_t i = 0; i < l->nclusters; i++) {
		l->clusters[i].discovered = false;
		session_discover(l->clusters[i].session, cache_is_enough);
	}
	while (!all_discovered(l) && l->fatal.code == ERR_NONE && !goes_on_without(l, began)) {
		if (l->o.wait && !l->o.wait(l->o.wait_ctx, l))
			return 1;
		if (!l->o.wait)
			live_wait(l, NULL, 0, l->nclusters > 1 ? SECONDS(1) : -1);
		live_turn(l);
	}
	if (l->nclusters > 1)
		tell_silent(l);
	if (l->fatal.code == ERR_NONE)
		return 0;
	*err = l->fatal;
	return -1;
}

/*
 * A credential plugin may ask something: that comes before a dashboard takes
 * the terminal.  Afterwards it may not.
 */
static int log_in(struct live *l, struct err *err)
{
	for (size_t i = 0; i < l->nclusters && !l->o.once; i++) {
		struct cluster *c = &l->clusters[i];

		while (c->config.exec.command.len && session_state(c->session) == SESSION_CONNECTING &&
		       l->fatal.code == ERR_NONE)
			turn_blocking(l);
		if (l->nclusters == 1 && c->config.exec.command.len &&
		    session_state(c->session) == SESSION_UNAUTHENTICATED) {
			*err = c->why;
			return -1;
		}
		session_set_interactive(c->session, false);
	}
	return 0;
}

bool live_may_ask(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++)
		if (l->clusters[i].config.exec.command.len)
			return true;
	return false;
}

/* Whether a type exists is not known where the question failed. */
static int blame_discovery(const struct live *l, struct err *err)
{
	for (size_t i = 0; i < l->nclusters; i++) {
		const struct err *partial = &l->clusters[i].partial;

		if (partial->code == ERR_NONE)
			continue;
		if (str_starts(str_of(partial->msg), "unable to retrieve the complete list"))
			return err_hint(err, "%.200s", partial->msg);
		*err = *partial;
		return -1;
	}
	return -1;
}

int live_connect(struct live *l, struct err *err)
{
	struct query *q = l->o.query;
	struct err first;
	int result = discover(l, l->o.once, err);

	if (result || log_in(l, err) < 0)
		return result ? result : -1;
	if (query_init(q, l->o.options, l->o.world, &first) == 0)
		return 0;
	if (first.code != ERR_NOT_SERVED) {
		*err = first;
		return -1;
	}
	/* The type may be younger than the cache. */
	result = discover(l, false, err);
	if (result)
		return result;
	if (query_init(q, l->o.options, l->o.world, err) == 0)
		return 0;
	return err->code == ERR_NOT_SERVED ? blame_discovery(l, err) : -1;
}

void live_start(struct live *l)
{
	l->started = true;
	l->started_at = clock_now();
	plan_start(l);
	plan_kinds_start(l);
}

bool live_settled(const struct live *l)
{
	return l->started && l->looked_up && lists_done(l);
}

/* Everything that was asked for, and only that, failed for the same reason. */
static const struct feed *all_failed(const struct live *l)
{
	const struct feed *first = NULL;

	for (size_t i = 0; i < l->nfeeds; i++) {
		const struct feed *f = l->feeds[i];

		if (f->context)
			continue;
		if (f->why.code == ERR_NONE)
			return NULL;
		first = first ? first : f;
	}
	return first;
}

bool live_failed(const struct live *l, struct err *err)
{
	const struct feed *failed;

	if (l->fatal.code != ERR_NONE) {
		*err = l->fatal;
		return true;
	}
	if (!live_settled(l))
		return false;
	failed = all_failed(l);
	if (!failed || (l->o.query->what.n == 0 && failed->why.code == ERR_FORBIDDEN))
		return false;
	*err = failed->why;
	return true;
}

int live_settle(struct live *l, struct err *err)
{
	while (!live_settled(l) && l->fatal.code == ERR_NONE)
		turn_blocking(l);
	return live_failed(l, err) ? -1 : 0;
}

/* ---- facts --------------------------------------------------------------- */

struct live_facts live_facts(const struct live *l)
{
	struct live_facts f = { .objects = l->objects, .requests = http_requests(l->http),
				.last_event = l->last_event, .state = SESSION_LIVE };

	for (size_t i = 0; i < l->nfeeds; i++) {
		f.lists_total++;
		f.lists_done += l->feeds[i]->done;
		f.forbidden += l->feeds[i]->forbidden && !l->feeds[i]->context;
		f.throttled |= l->feeds[i]->why.code == ERR_THROTTLED;
		if (l->feeds[i]->why.code != ERR_NONE && !l->feeds[i]->forbidden)
			f.why = l->feeds[i]->why;
	}
	for (size_t i = 0; i < l->nclusters; i++) {
		enum session_state state = session_state(l->clusters[i].session);

		if (state != SESSION_LIVE)
			f.state = state;
		f.retry_at = earlier(f.retry_at, session_retry_at(l->clusters[i].session));
	}
	return f;
}

struct str live_context(const struct live *l)
{
	struct str names = l->clusters[0].config.context;
	struct live *owner = l->clusters[0].live;

	for (size_t i = 1; i < l->nclusters; i++)
		names = arena_printf(&owner->arena, STR_FMT "," STR_FMT, STR_ARG(names),
				     STR_ARG(l->clusters[i].config.context));
	return names;
}

struct session *live_session(const struct live *l, uint16_t cluster)
{
	return cluster < l->nclusters ? l->clusters[cluster].session : NULL;
}

void live_record(struct live *l, struct recorder *r)
{
	l->recorder = r;
}
