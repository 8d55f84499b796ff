package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestName(t *testing.T) {
	at := time.Date(2025, 3, 9, 7, 5, 1, 999, time.FixedZone("there", 3600))
	for ext, want := range map[string]string{"svg": "toolscope-20250309-070501.svg", ".txt": "toolscope-20250309-070501.txt"} {
		if got := Name(at, ext); got != want {
			t.Errorf("Name(%q) = %q, want %q", ext, got, want)
		}
	}
}

func TestWriteNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"a.svg", "a-2.svg", "a-3.svg"} {
		path, err := Write(dir, "a.svg", []byte(want))
		if err != nil || path != filepath.Join(dir, want) {
			t.Fatalf("file %d: %q, %v; want %s", i, path, err, want)
		}
	}
	for _, name := range []string{"a.svg", "a-2.svg", "a-3.svg"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != name {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "a.svg"))
	if err != nil || info.Mode().Perm()&^0o644 != 0 || info.Mode().Perm()&0o600 != 0o600 {
		t.Errorf("mode %v, %v; want 0644 less the umask", info.Mode(), err)
	}
}

// A link that leads elsewhere, even to nothing, is a file that is there.
func TestWriteFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.Symlink(target, filepath.Join(dir, "a.txt")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	path, err := Write(dir, "a.txt", []byte("x"))
	if err != nil || filepath.Base(path) != "a-2.txt" {
		t.Errorf("%q, %v; want a-2.txt", path, err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ dir, name, says string }{
		{dir, "", "no file name"},
		{dir, ".", "no file name"},
		{dir, "..", "no file name"},
		{dir, "/", "no file name"},
		{dir, "../a", "no file name"},
		{dir, "b/a", "no file name"},
		{filepath.Join(dir, "none"), "a.svg", filepath.Join(dir, "none", "a.svg")},
	} {
		path, err := Write(tc.dir, tc.name, nil)
		if err == nil || path != "" || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("Write(%q, %q) = %q, %v; want %q", tc.dir, tc.name, path, err, tc.says)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestWriteGivesUp(t *testing.T) {
	dir := t.TempDir()
	for range maxNames {
		if _, err := Write(dir, "a", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Write(dir, "a", nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want that the file exists", err)
	}
}
