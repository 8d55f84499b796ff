package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.WriteFile(real, []byte("tools:\n  tool_search:\n    listing_max_tokens: 4000 # cap\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("needs links:", err)
	}
	edit, err := Prepare(link, []Setting{tokens})
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(real); string(data) != string(edit.Before) {
		t.Error("preparing wrote something")
	}
	if err := edit.Commit(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(real)
	if err != nil || string(data) != "tools:\n  tool_search:\n    listing_max_tokens: 1200 # cap\n" {
		t.Errorf("%q, %v", data, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("files: %v", left)
	}
	// What has changed meanwhile is not overwritten.
	if err := edit.Commit(); !errors.Is(err, ErrChanged) {
		t.Errorf("a second write: %v", err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, says := range map[string]string{
		filepath.Join(dir, "none.yaml"):                         "cannot be read",
		put("broken.yaml", "a: [\n"):                            "broken.yaml:",
		put("mcp.json", `{"mcpServers":{"a":{"command":"x"}}}`): "another program's",
		dir: "not a regular file",
	} {
		if _, err := Prepare(path, []Setting{tokens}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", path, err, says)
		}
	}
}
