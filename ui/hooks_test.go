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
	b.press("/", "gale", "esc", "c")
	b.do("enter")
	b.sees("consent asked: y / n", "run these commands of yours?", "check")
	b.do("y")
	b.sees("approval asked", "a hook asks for your approval: sure?")
	b.do("y")
	b.sees("consent asked", "audit")
	b.do("n")
	b.sees("✓ done", "SIMULATED")
	if !b.m.consents.Has("check") || b.m.consents.Has("audit") {
		t.Errorf("consented to %q", b.m.consents.All())
	}
	// What was agreed to is not asked about again.
	b.press("4", "c")
	b.do("enter")
	b.sees("approval asked")
	b.do("n")
	b.sees("consent asked", "audit")
	b.do("y")
	b.sees("blocked at approval")
}
