/* SPDX-License-Identifier: Apache-2.0 */
/* What a server serves: reads its answers into kinds, and caches them.  It sends no requests. */
#ifndef KUBE_API_DISCOVERY_H
#define KUBE_API_DISCOVERY_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/model/document.h"
#include "kube/model/kind.h"

#define DISCOVERY_ACCEPT \
	"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," \
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

/* Returns true by the parameters of the answer's content type, in any order. */
bool discovery_is_aggregated(struct str content_type);

/* One reading of discovery.  Of the versions that serve a kind the first one counts. */
struct discovery {
	struct kinds *kinds;
	struct map seen;	/* for the kinds of this reading: from the kind's id to the text of its version */
	struct buf partial;	/* what could not be read: "g/v: why, g/v: why" */
	struct buf failed;	/* the groups and versions of these: "g/v,g/v" */
};

void discovery_begin(struct discovery *d, struct kinds *kinds);
void discovery_release(struct discovery *d);
/*
 * Reads an APIGroupDiscoveryList group by group, as large clusters have a thousand kinds in a megabyte.  Returns
 * ERR_PROTO when text is no JSON, or anything else; then some of its kinds may have been read.  A group that cannot be
 * read is left out and told in d->partial.
 */
int discovery_read_aggregated(struct discovery *d, struct str text, struct err *err) MUST_USE;
/*
 * Reads the legacy form, an APIResourceList of that group and version ("apps/v1").  Anything else, and the kinds of another
 * group, are told in d->partial.
 */
void discovery_read_resources(struct discovery *d, struct str group_version, struct json list);
/* Notes a group and version that could not be read. */
void discovery_failed(struct discovery *d, struct str group_version, struct str why);
/* Returns ERR_PROTO for a document of another kind; where one half is aggregated, an APIGroupDiscoveryList is right, too. */
int discovery_check(struct json doc, const char *kind, struct err *err) MUST_USE;
/*
 * For the legacy form: calls back with the path of each group and version that /api (APIVersions) or /apis
 * (APIGroupList) names, the preferred version first; also for an aggregated document when the other document is not
 * aggregated.
 */
void discovery_paths(struct json doc, void (*path)(void *ctx, struct str path), void *ctx);

/* ---- cache: one file per document, ours alone ---------------------------------- */

struct cached {
	struct buf etag, content_type, body;
	int64_t fetched;	/* ms */
};

/* Returns false when there is no cache, or it cannot be read. */
bool discovery_cache_read(const char *folder, struct str server, const char *name, struct cached *out);
/* Reports no error when the cache cannot be written, because it is only a cache. */
void discovery_cache_write(const char *folder, struct str server, const char *name, const struct cached *c);
void cached_release(struct cached *c);

#endif
