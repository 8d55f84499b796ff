package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("config.yaml", "a: 1\n")
	w, err := Watch(path)
	if err != nil {
		t.Fatal(err)
	}
	told := func(what string) {
		t.Helper()
		select {
		case <-w.Changed():
		case <-time.After(30 * time.Second):
			t.Fatalf("%s was not told", what)
		}
	}
	put("config.yaml", "a: 2\n")
	told("a change")
	put("other.yaml", "x")
	put("new", "a: 3\n")
	if err := os.Rename(filepath.Join(dir, "new"), path); err != nil {
		t.Fatal(err)
	}
	told("a file put in its place")
	put("config.yaml", "a: 4\n")
	told("a change of the new file")
	put(".env", "A=b\n")
	told("a change of .env")
	w.Close()
	if _, ok := <-w.Changed(); ok {
		t.Error("it tells of changes after its end")
	}
	if _, err := Watch(filepath.Join(dir, "no", "such", "file")); err == nil {
		t.Error("a folder that is not there is watched")
	}
}
