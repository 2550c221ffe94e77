/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a JSON document member by member.  key is NULL in arrays. */
#ifndef PLUGIN_OUTPUT_JSONW_H
#define PLUGIN_OUTPUT_JSONW_H

#include "kube/base/buf.h"

struct jsonw {
	struct buf *out;
	int depth;
	bool pretty;	/* indented, as kubectl prints it */
	bool started;	/* the open object or array is not empty */
};

void jsonw_open(struct jsonw *w, const char *key, char bracket);	/* '{' or '[' */
void jsonw_close(struct jsonw *w, char bracket);
/* Writes nothing when the text is empty; jsonw_string() writes "". */
void jsonw_text(struct jsonw *w, const char *key, struct str text);
void jsonw_string(struct jsonw *w, const char *key, struct str text);
void jsonw_int(struct jsonw *w, const char *key, int64_t value);
void jsonw_number(struct jsonw *w, const char *key, double value);
void jsonw_bool(struct jsonw *w, const char *key, bool value);
/* RFC 3339 in UTC; nothing when 0. */
void jsonw_time(struct jsonw *w, const char *key, int64_t ms);
/* json is written as it is. */
void jsonw_raw(struct jsonw *w, const char *key, struct str json);

#endif
