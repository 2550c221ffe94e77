/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which a kubeconfig may name a server and a proxy. */
#ifndef KUBE_CONFIG_CONFIG_SERVER_H
#define KUBE_CONFIG_CONFIG_SERVER_H

#include "kube/base/arena.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

struct config_server {
	struct str url;			/* "https://host:port/base", without secrets */
	bool https;
	bool userinfo;			/* the URL had a user and password */
	struct str username, password;
};

/*
 * Reads a server.  Without a scheme it is http, as with kubectl (client-go/rest/url_utils.go); query and fragment are
 * dropped; the path is cleaned.
 */
int config_server_parse(struct str text, struct arena *arena, struct config_server *out,
			struct err *err) MUST_USE;
/* Normalises "HTTP://..."; the message of err is what stands behind "invalid 'proxy-url' ...: ". */
int config_server_proxy(struct str text, struct arena *arena, struct str *out,
			struct err *err) MUST_USE;
/* Returns the URL without user and password, for messages. */
struct str config_server_masked(struct str url, struct arena *arena);

#endif
