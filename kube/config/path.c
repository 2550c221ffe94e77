/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/config/path.h"

#include "kube/base/buf.h"

#include <limits.h>
#include <unistd.h>

/* Removes the last segment, unless there is none, or only "..". */
static bool drop_last(struct buf *b, bool rooted)
{
	struct str s = buf_str(b);
	size_t slash = str_rfind(s, '/');
	struct str last = slash < s.len ? str_from(s, slash + 1) : s;

	if (str_empty(last) || str_is(last, ".."))
		return rooted;
	b->len = slash < s.len ? slash + (rooted && slash == 0) : 0;
	return true;
}

static void add_segment(struct buf *b, struct str segment, bool rooted)
{
	if (str_empty(segment) || str_is(segment, "."))
		return;
	if (str_is(segment, "..") && drop_last(b, rooted))
		return;
	if (b->len > (rooted ? 1u : 0u))
		buf_add_char(b, '/');
	buf_add(b, segment);
}

struct str path_clean(struct arena *arena, struct str path)
{
	bool rooted = str_starts(path, "/");
	struct buf b = { 0 };
	struct str segment, result;

	if (rooted)
		buf_add_char(&b, '/');
	while (str_split(&path, '/', &segment))
		add_segment(&b, segment, rooted);
	result = b.len ? arena_str(arena, buf_str(&b)) : STR(".");
	buf_release(&b);
	return result;
}

struct str path_below(struct arena *arena, struct str base, struct str path)
{
	if (str_empty(path) || str_starts(path, "/"))
		return path;
	return path_clean(arena,
			  arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(path)));
}

struct str path_folder(struct arena *arena, struct str file)
{
	size_t slash = str_rfind(file, '/');
	struct str folder = slash < file.len ? str_head(file, slash ? slash : 1) : STR(".");
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		return folder;
	return path_clean(arena, path_below(arena, str_of(here), folder));
}
