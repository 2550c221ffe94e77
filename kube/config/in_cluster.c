/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/in_cluster.h"

#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/base/file.h"

#include <stdlib.h>
#include <sys/stat.h>

bool in_cluster_possible(const char *dir)
{
	struct str host = str_of(getenv("KUBERNETES_SERVICE_HOST"));
	struct str port = str_of(getenv("KUBERNETES_SERVICE_PORT"));
	struct arena arena = { 0 };
	struct stat st;
	bool token;

	token = stat(arena_printf(&arena, "%s/token", dir).ptr, &st) == 0 && !S_ISDIR(st.st_mode);
	arena_release(&arena);
	return token && !str_empty(host) && !str_empty(port);
}

struct str in_cluster_server(struct arena *arena)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");
	bool ipv6 = str_contains(str_of(host), ":");

	return arena_printf(arena, ipv6 ? "https://[%s]:%s" : "https://%s:%s", host ? host : "",
			    port ? port : "");
}

struct str in_cluster_namespace(const char *dir, struct arena *arena)
{
	struct str ns = str_of(getenv("POD_NAMESPACE"));
	struct buf text = BUF_MAX(LIMIT_TOKEN);

	if (!str_empty(ns))
		return arena_str(arena, ns);
	if (file_read(arena_printf(arena, "%s/namespace", dir), &text, NULL, NULL) == 0)
		ns = arena_str(arena, str_trim(buf_str(&text)));
	buf_release(&text);
	return str_empty(ns) ? STR("default") : ns;
}
