/* SPDX-License-Identifier: Apache-2.0 */
/* How to reach a cluster: from kubeconfig files, from flags, or from the pod in which the program runs. */
#ifndef KUBE_CONFIG_KUBECONFIG_H
#define KUBE_CONFIG_KUBECONFIG_H

#include "kube/base/arena.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

/* Flags of the command line; NULL or empty means not given.  They are borrowed. */
struct config_flags {
	const char *kubeconfig, *context, *cluster, *user, *namespace, *server, *token;
	const char *tls_server_name, *certificate_authority, *client_certificate, *client_key;
	const char *as, *as_uid, *username, *password;
	const char *const *as_groups;		/* ends with NULL; or NULL */
	const char *const *as_user_extra;	/* "key=value", ends with NULL; or NULL */
	bool insecure_skip_tls_verify, disable_compression;
	const char *in_cluster_dir;	/* where the service account of a pod is mounted; NULL: where the kubelet mounts it */
};

struct exec_env {
	struct str name, value;
};

/* Which credential plugins the user allows, from kuberc. */
enum plugin_policy { PLUGIN_ALLOW_ALL, PLUGIN_DENY_ALL, PLUGIN_ALLOWLIST };

struct config_strings {
	const struct str *at;
	size_t n;
};

struct config_pairs {
	const struct exec_env *at;	/* name = key */
	size_t n;
};

/* The exec credential plugin of a user; command is "" when there is none. */
struct exec_config {
	bool given;
	struct str api_version, command, install_hint, interactive_mode;
	enum plugin_policy policy;
	const struct str *allowlist;	/* commands */
	size_t nallowlist;
	struct config_strings args;
	struct config_pairs env;
	bool provide_cluster_info;
	struct str cluster_extension;	/* the exec extension of the cluster as JSON, "" when absent */
};

/*
 * A user of the old "oidc" auth provider.  kubectl refreshes and stores the token; the flags are those with which it
 * has to be called.
 */
struct oidc_config {
	bool used;
	struct str id_token;
	bool refreshable;
	struct config_flags flags;
};

struct impersonation {
	struct str user, uid;
	struct config_strings groups;
	struct config_pairs extra;	/* a key may be repeated */
};

/*
 * One cluster, one user, one namespace, ready for use.  Everything is in the arena that config_load() was given.
 * Certificates are PEM texts and not file names, because credentials are never written to a file.
 */
struct client_config {
	struct str context;		/* the name of the context, "" without one */
	struct str cluster_name, user_name;
	struct str namespace;		/* "default" when none is given */
	bool namespace_explicit;
	struct str server;		/* "https://host:port/base", without user and password */
	/* no cluster is configured: the server is localhost:8080, the default of kubectl */
	bool from_default;
	struct str hint;		/* what the user could do about that */
	struct str tls_server_name;
	bool insecure, disable_compression;
	struct str ca_pem;		/* "": the certificate authorities of the system */
	bool ca_given;			/* certificate authorities were configured, and only they are trusted */
	struct str cert_pem, key_pem;
	/* the files from which they were read, because files are renewed; "": they stand in the kubeconfig */
	struct str ca_file, cert_file, key_file;
	struct str proxy_url;
	struct str token, token_file;	/* the file has priority; a token by flag leaves no file */
	struct str username, password;
	struct exec_config exec;
	struct oidc_config oidc;
	struct impersonation as;
};

/*
 * Reads the configuration as kubectl 1.36 does (client-go/tools/clientcmd).  ERR_INPUT with kubectl's words for a
 * broken file or an unknown context; errors never contain secrets.
 */
int config_load(const struct config_flags *flags, struct arena *arena,
		struct client_config *out_config, struct err *err) MUST_USE;

/*
 * Does the same in two steps, for several contexts of the same files: the files are read once, into arena.  Returns
 * NULL after an error.
 */
struct config_file;
struct config_file *config_read(const struct config_flags *flags, struct arena *arena, struct err *err) MUST_USE;
int config_load_from(const struct config_file *file, const struct config_flags *flags, struct arena *arena,
		     struct client_config *out_config, struct err *err) MUST_USE;

/* Returns the names of all contexts, clusters or users in the order of the files. */
enum config_names { CONFIG_CONTEXTS, CONFIG_CLUSTERS, CONFIG_USERS, CONFIG_LISTS };
int config_names(const struct config_flags *flags, enum config_names what, struct arena *arena,
		 const struct str **out_names, size_t *out_n, struct err *err) MUST_USE;

#endif
