/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over files, so that a corpus is a test without a fuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *name)
{
	FILE *f = fopen(name, "rb");
	uint8_t *data = NULL;
	size_t size = 0, n;

	if (!f) {
		fprintf(stderr, "cannot open %s\n", name);
		return 1;
	}
	do {
		uint8_t *bigger = realloc(data, size + 65536);

		if (!bigger)
			abort();
		data = bigger;
		n = fread(data + size, 1, 65536, f);
		size += n;
	} while (n > 0);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= run_file(argv[i]);
	printf("%d inputs\n", argc - 1);
	return argc < 2 || failed;
}
