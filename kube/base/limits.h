/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every ceiling of the program.  What goes beyond a ceiling never takes more memory: it is an error, or the oldest of what
 * is kept is forgotten.
 */
#ifndef KUBE_BASE_LIMITS_H
#define KUBE_BASE_LIMITS_H

#define KIB(n) ((size_t)(n) * 1024)
#define MIB(n) ((size_t)(n) * 1024 * 1024)

/*
 * bytes of one object, in a list or as a watch event; etcd refuses objects over 1.5 MiB, but conversions and lists in
 * files may be larger
 */
#define LIMIT_OBJECT MIB(32)
/* bytes of an object of which only the name is kept; an answer with a larger one is not read on */
#define LIMIT_SKIPPED MIB(256)
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
/* bytes of a message of the Model Context Protocol */
#define LIMIT_MCP_LINE MIB(1)
/* bytes of what --alert reads */
#define LIMIT_ALERT MIB(4)
#define LIMIT_PLUGIN_OUTPUT MIB(1)
#define LIMIT_FILE MIB(1024)
/*
 * of an archive: bytes of one file in it that is read, bytes of all files together (also of those that are passed over), the number of
 * files, and archives in archives
 */
#define LIMIT_ARCHIVE_FILE MIB(256)
#define LIMIT_ARCHIVE ((uint64_t)MIB(16384))
#define LIMIT_ARCHIVE_FILES 1000000
#define LIMIT_ARCHIVE_DEPTH 3
/* bytes of a recording that comes through a pipe, which is kept in memory */
#define LIMIT_PIPE MIB(256)
/* bytes of a part of a history that a service has, which is kept in memory, and of all that are played one after the other */
#define LIMIT_HISTORY_PART MIB(256)
#define LIMIT_HISTORY MIB(1024)
/* levels of nested JSON; the API server allows 10000 */
#define LIMIT_JSON_DEPTH 1000
#define LIMIT_DEPTH 200
/* levels of brackets that are counted in a text whose objects need not all be read */
#define LIMIT_BRACKETS 100000
/* bytes of a document that is no object of a cluster, and the values in it */
#define LIMIT_DOCUMENT MIB(64)
#define LIMIT_DOCUMENT_VALUES 4000000
/* conditions, references and history entries that are kept of one object */
#define LIMIT_CONDITIONS 100
/* Facts that one verdict is said to rest on, or to overrule. */
#define LIMIT_BECAUSE 8
#define LIMIT_REFS 200
/* kinds of which only references tell */
#define LIMIT_KINDS_REFERRED 1000
/* versions of a kind, and bytes of one: a label of DNS, as the API server wants it */
#define LIMIT_KIND_VERSIONS 32
#define LIMIT_VERSION 63
/* bytes of a message that are kept in memory: of a longer one its beginning and its end */
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
/*
 * logs: the lines of one that are requested at once, and the bytes of an answer; of a workload, the Pods that are followed
 * at the same time, those whose lines are kept, also when they have gone, the bytes that are kept of each container's run,
 * and those that are shown of all of them
 */
#define LIMIT_LOG_LINES 200
#define LIMIT_LOG_READ KIB(128)
#define LIMIT_LOGS_READ MIB(1)	/* of the end of a file in which the logs of several containers stand */
#define LIMIT_LOG_PODS 12
#define LIMIT_LOG_PODS_KEPT 24
#define LIMIT_LOG_KEPT KIB(128)
#define LIMIT_LOG_SHOWN KIB(768)
/* of files: the texts of Events that are kept for who looks at an object */
#define LIMIT_FILE_EVENTS MIB(32)
/* open files and connections of the whole program */
#define LIMIT_FILES 4096

/*
 * Bytes of everything that is kept of the past of one world, with what malloc() needs for it.  Entries without texts are
 * what graph_changes_before() needs where nobody else reads the journal.  The preference "history" may give the undo log
 * another ceiling, and what --diff and --from print of a recording is kept without a ceiling.  docs/performance.md has the
 * same numbers.
 */
#define JOURNAL_CEILING MIB(16)		/* entries of the journal, with their texts */
#define JOURNAL_BRIEF_CEILING KIB(1536)	/* entries of the journal, without texts */
#define UNDO_CEILING MIB(32)		/* replaced records, and the words that they use */
#define VERSIONS_CEILING MIB(32)	/* earlier texts of objects */
#define EDITS_CEILING MIB(16)		/* who wrote to objects, by their managedFields, and the words of that */
#define WATCHED_CEILING KIB(256)	/* when each kind was watched */
#define CAUSES_CEILING MIB(64)		/* which root causes there were, for --report; beyond it no more are noted, which the report says */
/* bytes of the newest texts of objects; the last text of each other object is kept compressed */
#define LATEST_RING MIB(8)
/* all of it together; the root causes for --report, and what is read of a history, which has a world of its own, come beside it */
#define PAST_CEILING (JOURNAL_CEILING + UNDO_CEILING + VERSIONS_CEILING + EDITS_CEILING + WATCHED_CEILING + LATEST_RING)

#endif
