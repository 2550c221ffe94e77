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
	struct json json;
	struct err err;

	discovery_is_aggregated(text);
	if (json_parse(text, &json, &err) < 0)
		return 0;
	discovery_begin(&d, &kinds);
	discovery_read_aggregated(&d, json);
	discovery_read_resources(&d, json);
	discovery_paths(json, on_path, &paths);
	discovery_release(&d);
	kinds_release(&kinds);
	buf_release(&paths);
	json_free(json);
	return 0;
}
