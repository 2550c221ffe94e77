/* SPDX-License-Identifier: Apache-2.0 */
/* The content of kubeconfig files, before flags and defaults are applied. */
#ifndef KUBE_CONFIG_CONFIG_FILE_H
#define KUBE_CONFIG_CONFIG_FILE_H

#include "kube/config/kubeconfig.h"

struct config_cluster {
	struct str name;
	struct str dir;			/* the absolute folder of its file, to which relative paths refer */
	struct str server, tls_server_name, ca_file, ca_data, proxy_url;
	bool insecure, disable_compression;
	struct str exec_extension;	/* the extension for exec plugins as JSON, "" when absent */
};

struct config_provider {
	bool given;
	struct str name;
	struct config_pairs config;
};

struct config_user {
	struct str name, dir;
	struct str cert_file, cert_data, key_file, key_data;
	struct str token, token_file, username, password;
	struct impersonation as;
	struct exec_config exec;
	struct config_provider provider;
};

struct config_context {
	struct str name, cluster, user, namespace;
};

/* A list of the entries of one type, of which each has its name as its first member. */
struct config_entries {
	void *at;
	size_t n;
};

struct config_file {
	struct config_entries lists[CONFIG_LISTS];	/* by enum config_names */
	struct str current_context;
};

/*
 * Reads one kubeconfig, YAML or JSON, of which only the first document counts.  The values of *-data are decoded.
 * ERR_INPUT with kubectl's words, which never repeat a value.
 */
int config_file_parse(struct str text, struct arena *arena, struct config_file *out,
		      struct err *err) MUST_USE;

/*
 * Reads the files that the flags or $KUBECONFIG name, or ~/.kube/config, and merges them as
 * client-go/tools/clientcmd/loader.go does: of entries with the same name the first counts, as a whole.  Relative paths
 * are made absolute.  A missing file is an error only when a flag names it.
 */
int config_files_read(const struct config_flags *flags, struct arena *arena,
		       struct config_file *out, struct err *err) MUST_USE;

/* Returns the name of an entry. */
struct str config_file_name(const struct config_file *f, enum config_names what, size_t i);
/* Returns a struct config_cluster, config_user or config_context; NULL when there is none of that name. */
const void *config_file_find(const struct config_file *f, enum config_names what, struct str name);

#endif
