/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which a kubeconfig may name a server and a proxy. */
#ifndef KUBE_CONFIG_CONFIG_SERVER_H
#define KUBE_CONFIG_CONFIG_SERVER_H

#include "kube/base/arena.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

struct config_server {
	struct str url;			/* "https://host:port/base", nothing secret in it */
	bool https;
	bool userinfo;			/* the URL held a user and password */
	struct str username, password;
};

/*
 * Without a scheme it is http, as with kubectl (client-go/rest/url_utils.go); a
 * query and a fragment are dropped; the path is cleaned.
 */
int config_server_parse(struct str text, struct arena *arena, struct config_server *out,
			struct err *err) MUST_USE;
/* Normalises "HTTP://..." ; err has the part after "invalid 'proxy-url' ...: ". */
int config_server_proxy(struct str text, struct arena *arena, struct str *out,
			struct err *err) MUST_USE;
/* The same without user and password, for messages. */
struct str config_server_masked(struct str url, struct arena *arena);

#endif
