/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML comes from files and from credential plugins.  Whatever it is, it ends,
 * within its budget; and what was read is JSON, which as YAML, and as KYAML, is the same again.
 */
#include "kube/base/alloc.h"
#include "kube/model/kyaml.h"
#include "kube/model/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUT_MAX (1 << 20)

/* The first document of a text, as text; empty when there is none that fits. */
static struct buf json_of(struct str text)
{
	struct buf json = BUF_MAX(OUT_MAX);
	struct err err = { 0 };

	if (yaml_first_to_json(text, &json, &err) < 0) {
		if (err.code != ERR_INPUT || !err.msg[0])
			abort();
		buf_reset(&json);
	}
	return json;
}

static struct buf yaml_of(struct str json, void (*print)(struct json value, struct buf *out))
{
	struct buf yaml = BUF_MAX(4 * OUT_MAX);
	struct json doc;

	if (json_parse(json, &doc, NULL) == 0) {
		print(doc, &yaml);
		json_free(doc);
	}
	return yaml;
}

static int on_document(void *ctx, struct str json, struct err *err)
{
	size_t *count = ctx;

	(void)json;
	return ++*count < 100 ? 0 : err_set(err, ERR_INPUT, "enough");
}

/* YAML looks for the colon of a key without "?" in 1024 characters, and KYAML has no "?": kubectl's own cannot be read then, either. */
static bool has_a_long_key(struct str yaml)
{
	struct str line;

	while (str_split(&yaml, '\n', &line)) {
		size_t at = str_find_str(line, ": ");

		while (at < line.len && at < 1000)
			at += 1 + str_find_str(str_from(line, at + 1), ": ");
		if (at < line.len)
			return true;
	}
	return false;
}

/* Once the text has been through our own hands it does not change any more. */
static void round_trip(struct str text, void (*print)(struct json value, struct buf *out))
{
	struct buf json = json_of(text), yaml = yaml_of(buf_str(&json), print);
	struct buf again = json_of(buf_str(&yaml)), yaml_again = yaml_of(buf_str(&again), print);

	if (yaml.len && !yaml.failed && !yaml_again.failed && !has_a_long_key(buf_str(&yaml)) &&
	    !str_eq(buf_str(&yaml), buf_str(&yaml_again)))
		abort();
	buf_release(&json);
	buf_release(&yaml);
	buf_release(&again);
	buf_release(&yaml_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct yaml_ops ops = { on_document };
	struct str text = { (const char *)data, size };
	struct err err = { 0 };
	size_t count = 0;

	/* A bomb of a few hundred bytes takes its whole budget: fuzzers find enough without. */
	if (size < 4096 && yaml_each(text, &ops, &count, &err) < 0 && err.code != ERR_INPUT)
		abort();
	round_trip(text, yaml_from_json);
	round_trip(text, kyaml_from_json);
	return 0;
}
