/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/document_form.h"

#include "kube/model/kyaml.h"
#include "kube/model/yaml.h"

void document_form(enum format format, struct str json, struct buf *out)
{
	struct json doc;

	if ((format != FORMAT_YAML && format != FORMAT_KYAML) || json_parse_verbatim(json, &doc, &(struct err){ 0 }) < 0) {
		buf_add(out, json);
		return;
	}
	if (format == FORMAT_YAML)
		yaml_from_json(doc, out);
	else
		kyaml_from_json(doc, out);
	json_free(doc);
}

void document_form_next(enum format format, struct str json, struct buf *out)
{
	if (format == FORMAT_YAML)	/* KYAML has that line before each document */
		buf_add_cstr(out, "---\n");
	document_form(format, json, out);
}
