/* SPDX-License-Identifier: Apache-2.0 */
/* What a server serves: its answers read into kinds, and a cache of them.  No requests. */
#ifndef KUBE_API_DISCOVERY_H
#define KUBE_API_DISCOVERY_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/model/document.h"
#include "kube/model/kind.h"

#define DISCOVERY_ACCEPT \
	"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," \
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

/* By the parameters of the answer's content type, in any order. */
bool discovery_is_aggregated(struct str content_type);

/* One reading: of the versions that serve a kind the first one counts. */
struct discovery {
	struct kinds *kinds;
	struct map seen;	/* by the kind's id: its version's text, of the kinds of this reading */
	struct buf partial;	/* "g/v: why, g/v: why" of what could not be read */
};

void discovery_begin(struct discovery *d, struct kinds *kinds);
void discovery_release(struct discovery *d);
/*
 * Reads an APIGroupDiscoveryList group by group, as large clusters have a thousand kinds in a megabyte.  Returns
 * ERR_PROTO when text is no JSON; then some of its kinds may have been read.  A group that cannot be read is left out
 * and told in d->partial.
 */
int discovery_read_aggregated(struct discovery *d, struct str text, struct err *err) MUST_USE;
/* Reads the legacy form: an APIResourceList of one group and version. */
void discovery_read_resources(struct discovery *d, struct document list);
/* A group and version that could not be read. */
void discovery_failed(struct discovery *d, struct str group_version, struct str why);
/*
 * Legacy: calls back with the path of each group and version that /api
 * (APIVersions) or /apis (APIGroupList) names, the preferred version first; also
 * of an aggregated document whose other half is none.
 */
void discovery_paths(struct document doc, void (*path)(void *ctx, struct str path), void *ctx);

/* ---- cache: one file per document, ours alone ---------------------------------- */

struct cached {
	struct buf etag, content_type, body;
	int64_t fetched;	/* ms */
};

/* False when there is none, or it cannot be read. */
bool discovery_cache_read(const char *folder, struct str server, const char *name, struct cached *out);
/* Silent when it cannot be written: it is only a cache. */
void discovery_cache_write(const char *folder, struct str server, const char *name, const struct cached *c);
void cached_release(struct cached *c);

#endif
