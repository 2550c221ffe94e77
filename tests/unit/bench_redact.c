/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the redaction of a text of 1 MB costs, as a multiple of one memchr() over the same text in the same run.
 * Prints figures for "make bench"; judges nothing.
 */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/redact.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 200 };

/* Keeps the compiler from leaving memchr() out. */
static volatile size_t sink;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* The quickest of many rounds, the two in turn: what another program does meanwhile only makes one longer. */
static double ratio(const char *pattern, size_t len)
{
	char *all = xmalloc(2 * len), *text = all + len;
	double plain = 1e9, ours = 1e9;

	for (size_t i = 0; i < len; i++)
		all[i] = pattern[i % strlen(pattern)];
	for (int i = 0; i < ROUNDS; i++) {
		double start;

		memcpy(text, all, len);
		start = cpu();
		sink = memchr(text, '\x01', len) != NULL;
		plain = least(plain, cpu() - start);
		start = cpu();
		sink = redact_text(text, len).len;
		ours = least(ours, cpu() - start);
	}
	xfree(all);
	return ours / plain;
}

static void say(const char *what, const char *pattern, const char *goal)
{
	printf("%-66s %.1f%s\n", what, ratio(pattern, MIB(1)), goal);
	fflush(stdout);
}

int main(void)
{
	say("redaction of 1 MB, times a memchr(): messages, nothing to hide",
	    "back-off 5m0s restarting failed container=api pod=api-7c9f5d6b84-x2x7z_prod(6e0c5d54-0f3c-4b1e-9d3d-3d5b1c2f9a10)\n"
	    "Failed to pull image \"registry.example.org/shop/api:2.7.1\": rpc error: code = NotFound desc = failed to resolve\n",
	    " (at most 3)");
	say("the same with '%', ';', \"Se\" and a query in each line",
	    "Error from Server: 85 % done; see https://example.org/docs/pull?page=3&sort=name for more, which is a longer text\n", "");
	say("the same, JSON within JSON",
	    "{\\\"level\\\":\\\"info\\\",\\\"msg\\\":\\\"reconciled\\\",\\\"object\\\":{\\\"name\\\":\\\"api\\\"},\\\"took\\\":\\\"3ms\\\"}\\n", "");
	say("the same, digests of images", "docker.io/library/nginx@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f9", "");
	say("full of '@'", "@", "");
	say("full of \"a:b@c/\"", "a:b@c/", "");
	say("full of \"://\"", "://", "");
	say("'@' and then full of \"://x\"", "@://x", "");
	say("full of '='", "=", "");
	say("full of \"?sig=a\"", "?sig=a", "");
	say("full of \"kind: Secret\"", "kind: Secret ", "");
	return 0;
}
