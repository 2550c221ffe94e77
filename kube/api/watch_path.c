/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters in alphabetical order, as kubectl sends them. */
#include "kube/api/watch_path.h"

#include "kube/api/resource_path.h"
#include "kube/base/url.h"

enum { PAGE = 500 };

static void add_number(struct buf *out, const char *key, int64_t n)
{
	struct buf text = { 0 };

	buf_printf(&text, "%lld", (long long)n);
	url_add_query(out, key, buf_str(&text));
	buf_release(&text);
}

static void add_selectors(const struct subscribe *what, struct buf *out)
{
	struct buf text = { 0 };

	if (!str_empty(what->name))
		buf_printf(&text, "metadata.name=" STR_FMT, STR_ARG(what->name));
	if (!str_empty(what->field_selector)) {
		buf_add_cstr(&text, text.len ? "," : "");
		buf_add(&text, what->field_selector);
	}
	url_add_query(out, "fieldSelector", buf_str(&text));
	url_add_query(out, "labelSelector", what->label_selector);
	buf_release(&text);
}

static void add_list(const struct watch_question *q, struct buf *out)
{
	url_add_query(out, "continue", q->token);
	add_selectors(q->what, out);
	if (!q->whole)
		add_number(out, "limit", PAGE);
}

static void add_watch(const struct watch_question *q, struct buf *out)
{
	url_add_query(out, "allowWatchBookmarks", STR("true"));
	add_selectors(q->what, out);
	if (q->step == STEP_STREAM) {
		url_add_query(out, "resourceVersionMatch", STR("NotOlderThan"));
		url_add_query(out, "sendInitialEvents", STR("true"));
	} else {
		url_add_query(out, "resourceVersion", q->version);
	}
	add_number(out, "timeoutSeconds", q->seconds);
	url_add_query(out, "watch", STR("true"));
}

void watch_question_path(const struct watch_question *q, struct buf *out)
{
	const struct subscribe *what = q->what;
	struct resource_path object = { what->kind, what->version, what->ns,
				     q->step == STEP_GET ? what->name : STR_NONE };

	resource_path_add(out, &object);
	if (q->step == STEP_LIST)
		add_list(q, out);
	else if (q->step != STEP_GET)
		add_watch(q, out);
}

const char *watch_question_accept(const struct watch_question *q)
{
	if (!q->what->metadata_only)
		return "application/json";
	if (q->step == STEP_LIST)
		return "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
	return "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
}
