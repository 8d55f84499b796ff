package config

import (
	"io/fs"
	"os"
)

// ReplaceFile writes a file with a mode of its own. Windows has no atomic
// replacement to rely on.
func ReplaceFile(path string, data []byte, mode fs.FileMode) error {
	return os.WriteFile(path, data, mode)
}
