package main

import "os"

// replaceFile writes a file. Windows has no atomic replacement to rely on.
func replaceFile(path string, data []byte) error {
	return os.WriteFile(path, data, 0o644)
}
