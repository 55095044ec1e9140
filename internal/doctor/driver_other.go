//go:build !linux || !cgo

package doctor

import "errors"

func driverVersion(string) (int, error) {
	return 0, errors.New("this program cannot look for NVIDIA's driver")
}
