/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first generation of the Azure service operator: three booleans instead of
 * conditions, and owners by name in a field of each kind.
 */
#include "kube/family/aso/aso.h"

#define V1(kind, path, target) \
	{ kind, path, ASO_V1_GROUP, target, RELATION_NEEDS, REF_BLOCKS, NULL }

/* The fields that hold an owner's name; its kind follows from the field and from the kind of the object. */
const struct ref_rule aso_v1_refs[] = {
	V1("PostgreSQLDatabase", "spec.server", "PostgreSQLServer"),
	V1("PostgreSQLFirewallRule", "spec.server", "PostgreSQLServer"),
	V1("PostgreSQLVNetRule", "spec.server", "PostgreSQLServer"),
	V1("PostgreSQLUser", "spec.server", "PostgreSQLServer"),
	V1("MySQLDatabase", "spec.server", "MySQLServer"),
	V1("MySQLFirewallRule", "spec.server", "MySQLServer"),
	V1("MySQLVNetRule", "spec.server", "MySQLServer"),
	V1("MySQLServerAdministrator", "spec.server", "MySQLServer"),
	V1("MySQLUser", "spec.server", "MySQLServer"),
	V1("MySQLAADUser", "spec.server", "MySQLServer"),
	V1("AzureSqlDatabase", "spec.server", "AzureSqlServer"),
	V1("AzureSqlFirewallRule", "spec.server", "AzureSqlServer"),
	V1("AzureSqlFailoverGroup", "spec.server", "AzureSqlServer"),
	V1("AzureSqlUser", "spec.server", "AzureSqlServer"),
	V1("AzureSqlManagedUser", "spec.server", "AzureSqlServer"),
	V1("AzureSqlAction", "spec.serverName", "AzureSqlServer"),
	V1("AzureSQLVNetRule", "spec.server", "AzureSqlServer"),
	V1("BlobContainer", "spec.accountName", "StorageAccount"),
	V1("CosmosDBSQLDatabase", "spec.account", "CosmosDB"),
	V1("Eventhub", "spec.namespace", "EventhubNamespace"),
	V1("ConsumerGroup", "spec.namespace", "EventhubNamespace"),
	V1("ConsumerGroup", "spec.eventHub", "Eventhub"),
	V1("KeyVaultKey", "spec.keyVault", "KeyVault"),
	V1("RedisCacheFirewallRule", "spec.redisCache", "RedisCache"),
	V1("RedisCacheAction", "spec.cacheName", "RedisCache"),
	V1("AppInsightsApiKey", "spec.appInsights", "AppInsights"),
	V1("AzureLoadBalancer", "spec.publicIPAddressName", "AzurePublicIPAddress"),
	V1("AzureNetworkInterface", "spec.publicIPAddressName", "AzurePublicIPAddress"),
	V1("AzureNetworkInterface", "spec.vnetName", "VirtualNetwork"),
	V1("AzureVirtualMachine", "spec.networkInterfaceName", "AzureNetworkInterface"),
	V1("AzureVirtualMachineExtension", "spec.vmName", "AzureVirtualMachine"),
	V1("AzureVMScaleSet", "spec.loadBalancerName", "AzureLoadBalancer"),
	V1("AzureVMScaleSet", "spec.vnetName", "VirtualNetwork"),
	V1("APIMgmtAPI", "spec.apiService", "APIMgmtInstance"),
	{ 0 }
};

/* For the other kinds the field tells that there is an owner, but not of which kind it is. */
static const char *const owners_of_other_kinds[] = { "spec.server", "spec.serverName", "spec.account",
					     "spec.accountName", "spec.keyVault", NULL };

static const struct ref_rule v1_group_rule = V1(NULL, "spec.resourceGroup", "ResourceGroup");

bool aso_v1_claims(struct json object)
{
	struct json status = json_at(object, "status");

	return json_type(json_at(status, "provisioning")) == JSON_BOOL ||
	       json_type(json_at(status, "provisioned")) == JSON_BOOL ||
	       json_type(json_at(status, "failedProvisioning")) == JSON_BOOL ||
	       json_has(status, "resourceId") || !json_has(status, "conditions");
}

enum { MADE = 1, BEING_MADE = 2, HAS_FAILED = 4 };

/* The three booleans are meant to exclude each other, but do not always. */
static const struct row rows[] = {
	{ "it was made, and a change has failed", .is = HAS_FAILED | MADE, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = FINAL },
	{ "it could not be made, and is tried again", .is = HAS_FAILED | BEING_MADE, .then = OUTCOME_TROUBLE },
	{ "it could not be made", .is = HAS_FAILED, .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "it was made, and is changed", .is = MADE | BEING_MADE, .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ "it was made", .is = MADE, .then = OUTCOME_READY },
	{ "it is being made", .is = BEING_MADE, .then = OUTCOME_MOVEMENT },
	{ "it is neither made nor being made", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

static bool has_rows(struct str kind)
{
	for (const struct ref_rule *r = aso_v1_refs; r->path; r++)
		if (str_is(kind, r->kind))
			return true;
	return false;
}

static void ref_owners(struct verdict *v)
{
	struct ref_rule any_kind = v1_group_rule;

	verdict_ref_value(v, json_at(verdict_object(v), v1_group_rule.path), str_of(v1_group_rule.path), &v1_group_rule);
	if (has_rows(verdict_kind(v)->kind))
		return;
	any_kind.flags |= REF_ANY_KIND | REF_ANY_GROUP;
	for (size_t i = 0; owners_of_other_kinds[i]; i++)
		verdict_ref_value(v, json_at(verdict_object(v), owners_of_other_kinds[i]), str_of(owners_of_other_kinds[i]), &any_kind);
}

void aso_v1_inspect(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	bool provisioned = json_bool(status, "provisioned", false);
	bool provisioning = json_bool(status, "provisioning", false);
	bool failed = json_bool(status, "failedProvisioning", false);

	table_decide(&(struct reading){ .v = v, .word = json_str(status, "state"), .message = json_str(status, "message"),
					.is = (provisioned ? MADE : 0) | (provisioning ? BEING_MADE : 0) | (failed ? HAS_FAILED : 0),
					.since = json_time(status, provisioned && !provisioning && !failed ? "completed" : "requested"),
					.rule = arena_printf(verdict_arena(v), "provisioned %d, provisioning %d, failedProvisioning %d",
							     provisioned, provisioning, failed) }, rows);
	ref_owners(v);
}

