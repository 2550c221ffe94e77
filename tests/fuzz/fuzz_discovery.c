/* SPDX-License-Identifier: Apache-2.0 */
/* A document of a server, read as each of the forms that discovery has. */
#include "kube/api/discovery.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_path(void *ctx, struct str path)
{
	buf_add(ctx, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct kinds kinds = { 0 };
	struct buf paths = { 0 };
	struct discovery d;
	struct json doc;
	struct err err;

	discovery_is_aggregated(text);
	discovery_begin(&d, &kinds);
	if (discovery_read_aggregated(&d, text, &err) < 0)
		buf_add_cstr(&paths, err.msg);
	if (document_read(text, &doc, &err) == 0) {
		discovery_read_resources(&d, STR("g.x/v1"), doc);
		discovery_paths(doc, on_path, &paths);
		json_free(doc);
	}
	discovery_release(&d);
	kinds_release(&kinds);
	buf_release(&paths);
	return 0;
}
