package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Edit is a change of a configuration file that is not made yet. Make one with
// [Prepare].
type Edit struct {
	Path          string // of the file itself, links resolved
	Before, After []byte // its text; equal where nothing has to change
}

// Prepare reads a configuration and works out its text with settings in it (see
// [Splice]). Nothing is written. A file in another program's shape is left
// alone: it has no place for these settings.
func Prepare(path string, settings []Setting) (Edit, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Edit{}, fmt.Errorf("config %s: cannot be read: %w", path, cause(err))
	}
	before, err := readFile(real, maxFileBytes)
	if err != nil {
		return Edit{}, fmt.Errorf("config %s: cannot be read: %w", path, cause(err))
	}
	root, _, err := parseYAML(path, before)
	if err != nil {
		return Edit{}, err
	}
	if !root.absent() && !isHermes(root) && (root.get("mcpServers") != nil || root.get("servers") != nil) {
		return Edit{}, fmt.Errorf("config %s: the file is another program's, which knows no %s: write it into a configuration of Hermes", path, settings[0].Keys[len(settings[0].Keys)-1])
	}
	after, err := Splice(path, before, settings)
	if err != nil {
		return Edit{}, err
	}
	return Edit{Path: real, Before: before, After: after}, nil
}

// Commit makes the change: whole or not at all, the file's mode kept. It fails,
// and writes nothing, where the file has changed since it was read.
func (e Edit) Commit() error {
	info, err := os.Stat(e.Path)
	if err != nil {
		return fmt.Errorf("config %s: cannot be written: %w", e.Path, cause(err))
	}
	now, err := readFile(e.Path, maxFileBytes)
	if err != nil {
		return fmt.Errorf("config %s: cannot be read again: %w", e.Path, cause(err))
	}
	if !bytes.Equal(now, e.Before) {
		return fmt.Errorf("config %s: %w", e.Path, ErrChanged)
	}
	if err := ReplaceFile(e.Path, e.After, info.Mode().Perm()); err != nil {
		return fmt.Errorf("config %s: cannot be written: %w", e.Path, cause(err))
	}
	return nil
}

// ErrChanged says that a file has changed between reading and writing it.
var ErrChanged = errors.New("it changed meanwhile and is not overwritten: write once more")
