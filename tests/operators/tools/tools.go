//go:build tools

// Package tools pins what the worlds of operators need beside the control plane; go.sum
// pins everything it is built from.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "sigs.k8s.io/kwok/cmd/kwok"
)
