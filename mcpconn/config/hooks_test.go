package config

import (
	"strings"
	"testing"
	"time"
)

func TestHooks(t *testing.T) {
	cfg := parse(t, `
hooks:
  pre_tool_call:
    - {matcher: "mcp_github_.*", command: "~/bin/check --mode 'a b'", timeout: 5, fail_closed: true}
    - {command: audit}
    - {matcher: "mcp_(a|b)", command: x, timeout: 900}
  post_tool_call:
    - {matcher: exact, command: y}
  on_session_start:
    - {command: z}
`)
	if len(cfg.Hooks) != 4 {
		t.Fatalf("%+v", cfg.Hooks)
	}
	first := cfg.Hooks[0]
	if strings.Join(first.Words, "|") != "/home/me/bin/check|--mode|a b" || first.Timeout != 5*time.Second || !first.FailClosed || first.Event != HookPre || first.Line != 4 {
		t.Errorf("%+v", first)
	}
	if cfg.Hooks[1].Timeout != DefaultHookTimeout || cfg.Hooks[2].Timeout != MaxHookTimeout || cfg.Hooks[3].Event != HookPost {
		t.Errorf("%+v", cfg.Hooks)
	}
	for i, test := range []struct {
		matches, misses string
	}{{"mcp_github_create_issue", "xmcp_github_x"}, {"anything", ""}, {"mcp_b", "mcp_bc"}, {"exact", "exactly"}} {
		if h := cfg.Hooks[i]; !h.Matches(test.matches) || test.misses != "" && h.Matches(test.misses) {
			t.Errorf("%s: matches %s %v, %s %v", h.Matcher, test.matches, h.Matches(test.matches), test.misses, h.Matches(test.misses))
		}
	}
	want(t, warnings(cfg), "a hook gets at most 5m0s")
}

func TestHookOddities(t *testing.T) {
	for text, says := range map[string]string{
		"hooks: [a]":                                                     "hooks is a list where a mapping of events is due",
		"hooks: {pre_tool_call: {command: x}}":                           "hooks.pre_tool_call is a mapping where a list of hooks is due",
		"hooks: {pre_tool_call: [x]}":                                    "is no mapping with a command",
		"hooks: {pre_tool_call: [{matcher: x}]}":                         "has no command",
		"hooks: {pre_tool_call: [{command: \"a 'b\"}]}":                  "has no command that can be split into words",
		"hooks: {pre_tool_call: [{command: a, macher: b}]}":              "macher is not a key that is known here",
		"hooks: {pre_tool_call: [{command: a, matcher: 'mcp_(?!x).*'}]}": "which Python's regular expressions can and Go's cannot",
		"hooks: {pre_tool_call: [{command: a, matcher: 'mcp_[' }]}":      "is no regular expression: it is compared literally",
		"hooks: {pre_tool_call: [{command: a, matcher: tool_call}]}":     "hooks see the real name of a tool, never tool_call: this one never fires",
	} {
		want(t, warnings(parse(t, text)), says)
	}
}

// A misspelt event is named; those of Hermes that are not of calls are left to
// it.
func TestHookEvents(t *testing.T) {
	cfg, err := Parse("h.yaml", []byte("hooks:\n  pre_tol_call: [{command: a}]\n  PostToolUse: [{command: b}]\n  pre_llm_call: [{command: c}]\n  on_session_start: [{command: d}]\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, w := range cfg.Warnings {
		keys = append(keys, w.Key)
	}
	if got := strings.Join(keys, " "); got != "hooks.pre_tol_call hooks.PostToolUse" || len(cfg.Hooks) != 0 {
		t.Errorf("warned of %s", got)
	}
}

func TestApprovalTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": DefaultApprovalTimeout, "approvals: {timeout: 30}": 30 * time.Second, "approvals: {mode: manual}": DefaultApprovalTimeout, "approvals: {timeout: -1}": DefaultApprovalTimeout,
	} {
		cfg, err := Parse("a.yaml", []byte("mcp_servers: {}\n"+text), Options{})
		if err != nil || cfg.ApprovalTimeout != want {
			t.Errorf("%q: %v, %v", text, cfg.ApprovalTimeout, err)
		}
	}
	a, _ := Parse("a.yaml", []byte("approvals: {timeout: 30}\n"), Options{})
	b, _ := Parse("b.yaml", []byte("mcp_servers: {}\n"), Options{})
	if all := Merge(a, b); all.ApprovalTimeout != 30*time.Second {
		t.Errorf("merged it is %v", all.ApprovalTimeout)
	}
}
