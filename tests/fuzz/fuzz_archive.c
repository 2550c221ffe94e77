/* SPDX-License-Identifier: Apache-2.0 */
/* An archive comes from another company: whatever it is, reading it ends, within its ceilings, and what it hands over is there. */
#include "plugin/archive.h"

#include "kube/base/limits.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t wants(void *ctx, struct str name)
{
	(void)ctx;
	return name.len % 2 == 0 || str_ends(name, ".gz") ? ARCHIVE_WHOLE : name.len % 3;
}

static int file(void *ctx, struct str name, struct str text, struct err *err)
{
	uint64_t *sum = ctx;

	(void)err;
	*sum += str_hash(name) + str_hash(text);	/* all bytes can be read */
	if (text.len > LIMIT_ARCHIVE_FILE)
		abort();
	return 0;
}

static void flaw(void *ctx, struct str name, const struct err *why)
{
	uint64_t *sum = ctx;

	*sum += str_hash(name);
	if (!why->msg[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct archive_ops ops = { wants, file, flaw };
	struct str bytes = { (const char *)data, size };
	struct err err = { 0 };
	uint64_t sum = archive_begins(bytes);

	if (archive_each_in(bytes, &ops, &sum, &err) < 0 && !err.msg[0])
		abort();
	return 0;
}
