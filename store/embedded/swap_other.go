//go:build !linux

package embedded

import "errors"

// swap swaps two folders in one step, where the system can.
func swap(_, _ string) error { return errors.ErrUnsupported }
