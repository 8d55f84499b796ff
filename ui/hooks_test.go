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

// The hooks view says what each hook sees, and takes consent and gives it back.
func TestHooksView(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0)
	b.press("H").sees("No hooks of calls are configured").press("esc")
	cfg, err := config.Parse("harbour.yaml", []byte(`hooks:
  pre_tool_call:
    - {matcher: mcp_harbour_.*, command: "/usr/bin/check --strict", fail_closed: true}
    - {matcher: tool_call, command: "/usr/bin/never"}
  post_tool_call:
    - {command: "/usr/bin/audit"}
`), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.m.consents = state.NewConsents(t.TempDir())
	b.m.hooks, b.m.notes = cfg.Hooks, cfg.Warnings
	b.m.assemble()
	b.press("H").sees("7 of 12 tools", "✗ none of 12", "○ not consented", "fail_closed: a failure of it blocks the call", "mcp_harbour_berth_assign", "mcp_weather_gale_warning")
	b.press("j").sees("hooks see the real name of a tool, never tool_call: this one never fires", "the matcher has to match the whole real name")
	b.press("j").do(" ").sees("● consented", "consented: calls run /usr/bin/audit")
	if !b.m.consents.Has("/usr/bin/audit") {
		t.Error("the consent is not kept")
	}
	b.do(" ").sees("revoked")
	if b.m.consents.Has("/usr/bin/audit") || len(b.m.agreed) != 0 {
		t.Error("the consent is still there")
	}
	b.press("y")
	if b.copied[0] != "/usr/bin/audit" {
		t.Errorf("copied %q", b.copied)
	}
}
