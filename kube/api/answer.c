/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error answers in kubectl's sentences, because people search for them (NewGenericServerResponse in apimachinery,
 * StandardErrorMessage in kubectl).
 */
#include "kube/api/answer.h"

#include "kube/base/utf8.h"

#include <inttypes.h>
#include <string.h>

enum { RETRY_AFTER_MAX = 1000000000 };	/* seconds; a larger value would overflow as milliseconds */

/* What a status code means by itself, for bodies that are no Status. */
static const struct {
	int status;
	const char *reason, *message;	/* message NULL: the text of the body is the message */
	enum errc code;
} meanings[] = {
	{ 401, "Unauthorized", "the server has asked for the client to provide credentials", ERR_AUTH },
	{ 403, "Forbidden", NULL, ERR_FORBIDDEN },
	{ 404, "NotFound", "the server could not find the requested resource", ERR_NOT_SERVED },
	{ 405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
	  ERR_SERVER },
	{ 406, "NotAcceptable", NULL, ERR_SERVER },
	{ 409, "Conflict", "the server reported a conflict", ERR_SERVER },
	{ 410, "Expired", "the requested version is no longer available", ERR_GONE },
	{ 415, "UnsupportedMediaType", NULL, ERR_SERVER },
	{ 422, "Invalid", "the server rejected our request due to an error in our request", ERR_SERVER },
	{ 429, "TooManyRequests",
	  "the server has received too many requests and has asked us to try again later", ERR_THROTTLED },
	{ 503, "ServiceUnavailable", "the server is currently unable to handle the request", ERR_SERVER },
	{ 504, "Timeout",
	  "the server was unable to return a response in the time allotted, but may still be processing the request",
	  ERR_SERVER },
};

enum { NMEANINGS = sizeof(meanings) / sizeof(meanings[0]) };

static enum errc code_of(int status)
{
	for (size_t i = 0; i < NMEANINGS; i++)
		if (meanings[i].status == status)
			return meanings[i].code;
	return ERR_SERVER;
}

static void finish(struct err *out, const struct answer *a, int status)
{
	int wait = answer_retry_after(a->retry_after);

	out->http_status = status;
	if (wait > 0)
		out->retry_after = wait;
	if (out->code == ERR_AUTH)
		err_hint(out, "the credentials of this kubeconfig user are missing, wrong or expired");
}

static int say(struct err *out, enum errc code, struct str reason, struct str message)
{
	if (code == ERR_AUTH)
		return err_set(out, code, "You must be logged in to the server (" STR_FMT ")", STR_ARG(message));
	if (str_empty(reason))
		return err_set(out, code, "Error from server: " STR_FMT, STR_ARG(message));
	return err_set(out, code, "Error from server (" STR_FMT "): " STR_FMT, STR_ARG(reason),
		       STR_ARG(message));
}

bool answer_is_failure(struct json value)
{
	return str_is(json_str(value, "kind"), "Status") && !str_is(json_str(value, "status"), "Success");
}

/* kubectl names the list only where the words of the server do not say enough. */
static void add_listed(struct buf *b, const struct answer *a, int status)
{
	if (!str_empty(a->listed) && (status == 404 || status == 400))
		buf_printf(b, "Unable to list \"" STR_FMT "\": ", STR_ARG(a->listed));
}

int answer_status(struct json status, const struct answer *a, struct err *out)
{
	int64_t own = json_int(status, "code", 0);
	int code = own >= 100 && own < 1000 ? (int)own : a->status;
	struct str reason = json_str(status, "reason"), message = json_str(status, "message");
	int64_t wait = json_int(status, "details.retryAfterSeconds", 0);
	enum errc errc = code_of(code);
	struct buf text = BUF_MAX(1024);

	if (str_is(reason, "Expired") || str_is(reason, "Gone"))
		errc = ERR_GONE;
	add_listed(&text, a, code);
	buf_add(&text, str_head(message, 900));
	if (str_empty(message))
		buf_add(&text, str_empty(reason) ? STR("unknown") : reason);
	say(out, errc, reason, buf_str(&text));
	finish(out, a, code);
	if (wait > 0 && !out->retry_after)
		out->retry_after = wait < RETRY_AFTER_MAX ? (int)wait : RETRY_AFTER_MAX;
	buf_release(&text);
	return -1;
}

static void add_meaning(struct buf *text, const struct answer *a, const char *message)
{
	struct str body = str_trim(str_head(a->body, 400));

	if (message)
		buf_add_cstr(text, message);
	else if (a->status >= 500)
		BUF_JOIN(text, STR("an error on the server (\""), str_empty(body) ? STR("unknown") : body,
			 STR("\") has prevented the request from succeeding"));
	else
		buf_add(text, str_empty(body) ? STR("unknown") : body);
}

static int plain_error(const struct answer *a, struct err *out)
{
	const char *reason = a->status >= 500 ? "InternalError" : "", *message = NULL;
	struct buf text = BUF_MAX(1024);

	for (size_t i = 0; i < NMEANINGS; i++)
		if (meanings[i].status == a->status) {
			reason = meanings[i].reason;
			message = meanings[i].message;
		}
	add_listed(&text, a, a->status);
	add_meaning(&text, a, message);
	if (!str_empty(a->what))
		buf_printf(&text, " (" STR_FMT ")", STR_ARG(a->what));
	say(out, code_of(a->status), str_of(reason), buf_str(&text));
	finish(out, a, a->status);
	buf_release(&text);
	return -1;
}

int answer_error(const struct answer *a, struct err *out)
{
	struct json doc = JSON_NONE;
	struct err ignored;
	int rc;

	if (a->status >= 300 && a->status < 400) {
		err_set(out, ERR_PROTO, "Unable to connect to the server: unexpected redirect (HTTP %d)", a->status);
		err_hint(out, "check the server's URL, or whether a login proxy stands in front of it");
		out->http_status = a->status;
		return -1;
	}
	if (document_read(a->body, &doc, &ignored) == 0 && answer_is_failure(doc))
		rc = answer_status(doc, a, out);
	else
		rc = plain_error(a, out);
	json_free(doc);
	return rc;
}

int answer_check_type(struct str type, struct err *out)
{
	struct str bare = str_trim(str_head(type, str_find(type, ';')));

	if (str_empty(bare) || str_ends(bare, "json"))
		return 0;
	if (str_eq_nocase(bare, STR("text/html"))) {
		err_set(out, ERR_PROTO, "the server returned HTML instead of JSON");
		return err_hint(out, "is there a login page or a proxy in front of the server?");
	}
	return err_set(out, ERR_PROTO, "the server returned " STR_FMT " instead of JSON", STR_ARG(bare));
}

/* Reads "bytes 0-99/1234"; *out_total is UINT64_MAX for "*".  Returns false for everything else. */
static bool read_range(struct str s, uint64_t *out_first, uint64_t *out_last, uint64_t *out_total)
{
	struct str range = str_trim(s), total;
	int64_t numbers[3] = { 0 };
	size_t dash, slash;

	if (range.len < 6 || !str_eq_nocase(str_head(range, 6), STR("bytes ")))
		return false;
	range = str_from(range, 6);
	dash = str_find(range, '-');
	slash = str_find(range, '/');
	if (dash >= slash || slash >= range.len)
		return false;
	total = str_from(range, slash + 1);
	if (!str_to_int(str_head(range, dash), &numbers[0]) || !str_to_int(str_from(str_head(range, slash), dash + 1), &numbers[1]) ||
	    (!str_is(total, "*") && !str_to_int(total, &numbers[2])) || numbers[0] < 0 || numbers[1] < numbers[0] || numbers[2] < 0)
		return false;
	*out_first = (uint64_t)numbers[0];
	*out_last = (uint64_t)numbers[1];
	*out_total = str_is(total, "*") ? UINT64_MAX : (uint64_t)numbers[2];
	return true;
}

int answer_check_part(const struct answer_part *a, uint64_t from, uint64_t n, struct err *out)
{
	struct str type = str_trim(str_head(a->content_type, str_find(a->content_type, ';')));
	uint64_t first, last, total;

	if (a->content_encoding.len && !str_eq_nocase(str_trim(a->content_encoding), STR("identity")))
		return err_set(out, ERR_PROTO, "the web server sends bytes with Content-Encoding \"" STR_FMT "\", which are not those of the file",
			       STR_ARG(a->content_encoding));
	if (str_eq_nocase(type, STR("text/html")) || str_starts(type, "multipart/"))
		return err_set(out, ERR_PROTO, "the web server sends " STR_FMT " instead of the bytes of a file", STR_ARG(type));
	if (a->status == 200 && (from || a->len > n))
		return err_set(out, ERR_PROTO, "the web server does not know range requests");
	if (a->status == 200)
		return 0;
	if (a->status != 206)
		return err_set(out, ERR_PROTO, "the web server answers a request for a range of bytes with %d", a->status);
	if (!read_range(a->content_range, &first, &last, &total))
		return err_set(out, ERR_PROTO, "the web server does not say which bytes it sends (Content-Range \"" STR_FMT "\")", STR_ARG(a->content_range));
	if (first != from || last >= from + n || last - first + 1 != a->len || last >= total || (a->len < n && total != UINT64_MAX && last + 1 < total))
		return err_set(out, ERR_PROTO, "the web server sends other bytes than those that were asked for (%" PRIu64 "-%" PRIu64 ", and not %" PRIu64 "-%" PRIu64 ")", first, last,
			       from, from + n - 1);
	return 0;
}

int answer_retry_after(struct str header)
{
	int64_t seconds;

	if (!str_to_int(str_trim(header), &seconds))
		return -1;
	return seconds < RETRY_AFTER_MAX ? (int)seconds : RETRY_AFTER_MAX;
}

static struct str skip_blanks(struct str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t' || s.ptr[0] == ','))
		s = str_from(s, 1);
	return s;
}

/* Takes a quoted string off *rest; its text is added to out unless out is NULL. */
static bool take_quoted(struct str *rest, struct buf *out)
{
	size_t i = 1;

	if (!str_starts(*rest, "\""))
		return false;
	for (; i < rest->len && rest->ptr[i] != '"'; i++) {
		if (rest->ptr[i] == '\\' && i + 1 < rest->len)
			i++;
		if (out)
			buf_add_char(out, rest->ptr[i]);
	}
	if (i >= rest->len)
		return false;
	*rest = str_from(*rest, i + 1);
	return true;
}

static void keep_harmless(struct buf *out, struct str text)
{
	char bytes[4];

	for (size_t at = 0; at < text.len;) {
		uint32_t rune = utf8_next(text, &at);

		if (!utf8_hostile(rune))
			buf_add(out, (struct str){ bytes, utf8_put(rune, bytes) });
	}
}

/* Reads 299 - "text" ["date"], of which there may be several with commas between them (RFC 7234, 5.5). */
bool answer_warning(struct str *rest, struct buf *out)
{
	struct buf text = BUF_MAX(1024);
	bool found = false;

	while (!found && !str_empty(*rest = skip_blanks(*rest))) {
		bool counts = str_starts(*rest, "299 ");

		buf_reset(&text);
		*rest = str_from(*rest, str_find(*rest, ' ') + 1);
		*rest = skip_blanks(str_from(*rest, str_find(*rest, ' ')));
		if (!take_quoted(rest, &text))
			break;
		*rest = skip_blanks(*rest);
		if (str_starts(*rest, "\"") && !take_quoted(rest, NULL))
			break;
		if (counts && text.len) {
			keep_harmless(out, buf_str(&text));
			found = true;
		}
	}
	if (!found)
		*rest = STR_NONE;
	buf_release(&text);
	return found;
}
