/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of a list may be 20 MB and a parsed tree is seven times its text, so
 * the text is cut into objects before anything is parsed.  The cutter follows strings, brackets, commas and colons,
 * so that what is cut off in the middle shows at the next token, and not at the end of all that follows; json_parse()
 * judges each piece.  Of a piece that is too deep or too large only the members in skimmed[] are kept: what was kept of
 * it so far is read once more, and the rest as it arrives, so that it does not matter where its metadata stands.
 */
#include "kube/model/framer.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"

#include <string.h>

/* Where a container stands, on the few paths that matter here. */
enum node {
	NODE_NONE,
	NODE_LIST,	  /* the document of FRAMER_LIST */
	NODE_ITEMS,	  /* the array "items" of that document, whose elements are pieces */
	NODE_EVENT,	  /* a value of FRAMER_STREAM: a watch event, or an object */
	NODE_OBJECT,	  /* an API object */
	NODE_META,	  /* the metadata of an API object */
	NODE_ANNOTATIONS,
	NODE_DROP	  /* a value that is left out */
};

/* Both members that are left out repeat the object itself in another form. */
static const struct {
	enum node in;
	const char *key;
	enum node out;
} paths[] = {
	{ NODE_LIST, "items", NODE_ITEMS },
	{ NODE_EVENT, "object", NODE_OBJECT },
	{ NODE_EVENT, "metadata", NODE_META },
	{ NODE_OBJECT, "metadata", NODE_META },
	{ NODE_META, "managedFields", NODE_DROP },
	{ NODE_META, "annotations", NODE_ANNOTATIONS },
	{ NODE_ANNOTATIONS, "kubectl.kubernetes.io/last-applied-configuration", NODE_DROP },
};

/* What is kept of a piece that cannot be read as a whole: scalars that a server checks, so that all of them are short. */
static const struct {
	enum node in;
	const char *key;
} skimmed[] = {
	{ NODE_EVENT, "t" }, { NODE_EVENT, "type" }, { NODE_EVENT, "cluster" },
	{ NODE_EVENT, "apiVersion" }, { NODE_EVENT, "kind" },
	{ NODE_OBJECT, "apiVersion" }, { NODE_OBJECT, "kind" },
	{ NODE_META, "name" }, { NODE_META, "namespace" }, { NODE_META, "uid" }, { NODE_META, "resourceVersion" },
	{ NODE_META, "generation" }, { NODE_META, "creationTimestamp" }, { NODE_META, "deletionTimestamp" },
	{ NODE_META, "deletionGracePeriodSeconds" },
};

/* What may come next within a container. */
enum expect {
	EXPECT_FIRST_KEY,	/* a key, or the end of the object */
	EXPECT_KEY,
	EXPECT_COLON,
	EXPECT_FIRST_VALUE,	/* a value, or the end of the array */
	EXPECT_VALUE,
	EXPECT_MORE,		/* a comma, or the end of the container */
	/* a comma, the end of the container, or more characters of a number, true, false or null */
	EXPECT_SCALAR
};

enum {
	NODE_DEPTH = 8,		/* paths are shorter than this */
	KEEP_BYTES = 64 * 1024,	/* a larger buffer is freed after its piece */
	SKIM_BYTES = 64 * 1024	/* the most that is kept of a piece that cannot be read as a whole */
};

struct framer {
	enum framer_mode mode;
	const struct framer_ops *ops;
	void *ctx;
	struct buf piece, envelope;
	struct buf *sink;	/* where bytes are written now; NULL: they are left out */
	struct buf brackets;	/* by depth: the bracket that opened the container */
	enum node node[NODE_DEPTH];
	enum node pending;	/* the node of the value that comes next */
	size_t depth, piece_depth, drop_depth;
	size_t key_at;		/* the offset in sink of the quote that opened the key */
	size_t scalars;		/* items that are neither object nor array */
	enum expect expect;
	bool in_string, escaped, in_key;
	bool dropping, comma_dropped;
	bool done;		/* FRAMER_LIST: the document is complete */
	bool keeps_managed;	/* managedFields are not left out */
	bool skims;		/* the piece cannot be read as a whole */
	bool marked;		/* it says so */
	size_t skipped;		/* the bytes of it that were read since this is known */
	struct err why;		/* why it cannot */
};

/* One call of framer_feed(): the bytes from mark to at are not yet in the sink. */
struct cut {
	const char *at, *end, *mark;
	struct err *err;
	bool unfit;		/* the error is of this piece alone: framer.why has it */
};

static void framer_start(struct framer *f)
{
	f->sink = f->mode == FRAMER_LIST ? &f->envelope : NULL;
	f->pending = f->mode == FRAMER_LIST ? NODE_LIST : NODE_NONE;
	f->depth = f->piece_depth = f->drop_depth = 0;
	buf_reset(&f->brackets);
	f->in_string = f->escaped = f->in_key = false;
	f->expect = EXPECT_VALUE;
	f->dropping = f->comma_dropped = f->done = false;
	f->skims = f->marked = false;
	f->skipped = 0;
	f->piece.max = LIMIT_OBJECT;
	f->scalars = 0;
}

struct framer *framer_new(enum framer_mode mode, const struct framer_ops *ops, void *ctx)
{
	struct framer *f = xcalloc(1, sizeof(*f));

	f->mode = mode;
	f->ops = ops;
	f->ctx = ctx;
	f->envelope.max = LIMIT_ENVELOPE;
	f->brackets.max = LIMIT_BRACKETS;
	framer_start(f);
	return f;
}

void framer_keep_managed(struct framer *f)
{
	f->keeps_managed = true;
}

void framer_reset(struct framer *f)
{
	buf_release(&f->piece);
	buf_release(&f->envelope);
	framer_start(f);
}

void framer_free(struct framer *f)
{
	if (!f)
		return;
	buf_release(&f->piece);
	buf_release(&f->envelope);
	buf_release(&f->brackets);
	xfree(f);
}

size_t framer_scalars(const struct framer *f)
{
	return f->scalars;
}

struct str framer_envelope(const struct framer *f)
{
	return buf_str(&f->envelope);
}

static enum node node_at(const struct framer *f, size_t depth)
{
	return depth < NODE_DEPTH ? f->node[depth] : NODE_NONE;
}

static bool in_array(const struct framer *f)
{
	return f->depth && f->brackets.ptr[f->depth - 1] == '[';
}

static int too_large(struct framer *f, struct cut *c)
{
	if (f->sink == &f->envelope)
		return err_set(c->err, ERR_PROTO, "the list's own fields are larger than %zu MiB", LIMIT_ENVELOPE >> 20);
	if (f->skims) {	/* not even its name can be kept */
		f->sink = NULL;
		return 0;
	}
	c->unfit = true;
	return err_set(&f->why, ERR_PROTO, "it is larger than %zu MiB", LIMIT_OBJECT >> 20);
}

/* Writes the bytes up to c->at to the sink. */
static int flush(struct framer *f, struct cut *c)
{
	assert(c->mark <= c->at && c->at <= c->end);
	f->skipped += f->skims ? (size_t)(c->at - c->mark) : 0;
	if (f->skipped > LIMIT_SKIPPED)
		return err_set(c->err, ERR_PROTO, "an object is larger than %zu MiB", LIMIT_SKIPPED >> 20);
	if (f->sink && !f->dropping) {
		buf_add(f->sink, (struct str){ c->mark, (size_t)(c->at - c->mark) });
		if (f->sink->failed && too_large(f, c) < 0)
			return -1;
	}
	c->mark = c->at;
	return 0;
}

/* Removes the member whose key was just read from the sink, with the comma before it. */
static void drop_begin(struct framer *f)
{
	size_t len = f->key_at;

	assert(!f->dropping && len < f->sink->len && f->sink->ptr[len] == '"');
	while (len > 0 && strchr(" \t\r\n", f->sink->ptr[len - 1]))
		len--;
	f->comma_dropped = len > 0 && f->sink->ptr[len - 1] == ',';
	f->sink->len = f->comma_dropped ? len - 1 : len;
	f->dropping = true;
	f->drop_depth = f->depth;
}

static bool is_skimmed(enum node in, struct str key)
{
	for (size_t i = 0; i < sizeof(skimmed) / sizeof(skimmed[0]); i++)
		if (skimmed[i].in == in && str_is(key, skimmed[i].key))
			return true;
	return false;
}

static int key_end(struct framer *f, struct cut *c)
{
	enum node in = node_at(f, f->depth);
	struct str key;

	f->in_key = false;
	if (flush(f, c) < 0)
		return -1;
	if (!f->sink)
		return 0;
	assert(f->sink->len >= f->key_at + 2);
	key = (struct str){ f->sink->ptr + f->key_at + 1, f->sink->len - f->key_at - 2 };
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (paths[i].in == in && str_is(key, paths[i].key) && !(f->keeps_managed && in == NODE_META && paths[i].out == NODE_DROP))
			f->pending = paths[i].out;
	if (f->skims && f->pending == NODE_NONE && !is_skimmed(in, key))
		f->pending = NODE_DROP;
	if (f->pending == NODE_DROP || (f->skims && f->pending == NODE_ANNOTATIONS)) {
		f->pending = NODE_NONE;
		drop_begin(f);
	}
	return 0;
}

static int unexpected(struct cut *c, const char *where)
{
	return err_set(c->err, ERR_PROTO, "invalid JSON: %s", where);
}

/* at is within a string: moves behind its end, or to the end of the bytes. */
static int scan_string(struct framer *f, struct cut *c)
{
	const char *quote = NULL, *slash, *start = c->at;

	assert(f->in_string && c->at < c->end);
	if (f->escaped) {
		f->escaped = false;
		c->at++;
	}
	while (c->at < c->end) {
		if (!quote || quote < c->at)
			quote = memchr(c->at, '"', (size_t)(c->end - c->at));
		if (!quote)
			quote = c->end;
		slash = memchr(c->at, '\\', (size_t)(quote - c->at));
		if (!slash)
			break;
		c->at = slash + 2;
	}
	if (c->at > c->end) {
		f->escaped = true;
		c->at = c->end;
	}
	if (c->at < c->end)
		c->at = quote;
	/* for a list this shows when its item is parsed, or when the item ends */
	if (f->mode == FRAMER_STREAM && !f->skims && memchr(start, '\n', (size_t)(c->at - start)))
		return unexpected(c, "a line ends within a string");
	if (c->at == c->end)
		return 0;
	c->at++;
	f->in_string = false;
	return f->in_key ? key_end(f, c) : 0;
}

static bool expects_key(const struct framer *f)
{
	return f->expect == EXPECT_FIRST_KEY || f->expect == EXPECT_KEY;
}

static bool expects_value(const struct framer *f)
{
	return f->expect == EXPECT_FIRST_VALUE || f->expect == EXPECT_VALUE;
}

static bool at_items(const struct framer *f)
{
	return f->mode == FRAMER_LIST && node_at(f, f->depth) == NODE_ITEMS && !f->piece_depth;
}

/* Of what is skimmed, arrays and the containers that nobody follows are left out. */
static void skip_container(struct framer *f, bool array)
{
	if (!f->skims || f->dropping || !f->sink || (!array && f->pending != NODE_NONE))
		return;
	if (f->depth < f->piece_depth || in_array(f))
		f->sink = NULL;
	else
		drop_begin(f);
}

static int too_deep(struct framer *f, struct cut *c)
{
	if (!f->piece_depth)
		return err_set(c->err, ERR_PROTO, "the list's own fields are nested deeper than %d", LIMIT_DEPTH);
	assert(!f->skims);
	c->unfit = true;
	return err_set(&f->why, ERR_PROTO, "it is nested deeper than %d", LIMIT_DEPTH);
}

static int begin_items(struct framer *f, struct cut *c)
{
	if (flush(f, c) < 0)
		return -1;
	f->sink = NULL;
	return 0;
}

static int open_bracket(struct framer *f, struct cut *c)
{
	bool array = *c->at == '[';

	if (f->depth == 0 && (f->done || (f->mode == FRAMER_LIST && array)))
		return err_set(c->err, ERR_PROTO, "invalid JSON: not one object");
	if (f->depth && !expects_value(f))
		return unexpected(c, "a value where none is expected");
	if (f->depth == LIMIT_DEPTH && f->sink && !f->dropping)
		return too_deep(f, c);
	if (at_items(f) || (f->mode == FRAMER_STREAM && f->depth == 0)) {
		assert(f->piece_depth == 0 && f->piece.len == 0);
		f->pending = f->mode == FRAMER_LIST ? NODE_OBJECT : NODE_EVENT;
		f->piece_depth = f->depth + 1;
		f->sink = &f->piece;
		c->mark = c->at;
	}
	skip_container(f, array);
	buf_add_char(&f->brackets, *c->at);
	if (f->brackets.failed)
		return err_set(c->err, ERR_PROTO, "JSON is nested deeper than %d", LIMIT_BRACKETS);
	f->depth++;
	assert(f->depth == f->brackets.len);
	if (f->pending == NODE_ITEMS && !array)
		f->pending = NODE_NONE;
	if (f->depth < NODE_DEPTH)
		f->node[f->depth] = f->dropping ? NODE_NONE : f->pending;
	f->pending = NODE_NONE;
	f->expect = array ? EXPECT_FIRST_VALUE : EXPECT_FIRST_KEY;
	c->at++;
	return at_items(f) ? begin_items(f, c) : 0;
}

/* Says of an object that only this was kept of it, before its last bracket. */
static int mark_skimmed(struct framer *f, struct cut *c)
{
	bool object = node_at(f, f->depth) == NODE_OBJECT, last = f->depth == f->piece_depth;

	if (!f->skims || f->marked || f->dropping || !f->sink || in_array(f) || (!object && !last))
		return 0;
	if (flush(f, c) < 0)
		return -1;
	f->marked = true;
	buf_add_cstr(&f->piece, str_ends(str_trim(buf_str(&f->piece)), "{") ? "" : ",");
	buf_printf(&f->piece, "\"" FRAMER_UNREAD "\":\"%s\"", f->why.msg);
	f->sink = f->piece.failed ? NULL : f->sink;
	return 0;
}

static int piece_end(struct framer *f, struct cut *c)
{
	int rc;

	if (flush(f, c) < 0)
		return -1;
	assert(!f->dropping && !f->in_string);
	if (!f->sink) {
		buf_release(&f->piece);
		f->piece.max = 0;
		buf_printf(&f->piece, "{\"" FRAMER_UNREAD "\":\"%s\"}", f->why.msg);
	}
	f->piece_depth = 0;
	f->sink = NULL;
	f->skims = f->marked = false;
	f->skipped = 0;
	rc = f->ops->piece(f->ctx, buf_str(&f->piece), c->err);
	if (f->piece.cap > KEEP_BYTES)
		buf_release(&f->piece);
	buf_reset(&f->piece);
	f->piece.max = LIMIT_OBJECT;
	return rc;
}

static int close_bracket(struct framer *f, struct cut *c)
{
	if (f->depth == 0 || in_array(f) != (*c->at == ']'))
		return unexpected(c, "a bracket does not match");
	if (expects_key(f) ? f->expect == EXPECT_KEY : f->expect == EXPECT_COLON || f->expect == EXPECT_VALUE)
		return unexpected(c, "a bracket where a key or a value is expected");
	if (f->dropping && f->depth == f->drop_depth) {
		f->dropping = false;
		c->mark = c->at;
	}
	if (at_items(f)) {
		f->sink = &f->envelope;
		c->mark = c->at;
	}
	if (mark_skimmed(f, c) < 0)
		return -1;
	c->at++;
	f->depth--;
	f->brackets.len--;
	assert(!f->dropping || f->depth >= f->drop_depth);
	f->expect = EXPECT_MORE;
	f->pending = NODE_NONE;
	if (f->depth == 0 && f->mode == FRAMER_LIST)
		f->done = true;
	return f->depth + 1 == f->piece_depth ? piece_end(f, c) : 0;
}

static int comma(struct framer *f, struct cut *c)
{
	if (f->expect != EXPECT_MORE && f->expect != EXPECT_SCALAR)
		return unexpected(c, "a comma where none is expected");
	f->expect = in_array(f) ? EXPECT_VALUE : EXPECT_KEY;
	f->pending = NODE_NONE;
	if (f->dropping && f->depth == f->drop_depth) {
		f->dropping = false;
		c->mark = f->comma_dropped ? c->at : c->at + 1;
	}
	c->at++;
	return 0;
}

static int colon(struct framer *f, struct cut *c)
{
	if (f->expect != EXPECT_COLON)
		return unexpected(c, "a colon where none is expected");
	f->expect = EXPECT_VALUE;
	c->at++;
	return 0;
}

/* Reads a string, or the next character of a number, true, false or null. */
static int plain_token(struct framer *f, struct cut *c)
{
	bool string = *c->at == '"';

	if (f->depth == 0 && *c->at == '<')
		return err_set(c->err, ERR_PROTO, "this is not JSON but HTML");
	if (f->depth == 0)
		return unexpected(c, "not an object");
	if (!expects_value(f) && !(string && expects_key(f)) && !(!string && f->expect == EXPECT_SCALAR))
		return unexpected(c, "a comma, a colon or a key is missing");
	f->scalars += at_items(f) && expects_value(f);
	if (string) {
		f->in_string = true;
		f->in_key = expects_key(f) && f->sink && !f->dropping && node_at(f, f->depth) != NODE_NONE;
		f->expect = expects_key(f) ? EXPECT_COLON : EXPECT_MORE;
		if (f->in_key)
			f->key_at = f->sink->len + (size_t)(c->at - c->mark);
		c->at++;
		return 0;
	}
	f->expect = EXPECT_SCALAR;
	c->at++;
	return 0;
}

/* Reads one token outside of strings. */
static int scan_token(struct framer *f, struct cut *c)
{
	switch (*c->at) {
	case '{':
	case '[':
		return open_bracket(f, c);
	case '}':
	case ']':
		return close_bracket(f, c);
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		if (f->expect == EXPECT_SCALAR)
			f->expect = EXPECT_MORE;
		c->at++;
		return 0;
	case ',':
		return f->depth ? comma(f, c) : plain_token(f, c);
	case ':':
		return f->depth ? colon(f, c) : plain_token(f, c);
	default:
		return plain_token(f, c);
	}
}

static int consume(struct framer *f, struct cut *c);

/* The piece cannot be read as a whole: goes back to its beginning, and reads it again up to where its bytes were lost. */
static int skim(struct framer *f, struct cut *c)
{
	struct buf so_far = f->piece;
	struct str bytes = so_far.len ? buf_str(&so_far) : STR("");	/* its first byte may already be the one that does not fit */
	struct cut again = { bytes.ptr, bytes.ptr + bytes.len, bytes.ptr, c->err, false };
	int rc = 0;

	assert(f->piece_depth > 0 && !f->skims);
	f->piece = BUF_MAX(SKIM_BYTES);
	f->depth = f->brackets.len = f->piece_depth - 1;
	f->piece_depth = 0;
	f->in_string = f->escaped = f->in_key = f->dropping = false;
	f->sink = NULL;
	f->expect = EXPECT_VALUE;
	f->skims = true;
	c->unfit = false;
	c->at = c->mark;
	if (so_far.len)
		rc = consume(f, &again);
	buf_release(&so_far);
	return rc;
}

static int consume(struct framer *f, struct cut *c)
{
	int rc = 0;

	while (rc == 0 && c->at < c->end) {
		rc = f->in_string ? scan_string(f, c) : scan_token(f, c);
		if (rc == 0 && c->at == c->end)
			rc = flush(f, c);
		if (rc < 0 && c->unfit)
			rc = skim(f, c);
	}
	return rc;
}

int framer_feed(struct framer *f, struct str bytes, struct err *err)
{
	struct cut c = { bytes.ptr, bytes.ptr + bytes.len, bytes.ptr, err, false };

	return consume(f, &c);
}

static int keep_piece(void *ctx, struct str piece, struct err *err)
{
	(void)err;
	buf_add(ctx, piece);
	return 0;
}

/* Makes of a piece that is no JSON what is kept of one that is too deep. */
static void reduce(struct str piece, const struct err *why, struct buf *out)
{
	static const struct framer_ops ops = { keep_piece };
	struct framer *f = framer_new(FRAMER_STREAM, &ops, out);
	struct err ignored = { 0 };

	f->skims = true;
	f->why = *why;
	if (framer_feed(f, piece, &ignored) < 0)
		buf_reset(out);
	framer_free(f);
}

int framer_read(struct str *piece, struct buf *reduced, struct json *out)
{
	struct err why = { 0 };

	if (json_parse(*piece, out, &why) == 0)
		return 0;
	reduce(*piece, &why, reduced);
	*piece = buf_str(reduced);
	return json_parse(*piece, out, &(struct err){ 0 });
}

bool framer_within(const struct framer *f)
{
	return f->depth > 0;
}

int framer_end(struct framer *f, struct err *err)
{
	if (framer_within(f) || (f->mode == FRAMER_LIST && !f->done))
		return err_set(err, ERR_PROTO, "unexpected end of JSON input");
	return 0;
}
