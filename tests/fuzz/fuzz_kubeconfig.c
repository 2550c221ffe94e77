/* SPDX-License-Identifier: Apache-2.0 */
/* A kubeconfig may come from anybody: reading it, and dialling what it says, must not crash. */
#include "kube/base/buf.h"
#include "kube/config/config_file.h"
#include "kube/config/config_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct config_file file;
	struct arena arena = { 0 };
	struct err err = { 0 };

	if (config_file_parse(text, &arena, &file, &err) == 0) {
		for (size_t i = 0; i < file.lists[CONFIG_CLUSTERS].n; i++) {
			const struct config_cluster *cluster = &((const struct config_cluster *)file.lists[CONFIG_CLUSTERS].at)[i];
			struct config_server server;
			struct str proxy;

			if (config_server_parse(cluster->server, &arena, &server,
						&err) == 0)
				config_server_masked(server.url, &arena);
			if (config_server_proxy(cluster->proxy_url, &arena, &proxy,
						&err) < 0)
				config_server_masked(cluster->proxy_url, &arena);
		}
	}
	arena_release(&arena);
	return 0;
}
