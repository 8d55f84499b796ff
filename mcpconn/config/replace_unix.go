//go:build !windows

package config

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// ReplaceFile writes a file whole or not at all, with a mode of its own: a
// reader never sees half of it. The link that a path may be is replaced too;
// resolve it before.
func ReplaceFile(path string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(path, data, mode, renameio.WithStaticPermissions(mode))
}
