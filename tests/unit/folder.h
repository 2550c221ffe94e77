/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for each test that needs files, with an environment that knows no cluster. */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/base/crypto.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CERT_PEM "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
#define CERT2_PEM "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n"
#define KEY_PEM "-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\n"

struct folder {
	char path[64];
	struct arena names;
};

static inline void folder_environment(const struct folder *f)
{
	static const char *const unset[] = {
		"KUBECONFIG", "KUBERNETES_MASTER", "KUBERNETES_SERVICE_HOST",
		"KUBERNETES_SERVICE_PORT",
		"POD_NAMESPACE", "KUBERC", "KUBECTL_KUBERC", "KUBERNETES_EXEC_INFO"
	};

	for (size_t i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		unsetenv(unset[i]);
	setenv("HOME", f->path, 1);
}

/* 0, or -1 when there is no room on the disk and the like. */
static inline int folder_make(struct folder *f)
{
	char here[] = "/tmp/kubectl-status-test.XXXXXX";

	if (!mkdtemp(here))
		return -1;
	*f = (struct folder){ .names = { 0 } };
	snprintf(f->path, sizeof(f->path), "%s", here);
	folder_environment(f);
	return 0;
}

static inline int folder_remove_one(const char *path, const struct stat *st, int flag,
				    struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void folder_remove(struct folder *f)
{
	arena_release(&f->names);
	nftw(f->path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The absolute name of a file in the folder. */
static inline const char *folder_path(struct folder *f, const char *name)
{
	return arena_printf(&f->names, "%s/%s", f->path, name).ptr;
}

/* Writes a file, with the folders above it; executable when mode says so. */
static inline void folder_put_mode(struct folder *f, const char *name, const char *text,
				   mode_t mode)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	for (char *p = path + sizeof("/tmp/") - 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	out = fopen(path, "w");
	if (!out)
		abort();
	fputs(text, out);
	fclose(out);
	chmod(path, mode);
}

static inline void folder_put(struct folder *f, const char *name, const char *text)
{
	folder_put_mode(f, name, text, 0644);
}

/* Adds text in base64, as *-data fields have it. */
static inline void folder_base64(struct buf *out, const char *text)
{
	base64_add(out, str_of(text));
}

#endif
