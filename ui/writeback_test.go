package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muesli/termenv"
)

func TestWriteBack(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0)
	press := func(key string) {
		t.Helper()
		next, cmd := b.m.Update(keyMsg(key))
		b.m = next.(model)
		b.send(runCmd(cmd)...)
	}
	press("w")
	b.sees("nothing to write")
	b.press("1", "left", "L")
	press("w")
	b.sees("cannot be written into: the tuned settings are copied as YAML")
	if len(b.copied) != 1 || b.copied[0] != "tools:\n  tool_search:\n    listing: on\n    threshold_pct: 4.9\n" {
		t.Errorf("copied %q", b.copied)
	}

	path := filepath.Join(t.TempDir(), "config.yaml")
	text := "model:\n  api_key: sk-secret\n  context_length: 200000\ntools:\n  tool_search:\n    threshold_pct: 5 # mine\n"
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(text)
	b.m.file = path
	press("w")
	b.sees("Write the tuned settings into", "-    threshold_pct: 5 # mine", "+    threshold_pct: 4.9 # mine", "+    listing: on").lacks("sk-secret")
	press("n")
	b.sees("not written")
	press("w")
	put(text + "# changed meanwhile\n")
	press("y")
	b.sees("it changed meanwhile")
	press("w")
	press("y")
	b.sees("written into")
	data, err := os.ReadFile(path)
	want := strings.Replace(text, "    threshold_pct: 5 # mine", "    listing: on\n    threshold_pct: 4.9 # mine", 1) + "# changed meanwhile\n"
	if err != nil || string(data) != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, data, want)
	}
	press("w")
	b.sees("nothing to write")
	put("tools: [broken\n")
	b.press("1", "left")
	press("w")
	b.sees("not written: ")
}
