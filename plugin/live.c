/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/live.h"

#include "kube/base/alloc.h"
#include "kube/base/child.h"
#include "kube/base/limits.h"
#include "kube/base/redact.h"
#include "kube/base/system.h"
#include "kube/base/time.h"
#include "plugin/clock.h"
#include "plugin/outage.h"
#include "plugin/output/openmetrics.h"
#include "plugin/program.h"
#include "plugin/record/latest.h"
#include "plugin/record/record.h"
#include "plugin/usage_reader.h"

#include <unistd.h>

/*
 * How long a cluster that does not answer delays the other clusters: while watching, and when the program prints
 * once.
 */
#define SLOW_CLUSTER SECONDS(3)
#define SLOW_CLUSTER_ONCE SECONDS(10)

struct cluster {
	struct client_config config;
	struct session *session;
	struct err why;		/* why the session last lost its connection or failed */
	struct err partial;	/* why the last discovery failed or was incomplete */
};

enum { ARRIVED = 64 };

struct live {
	struct live_options o;
	struct http *http;
	struct arena arena;
	struct cluster *clusters;
	size_t nclusters;
	struct feeds *feeds;
	struct recorder *recorder;
	struct flight *flight;
	/* what is used of pods and nodes, and of claims; NULL: no column shows it */
	struct usage_reader *usage, *claims;
	struct latest *latest;	/* the states that keyframes are written from, borrowed; NULL: there are no keyframes */
	struct buf text;	/* the text of an object as it is recorded */
	struct handle looked_at;	/* the object that clusters_touched() was last called with */
	bool touched;
	/* the objects that clusters_arrived() returns; a ring, in which newer ones replace the oldest */
	struct handle arrived[ARRIVED];
	size_t narrived;
	const struct str *contexts;
	size_t ncontexts;
	bool record_failed;	/* a failed recording was reported */
	bool started;		/* live_start() opened the lists */
	enum { CONNECT_BEGINS, CONNECT_DISCOVERS, CONNECT_DISCOVERS_ANEW } connecting;
	int64_t asked_at;	/* when the running discovery began, ms */
	int64_t loaded;		/* when the first lists were complete, ms; 0: they are not */
	struct outage outage;
	int64_t outage_at;	/* when report_outage() is called again without an event, ms; 0: not before an event */
	int64_t metrics_at;	/* when the metrics beside the flight recorder are written again, ms */
	struct err fatal;
	struct buf names, lost;	/* the texts that live_context() and lost_contexts() return */
};

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

/*
 * Returns how many watches one cluster may have over HTTP/1.1, where each watch takes a connection of its own: the
 * cluster's share of the files that the system lets this program open.
 */
static unsigned watches_http1(const struct live *l)
{
	enum { OTHERS = 64 };
	/* Half of the files stay free, because another context may be opened beside these. */
	int each = (system_allow_files(LIMIT_FILES) - OTHERS) / 2 / (int)l->nclusters - LIMIT_REQUESTS_HTTP1;

	return each < 1 ? 1 : each < LIMIT_WATCHES_HTTP1 ? (unsigned)each : LIMIT_WATCHES_HTTP1;
}

/* Returns true when the credential plugin of a cluster may use the terminal. */
static bool may_use_terminal(const struct live *l, const struct cluster *c)
{
	bool asks = !str_is(c->config.exec.interactive_mode, "Never") && system_has_terminal(STDIN_FILENO);

	return l->o.interactive && c->config.exec.command.len && (asks || !l->o.screen);
}

static void open_cluster(struct live *l, uint16_t index, const char *cache)
{
	struct cluster *c = &l->clusters[index];
	struct session_options so = {
		.cluster = index,
		.cache_dir = cache,
		.request_timeout = l->o.options->request_timeout_ms,
		.interactive = may_use_terminal(l, c),
		.once = l->o.once,
		.user_agent = "kubectl-status/v" VERSION,
		.watches_http1 = watches_http1(l),
		.now = clock_now(),
	};

	c->session = session_new(l->http, &c->config, &l->o.world->kinds, &so, &feeds_session_ops,
				 feeds_session_ctx(l->feeds, index));
	feeds_session(l->feeds, index, c->session, c->config.context, c->config.namespace);
	if (l->nclusters > 1)
		graph_name_cluster(l->o.world->graph, index, c->config.context);
}

/* Returns the names in --contexts, each once; without the flag one empty name, which means the current context. */
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

/* ---- callbacks of the feeds ---------------------------------------------- */

static bool on_selects(void *ctx, struct handle h)
{
	const struct live *l = ctx;

	return query_selects(l->o.query, l->o.world, h);
}

enum { RECORDERS = 2 };

/* Fills out with the recorder of --record and that of --flight, of which there are as many as it returns. */
static size_t recorders(const struct live *l, struct recorder *out[RECORDERS])
{
	struct recorder *flight = flight_recorder(l->flight);
	size_t n = 0;

	if (l->recorder)
		out[n++] = l->recorder;
	if (flight)
		out[n++] = flight;
	return n;
}

/* Keeps the text of an object that was recorded, for the states that keyframes are written from. */
static void keep_latest(struct live *l, const struct object_id *id, struct handle h)
{
	struct buf text = { 0 };

	if (!h.slot) {
		latest_drop(l->latest, store_find_node(l->o.world->store, id));
		return;
	}
	BUF_JOIN(&text, STR("{\"object\":"), buf_str(&l->text), STR("}"));
	latest_put(l->latest, h, id->kind->id, buf_str(&text), 0);
	buf_release(&text);
}

static void on_event(void *ctx, enum change change, uint16_t cluster, const struct kind *kind, struct json object)
{
	enum recorded_as what = change == CHANGE_UPDATED ? RECORDED_MODIFIED : RECORDED_ADDED;
	struct object_id id = { cluster, kind, json_str(object, "metadata.namespace"), json_str(object, "metadata.name") };
	struct live *l = ctx;
	struct recorder *to[RECORDERS];
	size_t n = recorders(l, to);
	struct recorder *flight = flight_recorder(l->flight);
	struct buf again = { 0 };	/* what a segment has of an object whose uid it has told before */
	struct handle h;
	int64_t judged;

	if (!n)
		return;
	h = store_find(l->o.world->store, &id);
	buf_reset(&l->text);
	record_object(object, kind, &l->text);
	if (change == CHANGE_REMOVED)
		what = store_was_deselected(l->o.world->store, store_find_node(l->o.world->store, &id)) ? RECORDED_DESELECTED : RECORDED_DELETED;
	else if (l->loaded && store_is_met(l->o.world->store, h))
		what = RECORDED_MET;	/* it is read with others because the user looks at it only now */
	if (flight && what == RECORDED_MODIFIED && l->latest && latest_has(l->latest, h, &judged))
		record_without_uid(buf_str(&l->text), json_str(object, "metadata.uid"), &again);
	for (size_t i = 0; i < n; i++)
		recorder_write(to[i], l->o.world->now, what, cluster, buf_str(again.len && to[i] == flight ? &again : &l->text));
	buf_release(&again);
	if (l->latest)
		keep_latest(l, &id, h);
}

static void on_coverage(void *ctx, const struct object_id *id, enum coverage coverage)
{
	const struct live *l = ctx;
	struct recorder *to[RECORDERS];
	size_t n = recorders(l, to);

	for (size_t i = 0; i < n; i++)
		recorder_write_coverage(to[i], l->o.world->now, id, coverage);
}

/* Records that nobody looks at the object any more, if that is so. */
static void record_let_go(const struct live *l, struct handle h)
{
	struct object_id id = store_node_id(l->o.world->store, h.slot);
	struct recorder *to[RECORDERS];
	size_t n = recorders(l, to);

	for (size_t i = 0; i < n && store_was_let_go(l->o.world->store, h.slot); i++)
		recorder_write_let_go(to[i], l->o.world->now, &id);
}

static void on_seen(void *ctx, struct handle h, struct json object)
{
	const struct live *l = ctx;

	if (!json_is_object(object))
		record_let_go(l, h);
	else if (query_note(l->o.query, h, object, l->o.world->now))
		store_touch(l->o.world->store, h);
	if (l->o.changelog)
		changelog_note(l->o.changelog, l->o.world, h, object);
}

/* Notes that an object was received, for clusters_touched() and clusters_arrived(). */
static void on_touched(void *ctx, struct handle h)
{
	struct live *l = ctx;

	if (h.slot && handle_eq(h, l->looked_at))
		l->touched = true;
	if (h.slot)
		l->arrived[l->narrived++ % ARRIVED] = h;
}

static bool clusters_arrived(const struct program *p, struct handle *out)
{
	struct live *l = p->live;

	if (l->narrived > ARRIVED)
		l->narrived = ARRIVED;
	if (l->narrived == 0)
		return false;
	*out = l->arrived[--l->narrived];
	return true;
}

static bool clusters_touched(const struct program *p, struct handle looked_at)
{
	struct live *l = p->live;
	bool touched = l->touched && handle_eq(l->looked_at, looked_at);

	l->looked_at = looked_at;
	l->touched = false;
	return touched;
}

static const struct str *clusters_choices(const struct program *p, size_t *out_n)
{
	struct live *l = p->live;
	struct config_flags flags = flags_of(l->o.options);
	struct err err;

	if (!l->contexts && config_names(&flags, CONFIG_CONTEXTS, &l->arena, &l->contexts, &l->ncontexts, &err) < 0)
		l->ncontexts = 0;
	*out_n = l->ncontexts;
	return l->contexts;
}

/*
 * Records the removal of an object that disappeared while it was not watched.  Its last state is unknown, so only its
 * name and namespace are recorded.
 */
static void on_vanished(void *ctx, const struct object_id *id)
{
	const struct live *l = ctx;
	struct recorder *to[RECORDERS];
	size_t n = recorders(l, to);
	uint32_t slot = store_find_node(l->o.world->store, id);

	for (size_t i = 0; i < n; i++)
		recorder_write_gone(to[i], l->o.world->now, id, store_was_deselected(l->o.world->store, slot));
	if (l->latest)
		latest_drop(l->latest, slot);
}

static void on_notice(void *ctx, const char *kind, struct str resource, struct str ns, struct str message)
{
	const struct live *l = ctx;
	size_t before = l->o.world->nnotices;

	world_notice(l->o.world, (struct notice){ .kind = str_of(kind), .resource = resource, .ns = ns, .message = message });
	if (l->o.say && str_is(str_of(kind), "throttled") && l->o.world->nnotices > before) {
		struct arena arena = { 0 };

		l->o.say(arena_printf(&arena, "Warning: " STR_FMT, STR_ARG(message)));
		arena_release(&arena);
	}
}

static void on_notice_over(void *ctx, const char *kind, struct str resource, struct str ns, struct str message)
{
	const struct live *l = ctx;

	world_unnotice(l->o.world, (struct notice){ .kind = str_of(kind), .resource = resource, .ns = ns, .message = message });
}

static void on_discovered(void *ctx, uint16_t cluster, const struct err *partial)
{
	const struct live *l = ctx;

	l->clusters[cluster].partial = partial ? *partial : (struct err){ 0 };
}

/* Replaces the notice that one of several clusters does not answer, which says why; removes it when why is NULL. */
static void note_unreachable(struct live *l, const struct cluster *c, const char *why)
{
	struct arena a = { 0 };
	struct notice n = { .kind = STR("unavailable"), .resource = c->config.context };

	world_unnotice(l->o.world, n);
	if (why) {
		n.message = arena_printf(&a, STR_FMT ": %s", STR_ARG(c->config.context), why);
		world_notice(l->o.world, n);
	}
	arena_release(&a);
}

static void on_session(void *ctx, uint16_t cluster, enum session_state state, const struct err *why)
{
	struct live *l = ctx;
	struct cluster *c = &l->clusters[cluster];

	if (l->nclusters > 1 && state == SESSION_LIVE)
		note_unreachable(l, c, NULL);
	if (state == SESSION_LIVE || state == SESSION_CONNECTING || !why)
		return;
	c->why = *why;
	if (l->nclusters > 1)
		note_unreachable(l, c, why->msg);
	/*
	 * Whoever prints once, or has not seen the first discovery, cannot wait for a better state: the run ends with
	 * this error.
	 */
	else if (l->fatal.code == ERR_NONE && (state == SESSION_FAILED || l->o.once || !feeds_discovered(l->feeds, cluster)))
		l->fatal = *why;
}

static const struct feeds_ops feeds_ops = {
	.selects = on_selects,
	.shows = query_shown_kind,
	.event = on_event,
	.touched = on_touched,
	.seen = on_seen,
	.vanished = on_vanished,
	.notice = on_notice,
	.notice_over = on_notice_over,
	.discovered = on_discovered,
	.session_changed = on_session,
};

static void open_feeds(struct live *l)
{
	struct world *w = l->o.world;
	struct feeds_options oo = {
		.kinds = &w->kinds,
		.store = w->store,
		.engine = w->engine,
		.graph = w->graph,
		.api = &feeds_sessions,
		.ops = &feeds_ops,
		.ctx = l,
		.clusters = l->nclusters,
		.once = l->o.once,
		.now = clock_now(),
		.as_of = l->o.options->as_of ? w->now : 0,
	};

	l->feeds = feeds_new(&oo);
	store_listen_coverage(w->store, on_coverage, l);
}

/* ---- life ---------------------------------------------------------------- */

static int load_clusters(struct live *l, struct err *err)
{
	struct config_flags flags = flags_of(l->o.options);
	const char *cache = options_cache_dir(l->o.options, &l->arena);
	const struct config_file *file;
	const struct str *names;
	size_t n;

	if ((l->o.options->all_contexts ? config_names(&flags, CONFIG_CONTEXTS, &l->arena, &names, &n, err) : named_contexts(l, &names, &n, err)) < 0 ||
	    !(file = config_read(&flags, &l->arena, err)))
		return -1;
	if (n == 0)
		return err_set(err, ERR_INPUT, "the kubeconfig has no contexts");
	l->clusters = xcalloc(n, sizeof(*l->clusters));
	l->nclusters = n;
	open_feeds(l);
	for (size_t i = 0; i < n; i++) {
		if (names[i].len)
			flags.context = arena_str(&l->arena, names[i]).ptr;
		if (config_load_from(file, &flags, &l->arena, &l->clusters[i].config, err) < 0)
			return -1;
		open_cluster(l, (uint16_t)i, cache);
	}
	return 0;
}

/*
 * Tells the graph which --context the commands that it suggests must name, and whether it is the current one, which
 * the user's own kubectl chooses without a flag.
 */
void live_name_target(struct live *l, struct graph *g)
{
	const struct options *o = l->o.options;
	struct config_flags flags = { .kubeconfig = o->kubeconfig };
	struct client_config current = { 0 };
	struct str context = l->clusters[0].config.context;
	bool other = o->context && (config_load(&flags, &l->arena, &current, &(struct err){ 0 }) < 0 ||
				    !str_eq(current.context, context));

	graph_name_target(g, l->nclusters == 1 ? context : STR_NONE, !other, str_of(o->kubeconfig));
}

static void open_usage(struct live *l)
{
	struct usage_cluster *clusters = arena_array(&l->arena, l->nclusters, sizeof(*clusters));
	struct usage_reader_options o;

	for (size_t i = 0; i < l->nclusters; i++)
		clusters[i] = (struct usage_cluster){ l->clusters[i].session, l->nclusters > 1 ? l->clusters[i].config.context : STR_NONE };
	o = (struct usage_reader_options){ clusters, l->nclusters, l->o.world, l->o.query, l->o.once, .of_claims = false };
	if (options_show_use(l->o.options, "mem") || options_show_use(l->o.options, "cpu"))
		l->usage = usage_reader_new(&o);
	o.of_claims = true;
	if (options_show_use(l->o.options, "used"))
		l->claims = usage_reader_new(&o);
}

struct live *live_new(const struct live_options *options, struct err *err)
{
	struct live *l = xcalloc(1, sizeof(*l));

	l->o = *options;
	l->http = options->http ? options->http : http_new();
	if (options->log)
		http_log(l->http, options->options->verbosity, options->log, NULL);
	if (load_clusters(l, err) == 0) {
		live_name_target(l, l->o.world->graph);
		l->o.query->ns = options->options->all_namespaces ? STR_NONE : l->clusters[0].config.namespace;
		open_usage(l);
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
	if (l->feeds)
		store_listen_coverage(l->o.world->store, NULL, NULL);
	feeds_free(l->feeds);
	usage_reader_free(l->usage);
	usage_reader_free(l->claims);
	if (!l->o.http)
		http_free(l->http);
	arena_release(&l->arena);
	buf_release(&l->names);
	buf_release(&l->lost);
	buf_release(&l->text);
	xfree(l->clusters);
	xfree(l);
}

/* ---- turns --------------------------------------------------------------- */

/* Reports once, as soon as it happens, that the recording can no longer be written. */
static void report_record_failed(struct live *l)
{
	struct arena arena = { 0 };
	struct err err;

	if (l->record_failed || !(recorder_failed(l->recorder, &err) || flight_failed(l->flight, &err)))
		return;
	l->record_failed = true;
	world_notice(l->o.world, (struct notice){ .kind = STR("recording"), .message = str_of(err.msg) });
	if (l->o.say)
		l->o.say(arena_printf(&arena, "Warning: %s", err.msg));
	arena_release(&arena);
}

/* Which nodes are asked about claims, the claims and their pods tell. */
static struct usage_reader *claims_reader(const struct live *l)
{
	return l->started && feeds_settled(l->feeds) ? l->claims : NULL;
}

int64_t live_deadline(const struct live *l)
{
	int64_t usage = time_earlier(l->started ? usage_reader_deadline(l->usage) : 0, usage_reader_deadline(claims_reader(l)));
	int64_t flush = time_earlier(recorder_deadline(l->recorder), recorder_deadline(flight_recorder(l->flight)));

	return time_earlier(time_earlier(time_earlier(feeds_deadline(l->feeds), usage), flush),
			    time_earlier(l->outage_at, l->flight ? l->metrics_at : 0));
}

void live_wait(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms)
{
	int64_t deadline = live_deadline(l), now = clock_now();

	if (deadline) {
		int64_t left = deadline > now ? deadline - now : 0;

		timeout_ms = timeout_ms < 0 || left < timeout_ms ? left : timeout_ms;
	}
	http_wait(l->http, fds, nfds, timeout_ms);
}

static void note_loaded(struct live *l, int64_t now)
{
	struct recorder *to[RECORDERS];
	size_t n = recorders(l, to);

	if (l->loaded || !l->started || !feeds_settled(l->feeds))
		return;
	l->loaded = now;
	for (size_t i = 0; i < n; i++)
		recorder_write_loaded(to[i], now);
}

static bool is_lost(const struct live *l, const struct cluster *c)
{
	enum session_state state = c->session ? session_state(c->session) : SESSION_CONNECTING;

	return state != SESSION_LIVE && (state != SESSION_CONNECTING || l->started);
}

static bool is_any_connected(const struct live *l)
{
	bool connected = false;

	for (size_t i = 0; i < l->nclusters; i++)
		connected |= !is_lost(l, &l->clusters[i]);
	return connected;
}

static void run_recorders(struct live *l, int64_t now)
{
	struct recorder *to[RECORDERS];
	size_t n = recorders(l, to);

	for (size_t i = 0; i < n; i++) {
		if (!l->o.options->as_of)	/* with --as-of all records have that moment's time */
			recorder_mark_idle(to[i], now, is_any_connected(l));
		recorder_kinds(to[i], l->o.world);
		if (l->latest)
			recorder_settled(to[i], l->o.world, l->latest);
		recorder_run(to[i], now);
	}
	flight_settled(l->flight, l->o.world);
	if (l->flight && l->loaded && now >= l->metrics_at && !l->o.options->as_of) {
		openmetrics_file(l->o.options->flight, l->o.world, l->o.query);
		l->metrics_at = now + OPENMETRICS_EVERY;
	}
}

/* Returns the reason why a server refused the credentials; "" when none did. */
static struct str refusal(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++)
		if (session_state(l->clusters[i].session) == SESSION_UNAUTHENTICATED)
			return str_of(l->clusters[i].why.msg);
	return STR_NONE;
}

static int64_t report_outage(struct live *l, int64_t now)
{
	struct connections c = { .watched = live_watches(l), .fresh = feeds_freshness(l->feeds, clock_now()), .facts = feeds_facts(l->feeds), .login = live_login(l),
				 .refusal = refusal(l) };

	return outage_report(&l->outage, &c, now, l->o.say);
}

size_t live_dispatch(struct live *l)
{
	int64_t now = clock_now();
	size_t changed;

	if (!l->o.options->as_of) {
		l->o.world->now = now - 1;	/* a segment that begins here has the state before what happens now */
		flight_clock(l->flight, l->o.world);
		l->o.world->now = now;
	}
	changed = feeds_turn(l->feeds, now);
	if (l->started)
		usage_reader_run(l->usage, now);
	usage_reader_run(claims_reader(l), now);
	note_loaded(l, now);
	child_see_off(now);
	run_recorders(l, now);
	report_record_failed(l);
	l->outage_at = l->o.say ? report_outage(l, now) : 0;
	return changed;
}

/* ---- start --------------------------------------------------------------- */

static bool all_discovered(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++) {
		enum session_state state = session_state(l->clusters[i].session);

		if (!feeds_discovered(l->feeds, (uint16_t)i) && (state == SESSION_CONNECTING || state == SESSION_LIVE))
			return false;
	}
	return true;
}

static bool some_discovered(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++)
		if (feeds_discovered(l->feeds, (uint16_t)i))
			return true;
	return false;
}

/* Returns true when one of several clusters has not answered discovery for so long that the others go on without it. */
static bool goes_on_without(const struct live *l, int64_t began)
{
	return l->nclusters > 1 && some_discovered(l) && clock_now() - began >= (l->o.once ? SLOW_CLUSTER_ONCE : SLOW_CLUSTER);
}

static void ask_discovery(struct live *l, bool cache_is_enough)
{
	l->asked_at = clock_now();
	feeds_discover(l->feeds, cache_is_enough);
}

/* Returns 0 when discovery has ended, 1 when it has not, -1 with err when it failed. */
static int discovery_step(struct live *l, struct err *err)
{
	if (!all_discovered(l) && l->fatal.code == ERR_NONE && !goes_on_without(l, l->asked_at))
		return 1;
	if (l->nclusters > 1)
		for (size_t i = 0; i < l->nclusters; i++) {
			struct cluster *c = &l->clusters[i];

			if (!feeds_discovered(l->feeds, (uint16_t)i) && session_state(c->session) == SESSION_CONNECTING)
				note_unreachable(l, c, "the server did not answer in time");
		}
	if (l->fatal.code == ERR_NONE)
		return 0;
	*err = l->fatal;
	return -1;
}

/*
 * Waits for credential plugins, which may ask the user something before a dashboard takes the terminal; afterwards they
 * may not use the terminal.  Returns 0 when they have ended, 1 when they have not, -1 with err.
 */
static int login_step(struct live *l, struct err *err)
{
	for (size_t i = 0; i < l->nclusters && !l->o.once; i++) {
		struct cluster *c = &l->clusters[i];

		if (c->config.exec.command.len && session_state(c->session) == SESSION_CONNECTING && l->fatal.code == ERR_NONE)
			return 1;
		if (l->nclusters == 1 && c->config.exec.command.len &&
		    session_state(c->session) == SESSION_UNAUTHENTICATED) {
			*err = c->why;
			return -1;
		}
		session_set_interactive(c->session, false);
	}
	return 0;
}

static bool uses_terminal(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++)
		if (may_use_terminal(l, &l->clusters[i]) && session_login_since(l->clusters[i].session))
			return true;
	return false;
}

static void clusters_take_terminal(struct program *p)
{
	for (size_t i = 0; i < p->live->nclusters; i++)
		session_set_interactive(p->live->clusters[i].session, false);
}

/*
 * Sets the error for a type that was not found.  Where discovery failed, nobody knows whether the type exists: then the
 * failure becomes the error, or its hint.  Returns -1.
 */
static int blame_discovery(const struct live *l, struct err *err)
{
	for (size_t i = 0; i < l->nclusters; i++) {
		const struct err *partial = &l->clusters[i].partial;

		if (partial->code == ERR_NONE)
			continue;
		if (str_starts(str_of(partial->msg), "unable to retrieve the complete list")) {
			bool near = str_starts(str_of(err->hint), "did you mean");
			struct err spelled = *err;

			return err_hint(err, "%.80s%s%.160s", near ? spelled.hint : "", near ? " Or: " : "", partial->msg);
		}
		*err = *partial;
		return -1;
	}
	return -1;
}

/*
 * Resolves the arguments.  A type that was not found may be newer than the discovery cache: then discovery is asked once
 * more.  Returns 0; 1 when it is; -1 with err.
 */
static int resolve(struct live *l, struct err *err)
{
	struct err why;

	if (query_init(l->o.query, l->o.options, l->o.world, &why) == 0)
		return 0;
	if (why.code == ERR_NOT_SERVED && l->connecting == CONNECT_DISCOVERS) {
		ask_discovery(l, false);
		l->connecting = CONNECT_DISCOVERS_ANEW;
		return 1;
	}
	*err = why;
	return why.code == ERR_NOT_SERVED ? blame_discovery(l, err) : -1;
}

int live_connect_step(struct live *l, struct err *err)
{
	int result;

	if (l->connecting == CONNECT_BEGINS) {
		ask_discovery(l, l->o.once);
		l->connecting = CONNECT_DISCOVERS;
	}
	result = discovery_step(l, err);
	if (result == 0 && l->connecting == CONNECT_DISCOVERS)
		result = login_step(l, err);
	return result ? result : resolve(l, err);
}

int live_connect(struct live *l, struct err *err)
{
	int result;

	while ((result = live_connect_step(l, err)) == 1) {
		if (l->o.wait && !l->o.wait(l->o.wait_ctx, l))
			return 1;
		if (!l->o.wait)
			live_wait(l, NULL, 0, l->nclusters > 1 ? SECONDS(1) : -1);
		live_dispatch(l);
	}
	return result;
}

int live_answered(const struct live *l, struct err *err)
{
	bool waits = false;

	for (size_t i = 0; i < l->nclusters; i++) {
		enum session_state state = session_state(l->clusters[i].session);

		if (state == SESSION_LIVE)
			return 0;
		waits |= state == SESSION_CONNECTING;
	}
	if (!waits)
		*err = l->clusters[0].why;
	return waits ? 1 : -1;
}

void live_start(struct live *l)
{
	const struct query *q = l->o.query;
	struct feeds_query wanted = {
		.what = q->what.list,
		.n = q->what.n,
		.ns = q->ns,
		.labels = q->labels,
		.fields = q->fields,
		.names_only = l->o.options->format == FORMAT_NAME,
		/* a stream of changes does not wait for what it would seldom print */
		.pods_of_claims = l->claims != NULL,
		.owners = !l->o.options->watch && !l->o.options->wait_for,
	};

	feeds_ask(l->feeds, &wanted, clock_now());
	l->started = true;
}

static bool is_settled(const struct live *l)
{
	return feeds_settled(l->feeds) && (l->o.screen || !(usage_reader_awaited(l->usage) || usage_reader_awaited(l->claims)));
}

static bool has_failed(const struct live *l, struct err *err)
{
	const struct err *failed;

	if (l->fatal.code != ERR_NONE) {
		*err = l->fatal;
		return true;
	}
	if (!is_settled(l))
		return false;
	failed = feeds_unreadable(l->feeds, NULL, false);
	if (!failed || failed->code == ERR_FORBIDDEN)
		return false;
	*err = *failed;
	return true;
}

int live_settle(struct live *l, struct err *err)
{
	while (!is_settled(l) && l->fatal.code == ERR_NONE) {
		live_wait(l, NULL, 0, -1);
		live_dispatch(l);
	}
	return has_failed(l, err) ? -1 : 0;
}

/* ---- facts --------------------------------------------------------------- */

bool live_watches(const struct live *l)
{
	return l->started && !l->o.once;
}

struct str live_login(const struct live *l)
{
	for (size_t i = 0; i < l->nclusters; i++)
		if (session_login_since(l->clusters[i].session))
			return l->clusters[i].config.exec.command;
	return STR_NONE;
}

const struct str *live_used_contexts(struct live *l, size_t *out_n)
{
	struct str *names = arena_array(&l->arena, l->nclusters, sizeof(*names));

	for (size_t i = 0; i < l->nclusters; i++)
		names[i] = l->clusters[i].config.context;
	*out_n = l->nclusters;
	return names;
}

struct str live_context(struct live *l)
{
	if (l->names.len)
		return buf_str(&l->names);
	for (size_t i = 0; i < l->nclusters; i++)
		buf_printf(&l->names, "%s" STR_FMT, i ? "," : "", STR_ARG(l->clusters[i].config.context));
	return buf_str(&l->names);
}

static struct str lost_contexts(struct live *l)
{
	size_t n = 0;

	buf_reset(&l->lost);
	for (size_t i = 0; i < l->nclusters; i++) {
		const struct cluster *c = &l->clusters[i];

		if (is_lost(l, c))
			buf_printf(&l->lost, "%s" STR_FMT, n++ ? "," : "", STR_ARG(c->config.context));
	}
	return n < l->nclusters ? buf_str(&l->lost) : STR_NONE;
}

struct session *live_session(const struct live *l, uint16_t cluster)
{
	return cluster < l->nclusters ? l->clusters[cluster].session : NULL;
}

void live_record(struct live *l, struct recorder *r, struct flight *f, struct latest *latest)
{
	l->recorder = r;
	l->flight = f;
	l->latest = latest;
}

/* ---- the source: a turn ---------------------------------------------------------- */

static bool clusters_step(struct program *p, int64_t until, const struct source_watch *watch)
{
	(void)until, (void)watch;
	return live_dispatch(p->live) > 0;
}

static void clusters_sleep(const struct program *p, const int *fds, size_t nfds, int64_t timeout_ms)
{
	http_wait(p->live->http, fds, nfds, timeout_ms);
}

static bool clusters_turn(struct program *p, const int *fds, size_t nfds, int64_t timeout_ms)
{
	live_wait(p->live, fds, nfds, timeout_ms);
	return live_dispatch(p->live) > 0;
}

static bool clusters_failed(const struct program *p, struct err *err)
{
	return has_failed(p->live, err);
}

static void clusters_ask(struct program *p)
{
	live_start(p->live);
}

static void clusters_close(struct program *p)
{
	live_free(p->live);
	p->live = NULL;
	p->source = &source_files;
}

/* ---- the source: what is known -------------------------------------------------- */

static enum link link_of(const struct program *p, const struct feeds_facts *f)
{
	switch (f->state) {
	case SESSION_LIVE:
		return live_watches(p->live) ? LINK_LIVE : LINK_CONNECTING;
	case SESSION_CONNECTING:
		return LINK_CONNECTING;
	case SESSION_RECONNECTING:
		return LINK_RECONNECTING;
	case SESSION_UNAUTHENTICATED:
		return LINK_UNAUTHENTICATED;
	case SESSION_FAILED:
		break;
	}
	return LINK_FAILED;
}

static void freshness_header(const struct program *p, struct header *h)
{
	struct feeds_freshness fresh = feeds_freshness(p->live->feeds, clock_now());

	h->kinds_old = fresh.kinds_old;
	h->kinds_polled = fresh.kinds_polled;
	h->kinds_unread = fresh.kinds_unread;
	h->unread = fresh.unread ? fresh.unread->plural : STR_NONE;
	h->old_since = fresh.old_since;
	h->silent_since = fresh.silent_since;
	h->login_since = fresh.login_since;
}

static void clusters_header(struct program *p, struct header *h, struct arena *arena)
{
	struct feeds_facts f = feeds_facts(p->live->feeds);

	h->context = live_context(p->live);
	h->link = link_of(p, &f);
	h->why = f.why.code == ERR_NONE ? STR_NONE : redact_copy(arena, str_of(f.why.msg));
	h->lost = lost_contexts(p->live);
	h->retry_at = f.retry_at;
	h->lists_done = f.lists_done;
	h->lists_total = f.lists_total;
	if (f.lists_done >= f.lists_total)
		p->listed = f.objects;
	h->items = f.objects - p->listed;
	h->remaining = f.remaining;
	freshness_header(p, h);
	h->forbidden = f.forbidden;
	h->narrowed = f.narrowed;
	h->throttled = f.throttled;
	h->requests = http_requests(p->live->http);
	h->last_event = f.last_event;
	if (h->link == LINK_CONNECTING && !p->answered) {
		h->opening = h->context;
		h->opening_since = p->started;
		h->opening_login = live_login(p->live);
	}
	p->answered |= h->link == LINK_LIVE;
}

static struct source_facts clusters_facts(const struct program *p)
{
	struct live *l = p->live;
	struct feeds_facts f = feeds_facts(l->feeds);
	struct feeds_freshness fresh = feeds_freshness(l->feeds, clock_now());
	bool listed = f.lists_total && f.lists_done >= f.lists_total;

	return (struct source_facts){
		.context = live_context(l),
		.lost = lost_contexts(l),
		.screen = JSON_NONE,
		.loaded = l->loaded,
		.deadline = live_deadline(l),
		.speed = p->options.as_of ? 0 : 1,
		.watches = live_watches(l),
		.settled = is_settled(l),
		.logs = true,
		.retries = f.unread > 0,
		.fresh = !live_watches(l) || feeds_is_fresh(&fresh),
		.keeps_past = link_of(p, &f) == LINK_LIVE && listed,
		.uses_terminal = uses_terminal(l),
		.told_record_failed = l->record_failed && l->o.say,
	};
}

static const struct str *clusters_contexts(const struct program *p, struct arena *arena, size_t *out_n)
{
	(void)arena;
	return live_used_contexts(p->live, out_n);
}

static const struct err *clusters_unreadable(const struct program *p, const struct kind *kind, bool anywhere)
{
	return feeds_unreadable(p->live->feeds, kind, anywhere);
}

static struct session *clusters_session(const struct program *p, uint16_t cluster)
{
	return live_session(p->live, cluster);
}

static void clusters_on_screen(const struct program *p, const struct handle *objects, size_t n)
{
	feeds_on_screen(p->live->feeds, objects, n);
}

static bool clusters_use_came(struct program *p, bool shown)
{
	bool came;

	usage_reader_show(p->live->usage, shown);
	usage_reader_show(p->live->claims, shown);
	came = usage_reader_came(p->live->usage);
	return usage_reader_came(p->live->claims) || came;
}

const struct world_source source_clusters = {
	.asks = true,
	.error = "Error from server (NotFound): ",
	.no_namespace = { "Error from server (NotFound): namespaces", " not found" },
	.not_reached = "timed out waiting",
	.step = clusters_step,
	.sleep = clusters_sleep,
	.turn = clusters_turn,
	.failed = clusters_failed,
	.ask = clusters_ask,
	.take_terminal = clusters_take_terminal,
	.close = clusters_close,
	.facts = clusters_facts,
	.header = clusters_header,
	.contexts = clusters_contexts,
	.choices = clusters_choices,
	.unreadable = clusters_unreadable,
	.session = clusters_session,
	.arrived = clusters_arrived,
	.touched = clusters_touched,
	.on_screen = clusters_on_screen,
	.use_came = clusters_use_came,
};
