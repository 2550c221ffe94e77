/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without a fuzzer: over files, so that a corpus is a test,
 * and with -t SECONDS over mutations of them, where there is no libFuzzer.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 * 1024 };

struct input {
	uint8_t *data;
	size_t size;
};

static int read_file(const char *name, struct input *out)
{
	FILE *f = fopen(name, "rb");
	size_t n;

	*out = (struct input){ NULL, 0 };
	if (!f) {
		fprintf(stderr, "cannot open %s\n", name);
		return 1;
	}
	do {
		out->data = realloc(out->data, out->size + 65536);
		if (!out->data)
			abort();
		n = fread(out->data + out->size, 1, 65536, f);
		out->size += n;
	} while (n > 0);
	fclose(f);
	return 0;
}

/* A copy of its own size, so that a sanitizer sees every step beyond it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

/* ---- mutations ----------------------------------------------------------- */

static uint64_t state;

static size_t random_below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? (size_t)(state % n) : 0;
}

static void insert(struct input *in, size_t at, const void *bytes, size_t n)
{
	if (in->size + n > INPUT_MAX)
		return;
	memmove(in->data + at + n, in->data + at, in->size - at);
	memcpy(in->data + at, bytes, n);
	in->size += n;
}

static void cut(struct input *in, size_t at, size_t n)
{
	memmove(in->data + at, in->data + at + n, in->size - at - n);
	in->size -= n;
}

static void insert_word(struct input *in, size_t at)
{
	static const char *const words[] = { "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u0000", "\\ud800", "null",
					     "true", "-0", "1e999", "9223372036854775808", "\n", "\n---\n", "\t", "- ",
					     "&a ", "*a", "<<: ", "!!binary ", "\xff", "\xef\xbb\xbf", "\x1b[", "%s%n" };
	const char *word = words[random_below(sizeof(words) / sizeof(words[0]))];

	insert(in, at, word, strlen(word));
}

static void mutate(struct input *in, const struct input *other)
{
	size_t at = random_below(in->size + 1), n = random_below(in->size - at + 1), from;

	switch (random_below(6)) {
	case 0:
		if (at < in->size)
			in->data[at] ^= (uint8_t)(1u << random_below(8));
		break;
	case 1:
		if (at < in->size)
			in->data[at] = (uint8_t)random_below(256);
		break;
	case 2:
		cut(in, at, n > 64 && random_below(4) ? random_below(64) : n);
		break;
	case 3:
		insert_word(in, at);
		break;
	case 4:	/* a piece of another one */
		from = random_below(other->size);
		insert(in, at, other->data + from, random_below(other->size - from + 1));
		break;
	default:	/* a piece of itself, once more */
		if (n && in->size + n <= INPUT_MAX) {
			uint8_t *piece = malloc(n);

			if (!piece)
				abort();
			memcpy(piece, in->data + at, n);
			insert(in, random_below(in->size + 1), piece, n);
			free(piece);
		}
		break;
	}
}

/* The seed, and the input that a crash leaves behind for the corpus. */
static unsigned long run_mutations(const struct input *corpus, size_t n, int seconds, const char *keep)
{
	struct input in = { malloc(INPUT_MAX), 0 };
	struct timespec start, now;
	unsigned long runs = 0;

	if (!in.data)
		abort();
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		const struct input *from = &corpus[random_below(n)];
		int fd = open(keep, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		in.size = from->size < INPUT_MAX ? from->size : INPUT_MAX;
		memcpy(in.data, from->data, in.size);
		for (size_t i = 1 + random_below(8); i > 0; i--)
			mutate(&in, &corpus[random_below(n)]);
		if (fd < 0 || write(fd, in.data, in.size) < 0)
			fprintf(stderr, "cannot write %s\n", keep);
		close(fd);
		run(in.data, in.size);
		runs++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < seconds);
	unlink(keep);
	free(in.data);
	return runs;
}

int main(int argc, char **argv)
{
	int first = argc > 2 && strcmp(argv[1], "-t") == 0 ? 3 : 1, failed = 0;
	size_t n = (size_t)(argc > first ? argc - first : 0);
	struct input *corpus = calloc(n + 1, sizeof(*corpus));
	unsigned long runs = 0;
	char keep[4096];

	if (!corpus)
		abort();
	for (size_t i = 0; i < n; i++) {
		failed |= read_file(argv[first + (int)i], &corpus[i]);
		run(corpus[i].data, corpus[i].size);
	}
	if (first == 3 && n) {
		const char *seed = getenv("FUZZ_SEED");

		state = (seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL)) | 1;
		snprintf(keep, sizeof(keep), "%s.input", argv[0]);
		printf("seed %llu, the input under way: %s\n", (unsigned long long)state, keep);
		fflush(stdout);
		runs = run_mutations(corpus, n, atoi(argv[2]), keep);
	}
	printf("%zu inputs, %lu mutations\n", n, runs);
	for (size_t i = 0; i < n; i++)
		free(corpus[i].data);
	free(corpus);
	return n == 0 || failed;
}
