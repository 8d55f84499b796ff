//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The workbench begins as it was left; what is kept and broken is a warning.
func TestScreenIsKept(t *testing.T) {
	state := t.TempDir()
	file := filepath.Join(state, "toolscope", "screen.json")
	w := openTerminalIn(t, state, "--theme", "none")
	w.waitFor("▸ 1 Tier")
	w.screen.WriteString("4z")
	w.waitFor("[4 Query]")
	w.screen.WriteString("/pin a note\r")
	w.waitFor("expect a tool")
	w.screen.WriteString("q")
	w.wait()
	kept, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(kept), `"pane": 4`) || !strings.Contains(string(kept), `"zoom": true`) || !strings.Contains(string(kept), `"pin a note"`) {
		t.Fatalf("kept: %s, %v", kept, err)
	}

	w = openTerminalIn(t, state, "--theme", "none")
	w.waitFor("[4 Query]")
	w.screen.WriteString("z1q")
	w.wait()

	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	w = openTerminalIn(t, state, "--theme", "none")
	w.waitFor("▸ 1 Tier")
	w.screen.WriteString("z")
	w.waitFor("is ignored: it is not what")
	w.screen.WriteString("q")
	w.wait()
	if kept, err := os.ReadFile(file); err != nil || !strings.Contains(string(kept), `"pane": 1`) {
		t.Errorf("kept: %s, %v", kept, err)
	}
}

// Sub-commands and the line mode keep nothing of a screen.
func TestOnlyTheScreenIsKept(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	for _, args := range [][]string{{}, {"assemble"}, {"search", "issue"}, {"--accessible"}} {
		if code, _, errOut := toolscope(t, args...); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, errOut)
		}
	}
	if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
}

// On a terminal too the line mode sends text alone: no escape sequence.
func TestAccessibleOnATerminal(t *testing.T) {
	w := openTerminal(t, "--accessible")
	w.waitFor("Server slack is connected")
	w.screen.WriteString("set listing_max_tokens 200\n")
	w.waitFor("listing_max_tokens is 200 now")
	w.screen.WriteString("quit\n")
	w.wait()
	if strings.Contains(w.text(), "\x1b") {
		t.Errorf("it sends an escape sequence: %q", w.text())
	}
}
