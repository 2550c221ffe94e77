/* SPDX-License-Identifier: Apache-2.0 */
/* Every ceiling of the program.  Over it is an error, never growth. */
#ifndef KUBE_BASE_LIMITS_H
#define KUBE_BASE_LIMITS_H

#define KIB(n) ((size_t)(n) * 1024)
#define MIB(n) ((size_t)(n) * 1024 * 1024)

/* one object, in a list or as a watch event; etcd refuses over 1.5 MiB, conversions and lists of files may be larger */
#define LIMIT_OBJECT MIB(32)
/* what stands around the items of a list, an error body, a small answer */
#define LIMIT_ENVELOPE MIB(1)
/* of the next page of a list, while the one before it is still read */
#define LIMIT_PREFETCH MIB(16)
/* of all answers together, received while there was no time to read them; what comes beyond it is read at once */
#define LIMIT_RECEIVED MIB(16)
/* pages of one list (500 objects each where the server gives so many), and pages without an object one after the other */
#define LIMIT_LIST_PAGES 1000
#define LIMIT_EMPTY_PAGES 10
#define LIMIT_DISCOVERY MIB(64)
#define LIMIT_KUBECONFIG MIB(16)
#define LIMIT_TOKEN KIB(64)
#define LIMIT_PLUGIN_OUTPUT MIB(1)
#define LIMIT_FILE MIB(1024)
/* a recording that comes through a pipe is kept in memory */
#define LIMIT_PIPE MIB(256)
/* nesting of JSON; the API server's is 10000 */
#define LIMIT_JSON_DEPTH 1000
#define LIMIT_DEPTH 200
/* conditions, references and history kept of one object */
#define LIMIT_CONDITIONS 100
#define LIMIT_REFS 200
/* of a message, kept in memory */
#define LIMIT_MESSAGE KIB(4)
/* requests at once that are no watches, and their rate */
#define LIMIT_REQUESTS_IN_FLIGHT 100
#define LIMIT_REQUESTS_PER_SECOND 50
#define LIMIT_REQUEST_BURST 400
/* to one server of HTTP/1.1, where each takes a connection: watches, the most urgent ones, and requests beside them */
#define LIMIT_WATCHES_HTTP1 256
#define LIMIT_REQUESTS_HTTP1 8
/* files and connections of the whole program */
#define LIMIT_FILES 4096

#endif
