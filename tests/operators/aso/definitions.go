package main

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime/registration"
)

type object = map[string]any

// definitions are the CustomResourceDefinitions of the kinds: two versions each, the one that people write and the one that is
// stored, as the operator has them. Both have the schema of the stored one, because nothing converts between them here.
func definitions(scheme *runtime.Scheme, types []*registration.StorageType) object {
	var items []object
	for _, t := range types {
		gvk, err := apiutil.GVKForObject(t.Obj, scheme)
		check(err)
		resource, _ := meta.UnsafeGuessKindToResource(gvk)
		written := strings.TrimSuffix(gvk.Version, "storage")
		items = append(items, object{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": object{"name": resource.Resource + "." + gvk.Group, "labels": object{"app.kubernetes.io/name": "azure-service-operator"}},
			"spec": object{
				"group": gvk.Group, "scope": "Namespaced",
				"names": object{"kind": gvk.Kind, "listKind": gvk.Kind + "List", "plural": resource.Resource,
					"singular": strings.ToLower(gvk.Kind), "categories": []string{"azure", strings.Split(gvk.Group, ".")[0]}},
				"versions": []object{version(written, t, false), version(gvk.Version, t, true)},
			},
		})
	}
	return object{"apiVersion": "v1", "kind": "List", "items": items}
}

func version(name string, t *registration.StorageType, stored bool) object {
	schema := schemaOf(reflect.TypeOf(t.Obj).Elem(), 0)
	fields := schema["properties"].(object)
	return object{
		"name": name, "served": true, "storage": stored, "subresources": object{"status": object{}},
		"schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{
			"apiVersion": object{"type": "string"}, "kind": object{"type": "string"}, "metadata": object{"type": "object"},
			"spec": fields["spec"], "status": fields["status"],
		}}},
		"additionalPrinterColumns": []object{
			column("Ready", "status"), column("Severity", "severity"), column("Reason", "reason"), column("Message", "message"),
		},
	}
}

func column(name, field string) object {
	return object{"name": name, "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')]." + field}
}

// schemaOf is the structural schema of a Go type by its JSON tags. What nests deeper than any real object is left open.
func schemaOf(t reflect.Type, depth int) object {
	open := object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	switch {
	case depth > 20:
		return open
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem(), depth)
	case t.String() == "v1.Time":
		return object{"type": "string", "format": "date-time"}
	case t.String() == "v1.JSON":
		return object{"x-kubernetes-preserve-unknown-fields": true}
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), depth+1)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem(), depth+1)}
	case reflect.Struct:
		return object{"type": "object", "properties": propertiesOf(t, depth)}
	}
	return open
}

func propertiesOf(t reflect.Type, depth int) object {
	fields := object{}
	for i := 0; i < t.NumField(); i++ {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if strings.Contains(options, "inline") {
			for key, value := range propertiesOf(t.Field(i).Type, depth) {
				fields[key] = value
			}
		} else if name != "" && name != "-" {
			fields[name] = schemaOf(t.Field(i).Type, depth+1)
		}
	}
	return fields
}
