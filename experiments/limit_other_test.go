//go:build !unix

package experiments

import "testing"

func alone(t *testing.T) bool {
	t.Skip("the size of files cannot be limited")
	return false
}

func withoutRoom(*testing.T, func()) {}
