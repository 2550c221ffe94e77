/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/pem.h"

#include "kube/base/crypto.h"

#define BEGIN "-----BEGIN "
#define END_CERTIFICATE "-----END CERTIFICATE-----"

/* Takes the next block off *rest and returns its type, "CERTIFICATE"; false at the end. */
static bool next_block(struct str *rest, struct str *out_type)
{
	size_t at = str_find_str(*rest, BEGIN), end;

	if (at == rest->len)
		return false;
	*rest = str_from(*rest, at + sizeof(BEGIN) - 1);
	end = str_find_str(*rest, "-----");
	if (end == rest->len)
		return false;
	*out_type = str_head(*rest, end);
	*rest = str_from(*rest, end + 5);
	return true;
}

static bool has_block(struct str pem, const char *ending)
{
	struct str type;

	while (next_block(&pem, &type))
		if (str_ends(type, ending))
			return true;
	return false;
}

/* The message says what is looked for, even where there are blocks of other types. */
static int hint_at_block(struct err *err, const char *type)
{
	return err_hint(err, "a block of PEM that begins with -----BEGIN %s----- is needed", type);
}

/* A key is encrypted in the form of PKCS#8, or in the old form with a header. */
static bool is_encrypted(struct str key)
{
	return has_block(key, "ENCRYPTED PRIVATE KEY") ||
	       str_find_str(key, "Proc-Type: 4,ENCRYPTED") < key.len;
}

int pem_check_pair(struct str cert, struct str key, struct err *err)
{
	if (!has_block(cert, "CERTIFICATE")) {
		err_set(err, ERR_INPUT, "tls: failed to find any PEM data in certificate input");
		return hint_at_block(err, "CERTIFICATE");
	}
	if (!has_block(key, "PRIVATE KEY")) {
		err_set(err, ERR_INPUT, "tls: failed to find any PEM data in key input");
		return hint_at_block(err, "PRIVATE KEY");
	}
	if (!is_encrypted(key))
		return 0;
	err_set(err, ERR_INPUT, "tls: failed to parse private key");
	return err_hint(err, "the key is encrypted, and passwords are not asked for: \"openssl pkey\" decrypts it");
}

int pem_check_ca(struct str ca, struct err *err)
{
	if (str_empty(ca) || has_block(ca, "CERTIFICATE"))
		return 0;
	err_set(err, ERR_INPUT, "unable to load root certificates: unable to parse bytes as PEM block");
	return hint_at_block(err, "CERTIFICATE");
}

/* ---- bundles --------------------------------------------------------------------- */

static void add_certificate(struct buf *out, struct str body)
{
	struct buf digits = { 0 }, der = { 0 };

	/* Go accepts blanks everywhere in base64. */
	for (size_t i = 0; i < body.len; i++)
		if (body.ptr[i] != ' ' && body.ptr[i] != '\t')
			buf_add_char(&digits, body.ptr[i]);
	if (base64_decode(buf_str(&digits), &der) < 0 && der_is_certificate(buf_str(&der))) {
		buf_add_cstr(out, BEGIN "CERTIFICATE-----\n");
		buf_add(out, str_trim(buf_str(&digits)));
		buf_add_cstr(out, "\n" END_CERTIFICATE "\n");
	}
	buf_release(&digits);
	buf_release(&der);
}

void pem_add_certificates(struct buf *out, struct str ca)
{
	struct str type;

	while (next_block(&ca, &type)) {
		struct str body = str_head(ca, str_find_str(ca, "-----"));

		if (str_is(type, "CERTIFICATE") && str_starts(str_from(ca, body.len), END_CERTIFICATE))
			add_certificate(out, body);
	}
}
