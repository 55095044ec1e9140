//go:build linux && cgo

package xla

import "testing"

// The user's environment settings of the C allocator are not changed.
func TestAllocatorIsSet(t *testing.T) {
	all := []string{"MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES",
		"MALLOC_ARENA_MAX"}
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"MALLOC_ARENA_MAX", "1", false}, {"MALLOC_MMAP_MAX_", "65536", true}, {"MALLOC_MMAP_THRESHOLD_", "65536",
			true},
		{"MALLOC_TRIM_THRESHOLD_", "131072", true}, {"MALLOC_TRIM_THRESHOLD_", "", false},
		{"GLIBC_TUNABLES", "glibc.malloc.trim_threshold=131072", true}, {"GLIBC_TUNABLES",
			"glibc.malloc.mmap_max=65536", true},
		{"GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=65536", true}, {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1",
			false},
	} {
		for _, name := range all {
			t.Setenv(name, "")
		}
		t.Setenv(c.name, c.value)
		if got := allocatorIsSet(); got != c.want {
			t.Errorf("%s=%s: %t, want %t", c.name, c.value, got, c.want)
		}
	}
}
