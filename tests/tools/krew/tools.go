//go:build tools

// Package krew names the krew that the archives are tried with.
package krew

import _ "sigs.k8s.io/krew/cmd/krew"
