package mcpconn

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"toolscope/mcpconn/config"
)

// npmVar switches on the tests that run real servers from npm, which download
// them.
const npmVar = "TOOLSCOPE_TEST_NPM"

func TestRealServers(t *testing.T) {
	if os.Getenv(npmVar) != "1" {
		t.Skipf("needs the network: set %s=1", npmVar)
	}
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("needs node: npx is not in PATH")
	}
	if out, err := exec.CommandContext(t.Context(), "npm", "view", "@modelcontextprotocol/server-everything", "version").CombinedOutput(); err != nil {
		t.Skipf("the package registry cannot be reached: %v: %s", err, out)
	}
	dir := t.TempDir()
	npx := func(name string, args ...string) config.Server {
		return config.Server{
			Name: name, Transport: config.TransportStdio, Command: "npx", Enabled: true,
			Args:    append([]string{"-y", "@modelcontextprotocol/server-" + name}, args...),
			Timeout: time.Minute, ConnectTimeout: 5 * time.Minute,
		}
	}
	cfg := config.Config{Servers: []config.Server{npx("everything"), npx("filesystem", dir), npx("memory")}}
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	hub := Open(cfg.Servers, Options{})
	defer hub.Close()
	roster, err := Settle(ctx, hub, NewRoster(cfg))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range roster.Servers() {
		if s.State != StateReady || len(s.Tools) < 9 || len(s.Warnings) > 0 {
			t.Errorf("%s is %s (%s) with %d tools, %v", s.Name, s.State, s.Reason, len(s.Tools), s.Warnings)
		}
	}
	got, err := hub.Call(ctx, "everything", "echo", json.RawMessage(`{"message":"hello"}`), nil)
	if err != nil || !strings.Contains(string(got), "hello") {
		t.Errorf("%s %v", got, err)
	}
	if got, err = hub.Call(ctx, "filesystem", "list_directory", json.RawMessage(`{"path":"/"}`), nil); err != nil || !strings.Contains(string(got), `"isError":true`) {
		t.Errorf("%s %v", got, err)
	}
}
