//go:build unix

package main

import (
	"strings"
	"testing"
)

const hooked = `
mcp_servers:
  linear: {command: "${self}", args: [fixture, linear]}
hooks:
  pre_tool_call:
    - {matcher: "mcp_linear_.*issue", command: "sh -c 'grep -q delete && exit 2; true'"}
    - {matcher: tool_call, command: never}
  post_tool_call:
    - {command: "true"}
`

func TestHooksCommand(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := write(t, "h.yaml", hooked)
	_, out, _ := toolscope(t, "hooks", "--config", path)
	for _, want := range []string{"pre_tool_call  mcp_linear_.*issue", "matches mcp_linear_", "matches none of the deferred tools", "not consented: it does not run", "(every tool)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, out, _ = toolscope(t, "hooks", "--config", path, "--consent", "true"); !strings.Contains(out, "\n  consented, from") {
		t.Error(out)
	}
	if _, out, _ = toolscope(t, "hooks", "--config", path, "--revoke", "true"); strings.Contains(out, "\n  consented, from") {
		t.Error(out)
	}
	if v := answer(t, "hooks", "--config", path); len(v["hooks"].([]any)) != 3 {
		t.Errorf("%v", v)
	}
	if _, out, _ = toolscope(t, "hooks", "--config", path, "--test", "mcp_linear_create_issue", "--accept-hooks"); !strings.Contains(out, "pre_tool_call  passed") {
		t.Error(out)
	}
	if _, out, _ = toolscope(t, "hooks", "--config", path, "--test", "mcp_linear_create_issue", "--accept-hooks", "--json"); !strings.Contains(out, `"outcome": "passed"`) || !strings.Contains(out, `"action": "pass"`) {
		t.Errorf("as JSON it printed %s", out)
	}
	if _, _, errOut := toolscope(t, "hooks", "--config", path, "--test", "nobody"); !strings.Contains(errOut, "no deferred tool is named nobody") {
		t.Errorf("of a tool that is not there it said %q", errOut)
	}
	if code, _, errOut := toolscope(t, "hooks", "--config", path, "--test", "x", "--args", "{"); code != exitUsage || !strings.Contains(errOut, "no JSON") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

func TestCallWithHooks(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := write(t, "h.yaml", hooked)
	for _, tc := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"--args", `{"team":"ENG","title":"delete it"}`}, 0, []string{"you have not consented"}},
		{[]string{"--args", `{"team":"ENG","title":"delete it"}`, "--accept-hooks"}, exitNo, []string{"pre_tool_call   blocked", "dispatch        not reached", "post_tool_call  passed"}},
		{[]string{"--args", `{"team":"ENG","title":"keep it"}`, "--accept-hooks"}, 0, []string{"pre_tool_call   passed", "dispatch        passed", "post_tool_call  passed"}},
	} {
		code, out, errOut := toolscope(t, append([]string{"call", "mcp_linear_create_issue", "--config", path}, tc.args...)...)
		if code != tc.code {
			t.Errorf("%v: exit %d, %s%s", tc.args, code, out, errOut)
		}
		for _, want := range tc.says {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", tc.args, want, out)
			}
		}
	}
}
