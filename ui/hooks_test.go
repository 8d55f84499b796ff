//go:build unix

package ui

import (
	"testing"
	"time"

	"github.com/muesli/termenv"

	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
)

func TestHooksAskForConsent(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.m.consents = state.NewConsents(t.TempDir())
	b.m.hooks = []config.Hook{
		{Event: config.HookPre, Command: "check", Words: []string{"sh", "-c", `echo '{"action":"approve","message":"sure?"}'`}, Timeout: time.Minute},
		{Event: config.HookPost, Command: "audit", Words: []string{"true"}, Timeout: time.Minute},
	}
	// run sends a key, and whatever comes of it, to the end.
	run := func(key string) {
		t.Helper()
		next, cmd := b.m.Update(keyMsg(key))
		b.m = next.(model)
		for msgs := runCmd(cmd); len(msgs) > 0; {
			msg := msgs[0]
			next, cmd := b.m.Update(msg)
			b.m = next.(model)
			msgs = append(msgs[1:], runCmd(cmd)...)
		}
		b.view()
	}
	b.press("/", "gale", "esc", "c")
	run("enter")
	b.sees("consent asked: y / n", "run these commands of yours?", "check")
	run("y")
	b.sees("approval asked", "a hook asks for your approval: sure?")
	run("y")
	b.sees("consent asked", "audit")
	run("n")
	b.sees("✓ done", "SIMULATED")
	if !b.m.consents.Has("check") || b.m.consents.Has("audit") {
		t.Errorf("consented to %q", b.m.consents.All())
	}
	// What was agreed to is not asked about again.
	b.press("4", "c")
	run("enter")
	b.sees("approval asked")
	run("n")
	b.sees("consent asked", "audit")
	run("y")
	b.sees("blocked at approval")
}
