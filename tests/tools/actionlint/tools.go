//go:build tools

// Package actionlint names the actionlint that the workflows are held against.
package actionlint

import _ "github.com/rhysd/actionlint/cmd/actionlint"
