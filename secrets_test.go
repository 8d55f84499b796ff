package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// planted are the secrets of a configuration that holds one wherever it can.
func planted() []string {
	return []string{"env-s3cret", "header-s3cret", "arg-s3cret", "user-s3cret", "pass-s3cret", "query-s3cret", "dotenv-s3cret", "path-s3cret-0123456789"}
}

// plant writes that configuration: servers that tell what they were given, that
// refuse, that are not there, and one that works.
func plant(t *testing.T) (path string) {
	t.Helper()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, fmt.Sprintf("refused %s %s", r.Header.Get("Authorization"), r.URL), http.StatusUnauthorized)
	}))
	t.Cleanup(refuses.Close)
	host := strings.TrimPrefix(refuses.URL, "http://")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("TOKEN=dotenv-s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "config.yaml")
	config := fmt.Sprintf(`
mcp_servers:
  echoes:
    command: sh
    args: ["-c", "echo $SECRET $0 >&2; echo token $SECRET; exit 3", "--token=arg-s3cret"]
    env: {SECRET: env-s3cret, OTHER: "${TOKEN}"}
  missing:
    command: /no/such/binary
    args: ["--api-key", "arg-s3cret"]
    env: {SECRET: env-s3cret}
  refused:
    url: http://user-s3cret:pass-s3cret@%s/mcp/path-s3cret-0123456789?api_key=query-s3cret
    headers: {Authorization: "Bearer header-s3cret", X-Token: "${TOKEN}"}
  nobody:
    url: http://user-s3cret:pass-s3cret@127.0.0.1:1/?token=query-s3cret
    headers: {Authorization: "Bearer header-s3cret"}
  good:
    command: ${self}
    args: [fixture, linear]
    env: {SECRET: env-s3cret}
`, host)
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Secrets are in nothing that a command prints or writes.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	path := plant(t)
	snapshot := filepath.Join(t.TempDir(), "out.json")
	for _, args := range [][]string{
		{"config"}, {"config", "--json"}, {"assemble"}, {"assemble", "--json"}, {"search", "issue", "--explain", "--why", "mcp_refused_x"}, {"search", "issue", "--why", "mcp_echoes_x", "--json"},
		{"describe", "mcp_linear_x", "mcp_good_create_issue"}, {"call", "mcp_good_create_issue", "--json"}, {"call", "mcp_nobody_x"}, {"sweep", "--json"},
		{"snapshot", "-o", snapshot, "--allow-partial"}, {"assemble", "--diff", ".", "enabled=off"},
	} {
		_, out, errOut := toolscope(t, append(args, "--config", path)...)
		if len(out)+len(errOut) == 0 {
			t.Errorf("toolscope %v prints nothing", args)
		}
		leaks(t, fmt.Sprint("toolscope ", args), out+errOut)
	}
	data, err := os.ReadFile(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	leaks(t, "the snapshot", string(data))
}

// leaks reports every planted secret in a text.
func leaks(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range planted() {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("%s leaks %s: …%s…", where, secret, text[max(0, i-80):min(len(text), i+80)])
		}
	}
}
