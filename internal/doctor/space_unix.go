//go:build linux || darwin || freebsd

package doctor

import "syscall"

func init() {
	freeSpace = func(folder string) (uint64, error) {
		var s syscall.Statfs_t
		if err := syscall.Statfs(folder, &s); err != nil {
			return 0, err
		}
		return uint64(s.Bavail) * uint64(s.Bsize), nil
	}
}
