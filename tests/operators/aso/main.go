// Command aso runs the reconcilers of the Azure service operator for a handful of its kinds, against an Azure Resource Manager that speaks plain HTTP.
//
// The operator's own command compiles the types of all its API groups, which takes the better part of an hour. This one registers
// the same reconcilers, extensions and intervals (see cmd/controller/app/setup.go and internal/controllers of the module) for the
// groups of this world only. Its module path lies below the operator's, because Go lets only such code import internal packages.
//
//	aso crds    prints the definitions of the kinds, made from their Go types (the module does not carry them)
//	aso run     reconciles; it is configured by the operator's own environment variables
package main

import (
	"context"
	"encoding/json"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/benbjohnson/clock"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	postgresx "github.com/Azure/azure-service-operator/v2/api/dbforpostgresql/customizations"
	postgres "github.com/Azure/azure-service-operator/v2/api/dbforpostgresql/v1api20240801"
	postgress "github.com/Azure/azure-service-operator/v2/api/dbforpostgresql/v1api20240801/storage"
	identityx "github.com/Azure/azure-service-operator/v2/api/managedidentity/customizations"
	identities "github.com/Azure/azure-service-operator/v2/api/managedidentity/v1api20230131"
	identitiess "github.com/Azure/azure-service-operator/v2/api/managedidentity/v1api20230131/storage"
	network "github.com/Azure/azure-service-operator/v2/api/network/v1api20240601"
	networks "github.com/Azure/azure-service-operator/v2/api/network/v1api20240601/storage"
	resourcesx "github.com/Azure/azure-service-operator/v2/api/resources/customizations"
	resources "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601"
	resourcess "github.com/Azure/azure-service-operator/v2/api/resources/v1api20200601/storage"
	storagex "github.com/Azure/azure-service-operator/v2/api/storage/customizations"
	storage "github.com/Azure/azure-service-operator/v2/api/storage/v1api20230101"
	storages "github.com/Azure/azure-service-operator/v2/api/storage/v1api20230101/storage"
	"github.com/Azure/azure-service-operator/v2/internal/config"
	"github.com/Azure/azure-service-operator/v2/internal/identity"
	"github.com/Azure/azure-service-operator/v2/internal/metrics"
	"github.com/Azure/azure-service-operator/v2/internal/reconcilers"
	"github.com/Azure/azure-service-operator/v2/internal/reconcilers/arm"
	"github.com/Azure/azure-service-operator/v2/internal/reconcilers/generic"
	"github.com/Azure/azure-service-operator/v2/internal/resolver"
	"github.com/Azure/azure-service-operator/v2/internal/util/cel"
	"github.com/Azure/azure-service-operator/v2/internal/util/interval"
	"github.com/Azure/azure-service-operator/v2/internal/util/kubeclient"
	"github.com/Azure/azure-service-operator/v2/internal/util/lockedrand"
	"github.com/Azure/azure-service-operator/v2/internal/util/to"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime/conditions"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime/registration"
)

// kinds are the storage versions of the kinds that are reconciled.
func kinds() []*registration.StorageType {
	return []*registration.StorageType{
		{Obj: &resourcess.ResourceGroup{}},
		{Obj: &identitiess.UserAssignedIdentity{}},
		{Obj: &identitiess.FederatedIdentityCredential{}},
		{Obj: &storages.StorageAccount{}},
		{Obj: &storages.StorageAccountsBlobService{}},
		{Obj: &storages.StorageAccountsBlobServicesContainer{}},
		{Obj: &networks.PrivateDnsZone{}},
		{Obj: &networks.PrivateDnsZonesARecord{}},
		{Obj: &networks.PrivateDnsZonesVirtualNetworkLink{}},
		{
			Obj:     &postgress.FlexibleServer{},
			Indexes: []registration.Index{{Key: password, Func: passwordOf}},
			Watches: []registration.Watch{{Type: &corev1.Secret{}, MakeEventHandler: serversOfSecret}},
		},
		{Obj: &postgress.FlexibleServersDatabase{}},
		{Obj: &postgress.FlexibleServersFirewallRule{}},
	}
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme,
		resources.AddToScheme, resourcess.AddToScheme, identities.AddToScheme, identitiess.AddToScheme,
		storage.AddToScheme, storages.AddToScheme, network.AddToScheme, networks.AddToScheme,
		postgres.AddToScheme, postgress.AddToScheme,
	} {
		check(add(scheme))
	}
	return scheme
}

// extensions are what the operator adds to the kinds, by kind. Those of the network kinds do nothing for the kinds above.
func extensions(scheme *runtime.Scheme) map[schema.GroupVersionKind]genruntime.ResourceExtension {
	found := map[schema.GroupVersionKind]genruntime.ResourceExtension{}
	for _, extension := range []genruntime.ResourceExtension{
		&resourcesx.ResourceGroupExtension{},
		&identityx.UserAssignedIdentityExtension{}, &identityx.FederatedIdentityCredentialExtension{},
		&storagex.StorageAccountExtension{}, &storagex.StorageAccountsBlobServiceExtension{}, &storagex.StorageAccountsBlobServicesContainerExtension{},
		&postgresx.FlexibleServerExtension{}, &postgresx.FlexibleServersDatabaseExtension{}, &postgresx.FlexibleServersFirewallRuleExtension{},
	} {
		for _, resource := range extension.GetExtendedResources() {
			// Versions that this program does not register have no place in the scheme.
			if gvk, err := apiutil.GVKForObject(resource.(runtime.Object), scheme); err == nil {
				found[gvk] = extension
			}
		}
	}
	return found
}

const password = ".spec.administratorLoginPassword"

func passwordOf(object client.Object) []string {
	server, ok := object.(*postgress.FlexibleServer)
	if !ok || server.Spec.AdministratorLoginPassword == nil {
		return nil
	}
	return server.Spec.AdministratorLoginPassword.Index()
}

// serversOfSecret reconciles the servers whose password a Secret holds whenever that Secret changes.
func serversOfSecret(reader client.Client, _ logr.Logger) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, secret client.Object) []reconcile.Request {
		var servers postgress.FlexibleServerList
		err := reader.List(ctx, &servers, client.MatchingFields{password: secret.GetName()}, client.InNamespace(secret.GetNamespace()))
		if err != nil {
			log.Print(err)
		}
		var requests []reconcile.Request
		for i := range servers.Items {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&servers.Items[i])})
		}
		return requests
	})
}

// token is a credential that any fake endpoint accepts.
type token struct{}

func (token) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "token", ExpiresOn: time.Now().Add(24 * time.Hour)}, nil
}

// plain sends what was meant for an https:// address without TLS: the client libraries refuse to send a token to an http:// address.
type plain struct{}

func (plain) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := request.Clone(request.Context())
	sent.URL.Scheme = "http"
	response, err := http.DefaultTransport.RoundTrip(sent)
	if response != nil {
		response.Request = request // whose address the libraries ask again
	}
	return response, err
}

func run() {
	values, err := config.ReadAndValidate()
	check(err)
	logger := klog.Background()
	ctrl.SetLogger(logger)
	scheme := newScheme()
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	check(err)

	evaluator, err := cel.NewExpressionEvaluator(cel.Metrics(metrics.NewCEL()), cel.Log(logger))
	check(err)
	evaluator.Start()
	kube := kubeclient.NewClient(manager.GetClient())
	cloud := values.Cloud()
	credentials := identity.NewCredentialProvider(
		identity.NewDefaultCredential(token{}, values.PodNamespace, values.SubscriptionID, nil), kube,
		&identity.CredentialProviderOptions{Cloud: &cloud})
	cache := arm.NewARMClientCache(credentials, kube, cloud, &http.Client{Transport: plain{}}, metrics.NewARMClientMetrics())
	connect := func(ctx context.Context, object genruntime.ARMMetaObject) (arm.Connection, error) {
		return cache.GetConnection(ctx, object)
	}

	types := kinds()
	resolve := resolver.NewResolver(kube)
	check(resolve.IndexStorageTypes(scheme, types))
	positive := conditions.NewPositiveConditionBuilder(clock.New())
	more := extensions(scheme)
	for _, t := range types {
		gvk, err := apiutil.GVKForObject(t.Obj, scheme)
		check(err)
		t.Name = strings.ToLower(gvk.Kind)
		t.Predicate = predicate.Or(predicate.GenerationChangedPredicate{}, reconcilers.ARMReconcilerAnnotationChangedPredicate(),
			reconcilers.ARMPerResourceSecretAnnotationChangedPredicate())
		t.Reconciler = arm.NewAzureDeploymentReconciler(connect, kube, resolve, positive, evaluator, values, more[gvk])
	}
	check(generic.RegisterAll(manager, manager.GetFieldIndexer(), kube, positive, types, options(logger, values)))
	check(manager.Start(ctrl.SetupSignalHandler()))
}

// options are the intervals of the operator.
func options(logger logr.Logger, values config.Values) generic.Options {
	slowest := 24 * time.Hour
	if values.SyncPeriod != nil {
		slowest = *values.SyncPeriod
	}
	return generic.Options{
		Config: values,
		Options: controller.Options{
			MaxConcurrentReconciles: values.MaxConcurrentReconciles,
			LogConstructor:          func(*reconcile.Request) logr.Logger { return logger },
			SkipNameValidation:      to.Ptr(true),
			RateLimiter:             generic.NewRateLimiter(time.Second, time.Minute),
		},
		PanicHandler: func() {},
		RequeueIntervalCalculator: interval.NewCalculator(interval.CalculatorParameters{
			Rand:               rand.New(lockedrand.NewSource(1)),
			ErrorBaseDelay:     time.Second,
			ErrorMaxFastDelay:  30 * time.Second,
			ErrorMaxSlowDelay:  3 * time.Minute,
			ErrorVerySlowDelay: slowest,
			SyncPeriod:         values.SyncPeriod,
		}),
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) != 2 || (os.Args[1] != "crds" && os.Args[1] != "run") {
		log.Fatal("usage: aso crds | aso run")
	}
	if os.Args[1] == "crds" {
		check(json.NewEncoder(os.Stdout).Encode(definitions(newScheme(), kinds())))
		return
	}
	run()
}
