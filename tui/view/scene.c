/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/scene.h"

bool scene_selects(const struct scene *scene, struct handle h)
{
	return !scene->selected || scene->selected(scene->selected_ctx, h);
}
