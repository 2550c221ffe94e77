/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/auth/credential.h"

#include "kube/auth/exec_plugin.h"
#include "kube/auth/oidc.h"
#include "kube/base/alloc.h"
#include "kube/base/crypto.h"
#include "kube/base/file.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "kube/config/header.h"
#include "kube/config/pem.h"

#include <stdio.h>

/* token files are read again at this interval: a minute, less ten seconds (client-go/transport/token_source.go) */
#define TOKEN_FILE_AGE SECONDS(50)
/* certificate files are read again at this interval: certificates are renewed every few hours */
#define PEM_FILE_AGE SECONDS(60)
#define FILE_RETRY SECONDS(1)
/* a plugin runs at most that often, even when its credentials are refused */
#define RUN_FLOOR SECONDS(1)
/* the wait after an early refresh that failed */
#define RUN_RETRY SECONDS(10)
/* a credential is refreshed that long before it expires, if it lives long enough for that */
#define REFRESH_AHEAD SECONDS(45)
#define REFRESH_LIFETIME SECONDS(60)
/*
 * the interval at which a child is checked: it may end without closing its output, or close its output without ending
 */
#define CHILD_POLL 250
#define CHILD_POLL_AT_END 10

struct credential {
	const struct client_config *config;
	bool interactive;
	enum credential_state state;
	struct err err;			/* of the last run of the plugin, or of the token file */
	struct buf token, cert, key, ca;
	struct buf roots;	/* the certificates of the certificate authorities */
	int64_t token_next, pem_next;	/* when the files are read again */
	struct child *child;
	bool have;			/* there is a credential of a plugin (or of oidc) that was not refused */
	/* since when there is no valid credential and a plugin runs; 0: that is not so */
	int64_t waited_since;
	int64_t ended, fetched;		/* when the last run ended, and when the last successful run ended; 0: never */
	int64_t expires, refresh_at;	/* 0: never */
	int64_t poll_at;		/* when the child is checked */
	uint32_t generation, serial;
	char notice[256];
};

static void set_buf(struct buf *b, struct str s)
{
	buf_reset(b);
	buf_add(b, s);
}

static bool uses_plugin(const struct credential *c)
{
	return !str_empty(c->config->exec.command);
}

/* When no certificate in it is valid, libcurl gets the text as it is and says what is wrong. */
static void set_ca(struct credential *c, struct str pem)
{
	struct buf good = { 0 };

	pem_add_certificates(&good, pem);
	set_buf(&c->ca, pem);
	set_buf(&c->roots, good.len ? buf_str(&good) : pem);
	buf_release(&good);
}

/* Returns true when the credential comes from outside of the kubeconfig, so that it may change. */
static bool is_dynamic(const struct credential *c)
{
	return uses_plugin(c) || c->config->oidc.used;
}

struct credential *credential_new(const struct client_config *config, bool interactive)
{
	struct credential *c = xcalloc(1, sizeof(*c));

	c->config = config;
	c->interactive = interactive;
	c->generation = 1;
	set_buf(&c->token, config->token);
	set_buf(&c->cert, config->cert_pem);
	set_buf(&c->key, config->key_pem);
	set_ca(c, config->ca_pem);
	c->state = is_dynamic(c) ? CREDENTIAL_RUNNING : CREDENTIAL_READY;
	return c;
}

void credential_free(struct credential *c)
{
	if (!c)
		return;
	child_free(c->child);
	file_wipe(&c->token);
	file_wipe(&c->cert);
	file_wipe(&c->key);
	buf_release(&c->ca);
	buf_release(&c->roots);
	xfree(c);
}

void credential_set_interactive(struct credential *c, bool interactive)
{
	c->interactive = interactive;
}

static int check_token(struct str token, struct err *err)
{
	if (header_value_ok(token))
		return 0;
	err_set(err, ERR_AUTH, "net/http: invalid header field value for \"Authorization\"");
	return err_hint(err, "the token holds a line end or another control character");
}

/* ---- files ---------------------------------------------------------------- */

static int read_token(const struct credential *c, struct buf *out, struct err *err)
{
	struct str path = c->config->token_file;
	struct buf text = BUF_MAX(LIMIT_TOKEN);
	int result;

	result = file_read(path, &text, NULL, err);
	if (result < 0)
		err_context(err, "failed to read token file \"" STR_FMT "\"", STR_ARG(path));
	else if (str_empty(str_trim(buf_str(&text))))
		result = err_set(err, ERR_AUTH, "read empty token from file \"" STR_FMT "\"",
				 STR_ARG(path));
	else
		result = check_token(str_trim(buf_str(&text)), err);
	if (result == 0)
		set_buf(out, str_trim(buf_str(&text)));
	else if (err)
		err->code = ERR_AUTH;
	file_wipe(&text);
	return result;
}

/*
 * Reads the token file; returns true when the token has changed.  When the file cannot be read, the last valid token
 * stays.
 */
static bool refresh_token(struct credential *c, int64_t now)
{
	struct buf token = { 0 };
	struct err why = { 0 };
	bool changed = false;

	c->token_next = now + TOKEN_FILE_AGE;
	if (read_token(c, &token, &why) == 0) {
		changed = !str_eq(buf_str(&token), buf_str(&c->token));
		set_buf(&c->token, buf_str(&token));
		c->notice[0] = '\0';
		c->err = (struct err){ 0 };
	} else {
		c->token_next = now + FILE_RETRY;
		c->err = why;
		if (c->token.len)
			snprintf(c->notice, sizeof(c->notice), "%.200s; the last token is used",
				 why.msg);
	}
	file_wipe(&token);
	return changed;
}

/* Reads the content of the file; where that cannot be read, as while it is being replaced, the last known content stays. */
static void read_pem(struct str path, const struct buf *known, struct buf *out)
{
	struct buf text = BUF_MAX(LIMIT_ENVELOPE);

	if (str_empty(path) || file_read(path, &text, NULL, NULL) < 0)
		set_buf(out, buf_str(known));
	else
		set_buf(out, buf_str(&text));
	file_wipe(&text);
}

/* Takes over what has changed; returns true when something has. */
static bool take_pair(struct credential *c, struct str cert, struct str key)
{
	if (str_eq(cert, buf_str(&c->cert)) && str_eq(key, buf_str(&c->key)))
		return false;
	set_buf(&c->cert, cert);
	set_buf(&c->key, key);
	c->generation++;
	return true;
}

static bool refresh_pem(struct credential *c, int64_t now)
{
	struct buf cert = { 0 }, key = { 0 }, ca = { 0 };
	bool changed = false;

	c->pem_next = now + PEM_FILE_AGE;
	read_pem(c->config->cert_file, &c->cert, &cert);
	read_pem(c->config->key_file, &c->key, &key);
	read_pem(c->config->ca_file, &c->ca, &ca);
	if (cert.len && pem_check_pair(buf_str(&cert), buf_str(&key), NULL) == 0)
		changed = take_pair(c, buf_str(&cert), buf_str(&key));
	if (ca.len && !str_eq(buf_str(&ca), buf_str(&c->ca)) &&
	    pem_check_ca(buf_str(&ca), NULL) == 0) {
		set_ca(c, buf_str(&ca));
		c->generation++;
	}
	file_wipe(&cert);
	file_wipe(&key);
	buf_release(&ca);
	return changed;
}

static bool has_pem_files(const struct credential *c)
{
	return !str_empty(c->config->cert_file) || !str_empty(c->config->ca_file);
}

/* This is also true when the clock was set back. */
static bool is_due(int64_t next, int64_t age, int64_t now)
{
	return now >= next || next - now > age;
}

static void refresh_files(struct credential *c, int64_t now)
{
	if (!str_empty(c->config->token_file) && is_due(c->token_next, TOKEN_FILE_AGE, now))
		refresh_token(c, now);
	/* config_load() has just read them before the first request */
	if (has_pem_files(c) && c->pem_next == 0)
		c->pem_next = now + PEM_FILE_AGE;
	if (has_pem_files(c) && is_due(c->pem_next, PEM_FILE_AGE, now))
		refresh_pem(c, now);
}

/* ---- plugins --------------------------------------------------------------- */

static bool just(int64_t then, int64_t now)
{
	return then && now >= then && now - then < RUN_FLOOR;
}

static void failed(struct credential *c, int64_t now)
{
	c->ended = now;
	if (c->err.code == ERR_NONE)
		c->err.code = ERR_AUTH;
	if (uses_plugin(c))
		err_context(&c->err, "getting credentials");
	if (c->refresh_at)
		c->refresh_at = now + RUN_RETRY;
}

static void accepted(struct credential *c, int64_t expires, int64_t now)
{
	int64_t lifetime = expires - now;
	int64_t ahead = lifetime < 2 * REFRESH_AHEAD ? lifetime / 2 : REFRESH_AHEAD;

	c->have = true;
	c->serial++;
	c->ended = c->fetched = now;
	c->expires = expires;
	c->refresh_at = 0;
	c->err = (struct err){ 0 };
	c->notice[0] = '\0';
	if (expires && expires <= now)
		snprintf(c->notice, sizeof(c->notice),
			 "the credential plugin returns expired credentials");
	else if (expires && lifetime >= REFRESH_LIFETIME)
		c->refresh_at = expires - ahead;
}

static int take_plugin_result(struct credential *c, struct arena *arena, int64_t now)
{
	struct exec_credential got = { 0 };

	if (exec_plugin_result(c->config, c->child, arena, &got, &c->err) < 0 ||
	    check_token(got.token, &c->err) < 0)
		return -1;
	set_buf(&c->token, got.token);
	take_pair(c, got.cert_pem, got.key_pem);
	accepted(c, got.expires, now);
	return 0;
}

static int take_id_token(struct credential *c, struct str token, int64_t now)
{
	int64_t expires;

	if (str_empty(token))
		return err_set(&c->err, ERR_AUTH,
			       "No valid id-token, and cannot refresh without refresh-token");
	if (oidc_expiry(token, &expires, &c->err) < 0 || check_token(token, &c->err) < 0)
		return -1;
	if (expires <= now)
		return err_set(&c->err, ERR_AUTH, "the id-token has expired");
	set_buf(&c->token, token);
	accepted(c, expires, now);
	/* kubectl would not refresh it early either */
	c->refresh_at = 0;
	return 0;
}

static int take_reloaded(struct credential *c, struct arena *arena, int64_t now)
{
	struct str said = utf8_spelled(arena, str_trim(child_result(c->child).err)), token;

	if (oidc_reload(c->config, arena, &token, &c->err) < 0)
		return -1;
	if (take_id_token(c, token, now) == 0)
		return 0;
	err_set(&c->err, ERR_AUTH, "the id-token has expired, and kubectl did not refresh it");
	if (str_empty(said))
		said = STR("log in again");
	return err_hint(&c->err, STR_FMT, STR_ARG(said));
}

static void end_run(struct credential *c, int64_t now)
{
	struct arena arena = { 0 };
	int result;

	if (uses_plugin(c))
		result = take_plugin_result(c, &arena, now);
	else
		result = take_reloaded(c, &arena, now);
	if (result < 0)
		failed(c, now);
	child_free(c->child);
	c->child = NULL;
	arena_release(&arena);
}

/* The token of the kubeconfig is used while it is valid; later tokens come from kubectl. */
static int begin_oidc(struct credential *c, int64_t now)
{
	struct str token = c->config->oidc.id_token;
	int64_t expires = 0;

	if (c->ended == 0 && !str_empty(token)) {
		if (oidc_expiry(token, &expires, &c->err) < 0)
			return -1;
		if (expires > now)
			return take_id_token(c, token, now);
	}
	return oidc_refresh(c->config, &c->child, &c->err);
}

static void begin_run(struct credential *c, int64_t now)
{
	int result;

	if (just(c->ended, now))
		return;
	if (uses_plugin(c))
		result = exec_plugin_start(c->config, c->interactive, &c->child, &c->err);
	else
		result = begin_oidc(c, now);
	if (result < 0)
		failed(c, now);
	else
		c->poll_at = now + CHILD_POLL;
}

/* ---- together -------------------------------------------------------------- */

/* A credential that was just fetched is used once, even when it has expired, as kubectl does. */
static bool is_valid(const struct credential *c, int64_t now)
{
	if (!is_dynamic(c))
		return str_empty(c->config->token_file) || c->token.len;
	return c->have && (c->expires == 0 || now < c->expires || just(c->fetched, now));
}

static enum credential_state settle(struct credential *c, int64_t now)
{
	struct err why = { 0 };

	if (is_valid(c, now))
		c->state = CREDENTIAL_READY;
	else if (c->child || c->err.code == ERR_NONE)
		c->state = CREDENTIAL_RUNNING;
	else
		c->state = CREDENTIAL_FAILED;
	if (!is_dynamic(c) && c->state == CREDENTIAL_READY &&
	    check_token(buf_str(&c->token), &why) < 0) {
		c->err = why;
		c->state = CREDENTIAL_FAILED;
	}
	if (c->state != CREDENTIAL_RUNNING || !c->child)
		c->waited_since = 0;
	else if (!c->waited_since || c->waited_since > now)
		c->waited_since = now;
	return c->state;
}

enum credential_state credential_start(struct credential *c, int64_t now)
{
	refresh_files(c, now);
	if (is_dynamic(c) && !c->child && !is_valid(c, now))
		begin_run(c, now);
	return settle(c, now);
}

enum credential_state credential_run(struct credential *c, int64_t now)
{
	refresh_files(c, now);
	if (c->child && child_run(c->child))
		end_run(c, now);
	else if (c->child)
		c->poll_at = now + (child_fd(c->child) < 0 ? CHILD_POLL_AT_END : CHILD_POLL);
	else if (c->refresh_at && now >= c->refresh_at)
		begin_run(c, now);
	return settle(c, now);
}

uint32_t credential_serial(const struct credential *c)
{
	return c->serial;
}

bool credential_rejected(struct credential *c, uint32_t serial, int64_t now)
{
	bool retry = false;

	if (!is_dynamic(c)) {
		if (!str_empty(c->config->token_file))
			retry |= refresh_token(c, now);
		if (!str_empty(c->config->cert_file))
			retry |= refresh_pem(c, now);
		return retry && settle(c, now) == CREDENTIAL_READY;
	}
	if (c->config->oidc.used)
		return false;
	/*
	 * several requests may be refused at once: one run of the plugin serves all of them, and there is at most one a
	 * second
	 */
	if (serial == c->serial && !c->child && c->state != CREDENTIAL_FAILED) {
		c->have = false;
		begin_run(c, now);
	}
	return settle(c, now) != CREDENTIAL_FAILED;
}

enum credential_state credential_state(const struct credential *c)
{
	return c->state;
}

int64_t credential_waited_since(const struct credential *c)
{
	return c->waited_since;
}

const struct err *credential_error(const struct credential *c)
{
	return c->state == CREDENTIAL_FAILED ? &c->err : NULL;
}

int credential_fd(const struct credential *c)
{
	return c->child ? child_fd(c->child) : -1;
}

int64_t credential_deadline(const struct credential *c)
{
	if (c->child)
		return c->poll_at;
	return c->state == CREDENTIAL_RUNNING && c->ended ? c->ended + RUN_FLOOR : c->refresh_at;
}

void credential_authorization(const struct credential *c, struct buf *out)
{
	const struct client_config *config = c->config;
	struct buf pair = { 0 };

	if (c->token.len) {
		buf_add_cstr(out, "Bearer ");
		buf_add(out, buf_str(&c->token));
	} else if (!str_empty(config->username) || !str_empty(config->password)) {
		buf_printf(&pair, STR_FMT ":" STR_FMT, STR_ARG(config->username),
			   STR_ARG(config->password));
		buf_add_cstr(out, "Basic ");
		base64_add(out, buf_str(&pair));
		file_wipe(&pair);
	}
}

struct str credential_cert(const struct credential *c)
{
	return buf_str(&c->cert);
}

struct str credential_key(const struct credential *c)
{
	return buf_str(&c->key);
}

struct str credential_ca(const struct credential *c)
{
	return buf_str(&c->roots);
}

uint32_t credential_generation(const struct credential *c)
{
	return c->generation;
}

const char *credential_notice(const struct credential *c)
{
	return c->notice;
}

/* ---- in whose name requests are made (client-go/transport/round_trippers.go) --- */

void credential_headers(const struct client_config *config, struct arena *arena,
			void (*header)(void *ctx, struct str line), void *ctx)
{
	const struct impersonation *as = &config->as;

	if (str_empty(as->user))
		return;
	header(ctx, arena_printf(arena, "Impersonate-User: " STR_FMT, STR_ARG(as->user)));
	if (!str_empty(as->uid))
		header(ctx, arena_printf(arena, "Impersonate-Uid: " STR_FMT, STR_ARG(as->uid)));
	for (size_t i = 0; i < as->groups.n; i++)
		header(ctx, arena_printf(arena, "Impersonate-Group: " STR_FMT,
					 STR_ARG(as->groups.at[i])));
	for (size_t i = 0; i < as->extra.n; i++) {
		struct buf name = { 0 };

		header_add_extra(&name, as->extra.at[i].name);
		header(ctx, arena_printf(arena, "%s: " STR_FMT, buf_cstr(&name),
					 STR_ARG(as->extra.at[i].value)));
		buf_release(&name);
	}
}
