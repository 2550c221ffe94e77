/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON in order; absent facts are left out by the caller. */
#ifndef PLUGIN_JSONW_H
#define PLUGIN_JSONW_H

#include "kube/base/buf.h"

struct jsonw {
	struct buf *out;
	int depth;
	bool pretty;	/* indented, as kubectl prints it */
	bool started;	/* something stands in the present level */
};

void jsonw_open(struct jsonw *w, const char *key, char bracket);	/* '{' or '[' ; key NULL in arrays */
void jsonw_close(struct jsonw *w, char bracket);
/* Left out when the text is empty. */
void jsonw_text(struct jsonw *w, const char *key, struct str text);
void jsonw_string(struct jsonw *w, const char *key, struct str text);
void jsonw_int(struct jsonw *w, const char *key, int64_t value);
void jsonw_number(struct jsonw *w, const char *key, double value);
void jsonw_bool(struct jsonw *w, const char *key, bool value);
/* RFC 3339; left out when 0. */
void jsonw_time(struct jsonw *w, const char *key, int64_t ms);
/* Text that is JSON already. */
void jsonw_raw(struct jsonw *w, const char *key, struct str json);

#endif
