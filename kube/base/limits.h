/* SPDX-License-Identifier: Apache-2.0 */
/* Every ceiling of the program.  What goes beyond a ceiling is an error and never takes more memory. */
#ifndef KUBE_BASE_LIMITS_H
#define KUBE_BASE_LIMITS_H

#define KIB(n) ((size_t)(n) * 1024)
#define MIB(n) ((size_t)(n) * 1024 * 1024)

/*
 * bytes of one object, in a list or as a watch event; etcd refuses objects over 1.5 MiB, but conversions and lists in
 * files may be larger
 */
#define LIMIT_OBJECT MIB(32)
/* bytes of what stands around the items of a list, of an error's body, or of a small answer */
#define LIMIT_ENVELOPE MIB(1)
/* bytes of the next page of a list, kept while the page before it is still read */
#define LIMIT_PREFETCH MIB(16)
/*
 * bytes of all answers together that were received while there was no time to read them; beyond that they are read at
 * once
 */
#define LIMIT_RECEIVED MIB(16)
/* pages of one list (each has 500 objects, where the server allows that), and pages without an object in succession */
#define LIMIT_LIST_PAGES 1000
#define LIMIT_EMPTY_PAGES 10
#define LIMIT_DISCOVERY MIB(64)
#define LIMIT_KUBECONFIG MIB(16)
#define LIMIT_TOKEN KIB(64)
#define LIMIT_PLUGIN_OUTPUT MIB(1)
#define LIMIT_FILE MIB(1024)
/* bytes of a recording that comes through a pipe, which is kept in memory */
#define LIMIT_PIPE MIB(256)
/* levels of nested JSON; the API server allows 10000 */
#define LIMIT_JSON_DEPTH 1000
#define LIMIT_DEPTH 200
/* bytes of a document that is no object of a cluster, and the values in it */
#define LIMIT_DOCUMENT MIB(64)
#define LIMIT_DOCUMENT_VALUES 4000000
/* conditions, references and history entries that are kept of one object */
#define LIMIT_CONDITIONS 100
#define LIMIT_REFS 200
/* bytes of a message that are kept in memory */
#define LIMIT_MESSAGE KIB(4)
/* requests at the same time that are not watches, and the rate of such requests */
#define LIMIT_REQUESTS_IN_FLIGHT 100
#define LIMIT_REQUESTS_PER_SECOND 50
#define LIMIT_REQUEST_BURST 400
/*
 * to one HTTP/1.1 server, where each request takes a connection: watches, of which the most urgent are open, and other
 * requests at the same time
 */
#define LIMIT_WATCHES_HTTP1 256
#define LIMIT_REQUESTS_HTTP1 8
/* open files and connections of the whole program */
#define LIMIT_FILES 4096

#endif
