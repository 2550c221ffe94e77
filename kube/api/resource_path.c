/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/api/resource_path.h"

#include "kube/base/url.h"

void resource_path_add(struct buf *out, const struct resource_path *o)
{
	const struct kind *kind = o->kind;

	buf_add_cstr(out, str_empty(kind->group) ? "/api" : "/apis/");
	url_add_segment(out, kind->group);
	buf_add_char(out, '/');
	url_add_segment(out, str_empty(o->version) ? kind->version : o->version);
	if ((kind->flags & KIND_NAMESPACED) && !str_empty(o->ns)) {
		buf_add_cstr(out, "/namespaces/");
		url_add_segment(out, o->ns);
	}
	buf_add_char(out, '/');
	url_add_segment(out, kind->plural);
	if (str_empty(o->name))
		return;
	buf_add_char(out, '/');
	url_add_segment(out, o->name);
}
