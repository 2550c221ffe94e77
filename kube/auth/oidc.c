/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/auth/oidc.h"

#include "kube/base/time.h"
#include "kube/base/crypto.h"
#include "kube/base/file.h"
#include "kube/model/document.h"

/* As in kubectl: a token in its last seconds would expire before it arrives. */
#define LEEWAY SECONDS(10)

extern char **environ;

/* Returns the middle part of "a.b.c" in *out; false unless there are exactly three parts. */
static bool payload_of(struct str token, struct str *out)
{
	size_t first = str_find(token, '.'), last = str_rfind(token, '.');

	if (first == token.len || first == last)
		return false;
	*out = (struct str){ token.ptr + first + 1, last - first - 1 };
	return str_find(*out, '.') == out->len;
}

/* The claim exp: seconds since 1970, as any kind of number. */
static int64_t expiry_of(double exp)
{
	const double year_9999 = 253402300799;
	double seconds = exp > 0 ? exp : 0;

	return (int64_t)(seconds < year_9999 ? seconds : year_9999) * 1000 - LEEWAY;
}

int oidc_expiry(struct str token, int64_t *out, struct err *err)
{
	struct buf claims = { 0 };
	struct json doc = JSON_NONE;
	struct str payload;
	int result = 0;

	if (!payload_of(token, &payload) || !base64_url_decode(payload, &claims) ||
	    document_read_verbatim(buf_str(&claims), &doc, NULL) < 0)
		result = err_set(err, ERR_AUTH, "ID Token is not a valid JWT");
	else
		*out = expiry_of(json_number(doc, "exp", 0));
	json_free(doc);
	file_wipe(&claims);
	return result;
}

static const char *const *kubectl_arguments(const struct config_flags *flags, const char *path,
					    struct arena *arena)
{
	const struct {
		const char *name, *value;
	} options[] = {
		{ "--kubeconfig", flags->kubeconfig },
		{ "--context", flags->context },
		{ "--cluster", flags->cluster },
		{ "--user", flags->user },
	};
	static const char *const request[] = { "--request-timeout=30s", "get", "--raw",
					      "/version" };
	const char **argv = arena_array(arena, 10, sizeof(*argv));
	size_t n = 0;

	argv[n++] = path;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].value && *options[i].value)
			argv[n++] = arena_printf(arena, "%s=%s", options[i].name,
						 options[i].value).ptr;
	for (size_t i = 0; i < sizeof(request) / sizeof(request[0]); i++)
		argv[n++] = request[i];
	return argv;
}

int oidc_refresh(const struct client_config *config, struct child **out, struct err *err)
{
	struct child_command command = { .env = (const char *const *)environ };
	struct arena arena = { 0 };
	struct buf path = { 0 };
	int code = 0, result = 0;

	if (!config->oidc.refreshable) {
		result = err_set(err, ERR_AUTH,
				 "No valid id-token, and cannot refresh without refresh-token");
	} else if (!child_look_path(child_kubectl(), &path)) {
		result = err_set(err, ERR_AUTH, "the id-token has expired, and there is no kubectl "
				 "in $PATH, or at $KUBECTL_PATH, to refresh it");
	} else {
		command.path = buf_cstr(&path);
		command.argv = kubectl_arguments(&config->oidc.flags, command.path, &arena);
		code = child_start(&command, out);
	}
	if (code)
		result = err_set(err, ERR_AUTH,
				 "the id-token has expired, and kubectl cannot be started: %s",
				 file_error_text(&arena, code).ptr);
	buf_release(&path);
	arena_release(&arena);
	return result;
}

int oidc_reload(const struct client_config *config, struct arena *arena, struct str *out_token,
		struct err *err)
{
	struct client_config fresh;

	if (config_load(&config->oidc.flags, arena, &fresh, err) < 0)
		return -1;
	*out_token = fresh.oidc.id_token;
	return 0;
}
