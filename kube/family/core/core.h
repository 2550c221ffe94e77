/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the core family: Kubernetes' own kinds, with one function for each. */
#ifndef KUBE_FAMILY_CORE_CORE_H
#define KUBE_FAMILY_CORE_CORE_H

#include "kube/evidence/decision_table.h"

/* The general rules, for kinds of Kubernetes that have no function here. */
extern const struct family family_generic;

struct core_kind {
	const char *kind;
	/* phase 1; NULL: a kind without a function of its own */
	void (*inspect)(struct verdict *v);
	/* phase 2, with its neighbours; NULL: nothing more is concluded */
	void (*assess)(struct assessment *d);
	/* the controller of this kind tells of trouble only in Events */
	bool events;
	/* a warning that comes again and again speaks against its being well */
	bool warned;
};

/* Tables of the files below; each of them ends with {0}. */
extern const struct core_kind core_pod_kinds[];
extern const struct core_kind core_workload_kinds[];
extern const struct core_kind core_helm_kinds[];
extern const struct core_kind core_job_kinds[];
extern const struct core_kind core_net_kinds[];
extern const struct core_kind core_service_kinds[];
extern const struct core_kind core_storage_kinds[];
extern const struct core_kind core_claim_kinds[];
extern const struct core_kind core_cluster_kinds[];
extern const struct core_kind core_node_kinds[];
extern const struct core_kind core_quota_kinds[];
extern const struct core_kind core_event_kinds[];

#define CORE_LOCK "LeaderLock" /* the lease by which several of one program choose the one that works is found by this name and its own */
#define CORE_HANDLE "VolumeHandle" /* a volume and the storage system's own object of it are found by this name and the volume's handle */
#define CORE_NODE_DRIVER "NodeDriver" /* a storage driver's pods on nodes are found by this name and the driver's */
/* pod_refs.c: adds what a pod needs from the cluster.  blocks: the pod has not started yet. */
void core_pod_refs(struct verdict *v, bool blocks);
/* Returns true for a registry's answer that does not change by itself: there is no such image, or it may not be pulled. */
bool core_image_is_refused(struct str message);
/* pod_refs.c: the registry cannot answer at present, and will without any change. */
bool core_image_comes_later(struct str message);
/* Adds the Secrets for pulling images, which matter only when an image cannot be pulled. */
void core_pod_pull_secrets(struct verdict *v);
/* Reads "configmap \"x\" not found" and similar messages, and adds a wait for the missing object. */
bool core_names_missing(struct verdict *v, struct str message);
/* job.c: a Job that failed, of a CronJob whose newest one ended well, is history; so is what belongs to it. */
bool core_is_left_over(struct assessment *d);
/*
 * container_runs.c: runs of containers; state is a member of status.containerStatuses or initContainerStatuses, last the
 * "terminated" of a run.  Times are in ms; 0: not known.
 */
#define CORE_BACK_OFF_FORGOTTEN MINUTES(10)	/* it has run for so long that the kubelet forgets its crashes */
/* Returns the container's part of the spec; nothing when it has none. */
struct json core_container_spec(const struct verdict *v, struct str name);
/* Returns "container app: " for a pod with several containers. */
struct str core_container_prefix(struct verdict *v, struct json state);
/* Returns the run that has ended last. */
struct json core_last_run(struct json state);
bool core_ended_badly(struct json last);
/* Returns the word of that end as kubectl prints it: its reason, "ExitCode:3", "Signal:9". */
struct str core_ended_word(struct verdict *v, struct json last);
/* Returns that reason where it tells more than that the run has ended. */
struct str core_why_it_ended(struct json last, struct str otherwise);
/* Returns "OOMKilled (limit 64Mi), exit 137, 37 restarts in 26m", and what the container left as its last words. */
struct str core_how_it_ended(struct verdict *v, struct json state);
/* Returns since when it crashes again and again, as far as that is proven. */
int64_t core_loop_since(const struct verdict *v, struct json state);
/* Of a container that runs: until when it has run no longer than the last time. */
int64_t core_proven_at(struct json state);
/* pod_neighbours.c: a pod beside its node, its volumes and the Events about it. */
void core_pod_with_neighbours(struct assessment *d);
/* probes.c: notes what the probes of a container ask that does not go with the ports of its pod, and that it has hardly any cpu. */
void core_note_probes(struct verdict *v, struct json container);
/*
 * probes.c: returns what goes behind the kubelet's words about a probe, "Readiness probe failed: ...": "; the readiness probe asks port
 * 8081, and the containers have 8080/TCP", or "".
 */
struct str core_probe_beside(struct assessment *d, struct str message);
/* Adds waits for the claims of a pod that the scheduler's message is about. */
bool core_names_claims(struct verdict *v, struct str message);
/* workload.c: what the pods of a workload say together; those of a Deployment's ReplicaSets count for the Deployment. */
struct core_pods {
	size_t seen, unready, working;	/* working: neither ended nor failed */
	size_t active;			/* not ended, and not being deleted: what its controller counts as its replicas */
	size_t troubled;		/* of the unready ones: more is known of them than that they start */
	bool lost; /* a pod that was ready is not any more */
	bool old;  /* a pod is not ready for longer than a start takes */
	bool failed;
	bool held; /* one waits, and is said to be overdue or refused */
	bool crashing; /* none has failed, and one runs between two crashes; it is first_unready */
	bool stateful, on_nodes; /* they are of a StatefulSet, of a DaemonSet */
	size_t removed;	/* that nodes have evicted or not let in, within the last hour */
	int64_t removed_since;		/* when the first of them was */
	struct neighbour last_removed;
	int64_t since; /* since when the first pod is not ready; 0: not known */
	struct neighbour first_failed, first_unready;	/* by name; without a kind: there is none */
	int64_t ordinal; /* the lowest ordinal of a StatefulSet's pods that are not ready */
};
/* workload: whose pods; NULL: those of the object itself. */
struct core_pods core_look_at_pods(struct assessment *d, const struct neighbour *workload);
/* node.c: the kubelet says that the node has no network, which an agent in a pod on the node sets up. */
bool core_lacks_network(const struct neighbour *node);
#define CORE_TAINT_CORDONED "node.kubernetes.io/unschedulable"
#define CORE_TAINT_ANY "*"	/* of every node that has one */
/* scheduling.c: nodes with a taint, and pods that the taint keeps away, find each other by its text: "dedicated=gpu". */
void core_taint_ref(struct verdict *v, struct str taint);
/* claim.c: claims that have no volume, and volumes that are not bound, find each other and are compared: what it asks for, or is. */
void core_tell_volume(struct verdict *v, const char *size, const char *labels);
/* claim.c: a workload that is told the name of a storage driver makes its volumes; claims find it by that name. */
void core_provides_volumes(struct verdict *v);
/* scheduling.c: reads what the scheduler says of a pod that no node takes. */
void core_unscheduled(struct verdict *v, struct str message);
/* scheduling.c: the nodes, labels and volumes that the scheduler names; a pod waits for a node that is broken. */
void core_pod_and_nodes(struct assessment *d);
/* attach.c: a pod that has a node and does not start waits for its volumes. */
void core_pod_and_its_volumes(struct assessment *d);
/* attach.c: a pod that does not start makes the attachments of volumes be read, and is told of each that comes, goes or changes. */
void core_attachments_ref(struct verdict *v);
/*
 * attach.c: the assessed claim, or a pod with that claim, waits for what the storage system has behind its class and that is not well; that
 * one's message is written to.
 */
bool core_wait_for_store(struct assessment *d, const struct neighbour *claim, struct str via, struct str *out_message);
/* attach.c: a volume that cannot be attached, or whose storage system has an object of its own that has failed. */
void core_volume_and_storage(struct assessment *d);
/* node.c: cordoned nodes, and budgets that allow no eviction, find each other. */
void core_drain_ref(struct verdict *v);
/* Returns true when the reason is one that only repeats the phase: a sum of parts. */
bool core_has_no_words(const struct status *st);
/*
 * Where the status of an object that is not well has no words, the Event that tells most gives them.  Returns true when
 * it did, and that Event.
 */
bool core_assess_events(struct assessment *d, struct event_told *out);
/* What is well, and about which a warning comes again and again, is Degraded until it ceases. */
void core_warned_again(struct assessment *d);
/* Finds a recent Event with that reason about the object; out is written to also where the result is false. */
bool core_assess_find_event(struct assessment *d, const char *reason, struct neighbour *out);
/* common.c: for a row: true where every certificate of a CA bundle, which is PEM in base64, has expired. */
bool core_ca_has_expired(struct reading *r, struct str bundle);
/* net.c: returns true when status.loadBalancer.ingress has an address. */
bool core_has_address(struct verdict *v);
/*
 * net.c: what an operator made beside the pods, and that is not well because they are not ready, tells nothing of its owner: it
 * waits for the owner, which tells why.  Returns false when it has none, or one that is well.
 */
bool core_wait_for_owner(struct assessment *d);
/*
 * common.c: notes who set the size of a workload last, and when, where managedFields tell it (a server's lists are read without
 * them): particular "scaled MANAGER at TIME".
 */
void core_note_scaler(struct reading *r);
/* common.c: returns true for what is broken, waits, or is retried. */
bool core_is_in_trouble(const struct neighbour *n);
/* common.c: returns true for an EndpointSlice or Endpoints that has the addresses of the object. */
bool core_is_slice(const struct neighbour *n);
/* common.c: what is broken waits for those that it needs of that kind that are broken, too. */
void core_waits_for_broken(struct assessment *d, const char *kind);
/* service_ports.c: a Service whose port leads to none that any of its pods has is Degraded; makers: who makes these pods. */
void core_check_ports(struct assessment *d, const struct neighbour *makers, size_t n);
/* calls.c: what is given the address of a Service that does not exist, or of a port that it does not have, is Degraded. */
void core_assess_calls(struct assessment *d);
/*
 * calls.c: notes which Services that container of a pod asks for in its command, and a reference to each; core_assess_calls() makes the
 * pod wait for those that do not answer.
 */
void core_note_awaited(struct verdict *v, struct str container);

/* ---- what the files share (common.c) ------------------------------------- */

/* Sets Ready: it is there, and nobody writes a status into it; rule: what says so, NULL: its kind. */
void core_is_there(struct verdict *v, const char *rule);
/* A ConfigMap or Secret is Ready when it exists; every write to it counts as an edit. */
void core_data(struct verdict *v);
/*
 * Notes how much an object may use of a resource, in bytes or processors, beside what metrics.k8s.io tells that it uses:
 * particular "may-use-memory 268435456".
 */
void core_may_use(struct verdict *v, const char *resource, double amount);
/* Returns true when status.observedGeneration is older than the spec. */
bool core_is_outdated(struct verdict *v);
/* Returns true when the neighbour is of a kind with that name, in any group. */
bool core_is_kind(const struct neighbour *n, const char *kind);
/* Returns true when that time is at least so long ago; false when it is not known. */
bool core_older_than(struct verdict *v, int64_t time, int64_t age);

#endif
