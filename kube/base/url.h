/* SPDX-License-Identifier: Apache-2.0 */
/* URLs of API servers and proxies, and what may stand in a request's path. */
#ifndef KUBE_BASE_URL_H
#define KUBE_BASE_URL_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

/* The texts are borrowed from the text that was read.  host is without brackets, path without a slash at its end. */
struct url {
	struct str scheme, userinfo, host, path;
	int port;
	bool https, ipv6;
};

/*
 * Reads a server as kubectl does: without a scheme it is http; query and fragment are dropped.  ERR_INPUT when the text
 * is no URL.
 */
int url_parse(struct str text, struct url *out, struct err *err) MUST_USE;
/* Returns "host:port" or "[::1]:443". */
void url_authority(const struct url *u, struct buf *out);
/* Returns how many bits the address has that host is, 32 or 128, which are then in out16; 0: it is a name. */
unsigned url_ip(struct str host, unsigned char *out16);
/* Returns true for "localhost" and the loopback addresses. */
bool url_host_is_loopback(const struct url *u);

/*
 * Returns 0 when name can be a segment of a path, else ERR_INPUT: "invalid namespace "a/b": [may not contain '/']".
 * what is "namespace" or "resource name".
 */
int url_check_segment(const char *what, struct str name, struct err *err) MUST_USE;
/* Percent-encodes one segment of a path; ':' and the like stay as they are, '/' does not. */
void url_add_segment(struct buf *out, struct str segment);
/* Adds "?key=value" or "&key=value", form-encoded; adds nothing when the value is empty. */
void url_add_query(struct buf *out, const char *key, struct str value);
/* Percent-decodes text. */
void url_decode(struct str text, struct buf *out);

#endif
