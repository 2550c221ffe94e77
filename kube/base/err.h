/* SPDX-License-Identifier: Apache-2.0 */
/* Errors are values: they are filled in where they happen, and shown once, by plugin/. */
#ifndef KUBE_BASE_ERR_H
#define KUBE_BASE_ERR_H

#include <stddef.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_USE __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))

enum errc {
	ERR_NONE,
	ERR_USAGE,	/* the command line is wrong: exit status 2 */
	ERR_INPUT,	/* the user's file is wrong: say where */
	ERR_AUTH,	/* 401, or the credential plugin failed */
	ERR_FORBIDDEN,	/* 403: the kind is marked as unreadable, and the program goes on */
	ERR_NOT_SERVED, /* 404: the object does not exist, or its CRD is not installed */
	ERR_GONE,	/* 410: the list is read again */
	ERR_THROTTLED,	/* 429: the same request is sent again after a while */
	ERR_NET,	/* there is no connection: the request is tried again with back-off */
	ERR_SERVER,	/* 5xx and other refusals of the server */
	ERR_PROTO,	/* the server sent something that we cannot read */
	ERR_SYSTEM	/* the operating system refused: file, terminal, ... */
};

/*
 * msg says what failed and why, on one line; hint says what to try.  Both may hold text of the cluster and addresses
 * with a password: they are redacted (kube/base/redact.h) and sanitized where they are shown.
 */
struct err {
	enum errc code;
	int http_status;	/* 0 when no server has answered */
	int retry_after;	/* seconds that the server asked to wait, 0 if it asked for none */
	char msg[512];
	char hint[256];
};

/* Fills in *err (which may be NULL) and returns -1, for "return err_set(...)". */
int err_set(struct err *err, enum errc code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Puts "what: " before the message, on its way up to the user.  Returns -1. */
int err_context(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Sets the hint, which says what to try.  Returns -1. */
int err_hint(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
