package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"toolscope/mcpconn/config"
)

// Consents are the exact command lines of hooks that the person has agreed to
// run. The zero value holds none and keeps none.
type Consents struct{ path string }

// NewConsents keeps consents in a state directory.
func NewConsents(dir string) Consents { return Consents{filepath.Join(dir, "hooks.json")} }

// All returns every command line agreed to. A file that cannot be read holds
// none: what is not known to be agreed to is not run.
func (c Consents) All() []string {
	if c.path == "" {
		return nil
	}
	data, err := os.ReadFile(c.path)
	if err != nil {
		return nil
	}
	var commands []string
	if json.Unmarshal(data, &commands) != nil {
		return nil
	}
	return commands
}

// Has reports whether the person has agreed to exactly this command line.
func (c Consents) Has(command string) bool { return slices.Contains(c.All(), command) }

// Add remembers that the person agrees to command lines.
func (c Consents) Add(commands ...string) error {
	all := c.All()
	for _, command := range commands {
		if !slices.Contains(all, command) {
			all = append(all, command)
		}
	}
	return c.keep(all)
}

// Revoke takes an agreement back.
func (c Consents) Revoke(command string) error {
	return c.keep(slices.DeleteFunc(c.All(), func(s string) bool { return s == command }))
}

func (c Consents) keep(all []string) error {
	if c.path == "" {
		return errors.New("there is no state directory to remember the consent in")
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fmt.Errorf("the consent cannot be remembered: %w", err)
	}
	slices.Sort(all)
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("the consent cannot be remembered: %w", err)
	}
	if err := config.ReplaceFile(c.path, append(data, '\n'), fs.FileMode(0o600)); err != nil {
		return fmt.Errorf("the consent cannot be remembered: %w", err)
	}
	return nil
}
