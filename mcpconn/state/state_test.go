package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestDir(t *testing.T) {
	env := func(value string) func(string) string { return func(string) string { return value } }
	if got := Dir(env("/state"), "/home/me"); got != filepath.FromSlash("/state/toolscope") && runtime.GOOS != "windows" {
		t.Error(got)
	}
	for _, unset := range []string{"", "relative"} {
		if got := Dir(env(unset), "/home/me"); got != filepath.FromSlash("/home/me/.local/state/toolscope") {
			t.Error(got)
		}
	}
}

func TestLogins(t *testing.T) {
	l := NewLogins(filepath.Join(t.TempDir(), "state"))
	const url = "https://x.example/mcp"
	if _, err := l.Get(url); !errors.Is(err, ErrNoLogin) {
		t.Errorf("before any: %v", err)
	}
	login := Login{URL: url, Issuer: "https://i.example", ClientID: "c", Access: "a", Type: "Bearer", Refresh: "r"}
	if err := l.Keep(login); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Get(url); err != nil || got != login {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := l.Get(url + "/other"); !errors.Is(err, ErrNoLogin) {
		t.Errorf("another server's: %v", err)
	}
	info, err := os.Stat(l.path(url))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(l.path(url), []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Get(url); !errors.Is(err, ErrNoLogin) {
		t.Errorf("a broken file: %v", err)
	}
	if err := l.Drop(url); err != nil {
		t.Error(err)
	}
	if err := l.Drop(url); err != nil {
		t.Error(err)
	}
	var none Logins
	if _, err := none.Get(url); !errors.Is(err, ErrNoLogin) || none.Keep(login) == nil || none.Drop(url) != nil {
		t.Error("without a directory nothing is kept")
	}
}

func TestConsents(t *testing.T) {
	c := NewConsents(filepath.Join(t.TempDir(), "state"))
	if c.Has("x") || len(c.All()) > 0 {
		t.Error("something is agreed to before any consent")
	}
	if err := c.Add("check --all", "audit", "audit"); err != nil {
		t.Fatal(err)
	}
	if !c.Has("audit") || c.Has("audit ") || len(c.All()) != 2 {
		t.Errorf("%q", c.All())
	}
	if err := c.Revoke("audit"); err != nil || c.Has("audit") || !c.Has("check --all") {
		t.Errorf("%q, %v", c.All(), err)
	}
	if err := os.WriteFile(c.path, []byte("[1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c.Has("check --all") {
		t.Error("a broken file agrees")
	}
	var none Consents
	if none.Has("x") || none.Add("x") == nil {
		t.Error("without a directory something is kept")
	}
}
