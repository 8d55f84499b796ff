// Package state keeps what the workbench remembers between two runs, in the
// person's own state directory.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"toolscope/mcpconn/config"
)

// Dir returns the state directory: $XDG_STATE_HOME/toolscope, or
// .local/state/toolscope in the home folder. It is not made before something is
// kept in it.
func Dir(getenv func(string) string, home string) string {
	if base := getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "toolscope")
	}
	return filepath.Join(home, ".local", "state", "toolscope")
}

// Login is what a sign-in at one server left: the tokens, and by whom and for
// whom they were issued. It is full of secrets and never shown.
type Login struct {
	URL          string    `json:"url"`    // of the server
	Issuer       string    `json:"issuer"` // the authorization server
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret,omitempty"`
	AuthMethod   string    `json:"token_endpoint_auth_method,omitempty"`
	Access       string    `json:"access_token"`
	Type         string    `json:"token_type"`
	Refresh      string    `json:"refresh_token,omitempty"`
	Scope        string    `json:"scope,omitempty"`
	Expires      time.Time `json:"expires_at,omitzero"`
}

// Logins keeps the sign-ins, a file each that only the person can read. The
// zero value keeps nothing.
type Logins struct{ dir string }

// NewLogins keeps sign-ins in a state directory.
func NewLogins(dir string) Logins { return Logins{filepath.Join(dir, "logins")} }

// ErrNoLogin says that there is no sign-in at a server.
var ErrNoLogin = errors.New("not signed in")

func (l Logins) path(url string) string {
	sum := sha256.Sum256([]byte(url))
	return filepath.Join(l.dir, hex.EncodeToString(sum[:16])+".json")
}

// Get returns the sign-in at a server, given by its URL; [ErrNoLogin] where
// there is none.
func (l Logins) Get(url string) (Login, error) {
	if l.dir == "" {
		return Login{}, ErrNoLogin
	}
	data, err := os.ReadFile(l.path(url))
	if errors.Is(err, fs.ErrNotExist) {
		return Login{}, ErrNoLogin
	}
	if err != nil {
		return Login{}, fmt.Errorf("the sign-in kept in %s cannot be read", l.path(url))
	}
	var login Login
	if json.Unmarshal(data, &login) != nil || login.URL != url {
		return Login{}, ErrNoLogin
	}
	return login, nil
}

// Keep keeps a sign-in, readable by the person alone.
func (l Logins) Keep(login Login) error {
	if l.dir == "" {
		return errors.New("there is no state directory to keep the sign-in in")
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("the sign-in cannot be kept: %w", err)
	}
	data, err := json.Marshal(login)
	if err != nil {
		return fmt.Errorf("the sign-in cannot be kept: %w", err)
	}
	if err := config.ReplaceFile(l.path(login.URL), data, 0o600); err != nil {
		return fmt.Errorf("the sign-in cannot be kept: %w", err)
	}
	return nil
}

// Drop forgets the sign-in at a server.
func (l Logins) Drop(url string) error {
	if l.dir == "" {
		return nil
	}
	if err := os.Remove(l.path(url)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the sign-in cannot be forgotten: %w", err)
	}
	return nil
}
