/* SPDX-License-Identifier: Apache-2.0 */
/* Compression, by zlib. */
#ifndef KUBE_BASE_DEFLATE_H
#define KUBE_BASE_DEFLATE_H

#include "kube/base/buf.h"

/*
 * Stores a text as its difference from a base text: compressed with the base as zlib's dictionary.  Of both at most 32 KiB
 * are compared.  It has about 200 KiB, so one is used for many texts.
 */
struct delta_coder;

struct delta_coder *delta_coder_new(void);
/* NULL is allowed. */
void delta_coder_free(struct delta_coder *c);
/* Appends the difference of text from base to out.  base may be "". */
void delta_encode(struct delta_coder *c, struct str base, struct str text, struct buf *out);
/* Appends the text that delta was made of; base must be the same as for delta_encode(). */
void delta_decode(struct delta_coder *c, struct str base, struct str delta, struct buf *out);

/*
 * Appends what the file, plain or compressed by gzip, holds, and closes fd.  name is for errors: ERR_SYSTEM when it cannot be
 * read; ERR_INPUT when it is damaged, or larger than out->max.
 */
int gzip_read_file(int fd, const char *name, struct buf *out, struct err *err) MUST_USE;

#endif
