/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, clicks, sizes and changes of the world in any order; see tests/screen/monkey.h. */
#include <locale.h>

#include "tests/screen/monkey.h"

enum { STEPS = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stage s;

	setlocale(LC_ALL, "C.UTF-8");
	stage_init(&s);
	for (size_t i = 0; i + 1 < size && i < STEPS * 2; i += 2) {
		monkey_step(&s, data[i], data[i + 1]);
		stage_paint(&s);
		if (monkey_wrong(&s))
			abort();
	}
	stage_release(&s);
	return 0;
}
