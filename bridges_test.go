package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	v := answer(t, "describe", "mcp_github_create_issue", "pin_note")
	if got := keysOf(v["tools"]); !slices.Equal(got, []string{"mcp_github_create_issue", "pin_note"}) {
		t.Errorf("described: %v", got)
	}
	tool := v["tools"].(map[string]any)["mcp_github_create_issue"]
	if got := keysOf(tool); !slices.Equal(got, []string{"description", "parameters"}) {
		t.Errorf("keys: %v", got)
	}
	for _, tc := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"describe"}, exitUsage, "needs a tool's wire name"},
		{[]string{"describe", "create_issue"}, exitNo, "did you mean mcp_github_create_issue or mcp_linear_create_issue?"},
		{[]string{"describe", "terminal"}, exitNo, "call it directly"},
		{[]string{"describe", "mcp_linear_create_issue", "--session", "subagent"}, exitNo, "not found in this session"},
		{[]string{"describe", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}, exitUsage, "at most 10 are accepted"},
		{[]string{"describe", "mcp_github_create_issue"}, 0, `"type": "object"`},
	} {
		code, out, errOut := toolscope(t, tc.args...)
		if code != tc.code || !strings.Contains(out+errOut, tc.out) {
			t.Errorf("toolscope %v: exit %d, %s%s; want exit %d and %q", tc.args, code, out, errOut, tc.code, tc.out)
		}
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	v := answer(t, "call", "mcp_github_create_issue", "--args", `{"owner":"o","repo":"r","title":"t"}`)
	if got := keysOf(v); !slices.Equal(got, []string{"result", "stages", "tool"}) || v["tool"] != "mcp_github_create_issue" {
		t.Errorf("keys: %v, tool %v", got, v["tool"])
	}
	stages := v["stages"].([]any)
	if len(stages) != 10 {
		t.Fatalf("%d stages", len(stages))
	}
	for _, s := range stages {
		if got := keysOf(s); !slices.Equal(got, []string{"input", "ms", "outcome", "output", "reason", "stage"}) {
			t.Errorf("keys of a stage: %v", got)
		}
	}
	if v["result"].(map[string]any)["simulated"] != true {
		t.Errorf("result: %v", v["result"])
	}
	for _, tc := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"call"}, exitUsage, "needs one tool's wire name"},
		{[]string{"call", "a", "b"}, exitUsage, "needs one tool's wire name"},
		{[]string{"call", "create_issue"}, exitNo, "did you mean"},
		{[]string{"call", "terminal"}, exitNo, "call it directly"},
		{[]string{"call", "tool_search"}, exitNo, "bridge tool"},
		{[]string{"call", "mcp_github_create_issue", "--args", "[1]"}, exitNo, "give an object"},
		{[]string{"call", "mcp_github_create_issue", "--args", `{"title":`}, exitNo, "no JSON object"},
	} {
		code, out, errOut := toolscope(t, tc.args...)
		if code != tc.code || !strings.Contains(out+errOut, tc.out) {
			t.Errorf("toolscope %v: exit %d, %s%s; want exit %d and %q", tc.args, code, out, errOut, tc.code, tc.out)
		}
	}
}

const untrusted = `{"servers":[{"name":"low","trust":"untrusted","tools":[{"name":"write"},{"name":"read","annotations":{"readOnlyHint":true}}]}]}`

func TestCallAsksForApproval(t *testing.T) {
	snapshot := write(t, "s.json", untrusted)
	for _, tc := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"mcp_low_write"}, exitNo, "approval is demanded and there is nobody to ask"},
		{[]string{"mcp_low_write", "--yes"}, 0, "approved by --yes"},
		{[]string{"mcp_low_read"}, 0, "nothing demands it"},
	} {
		code, out, _ := toolscope(t, append([]string{"call", "--snapshot", snapshot}, tc.args...)...)
		if code != tc.code || !strings.Contains(out, tc.out) {
			t.Errorf("%v: exit %d, %s; want exit %d and %q", tc.args, code, out, tc.code, tc.out)
		}
	}
}

func TestSearchWhy(t *testing.T) {
	t.Parallel()
	v := answer(t, "search", "file bug", "create issue", "--why", "mcp_github_create_issue")
	explained := v["explain"].([]any)
	if len(explained) != 2 {
		t.Fatalf("%d explanations", len(explained))
	}
	first := explained[0].(map[string]any)["why"].(map[string]any)
	want := []string{"changes", "found", "limit", "query", "rank", "reasons", "score", "tool"}
	if got := keysOf(first); !slices.Equal(got, want) || first["found"] != false || len(first["changes"].([]any)) == 0 {
		t.Errorf("why: %v", first)
	}
	if second := explained[1].(map[string]any)["why"].(map[string]any); second["found"] != true {
		t.Errorf("why: %v", second)
	}
	// The change that is offered holds.
	query := first["changes"].([]any)[0].(map[string]any)["query"].(string)
	if code, _, errOut := toolscope(t, "search", query, "--expect", "mcp_github_create_issue"); code != 0 {
		t.Errorf("“%s” does not find it: %s", query, errOut)
	}
	for tool, says := range map[string]string{
		"mcp_cloudflare_zone_list": "server cloudflare is off",
		"read_file":                "never deferred",
		"mcp_github_nothing":       "no tool of this session has the name",
	} {
		_, out, _ := toolscope(t, "search", "issue", "--why", tool)
		if !strings.Contains(out, says) {
			t.Errorf("--why %s: %s", tool, out)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	v := answer(t, "assemble", "--diff", ".", "listing_max_tokens=1200")
	d := v["diff"].(map[string]any)
	if d["changed"] != true || d["hash_a"] == d["hash_b"] || v["b"].(map[string]any)["form"] != "names" {
		t.Errorf("diff: %v", d)
	}
	same := answer(t, "assemble", "--diff", ".", "threshold_pct=5,context_length=200000")["diff"].(map[string]any)
	if same["changed"] != false || same["hash_a"] != same["hash_b"] || same["lost_tokens"] != 0.0 {
		t.Errorf("diff of the same: %v", same)
	}
	one := write(t, "a.json", untrusted)
	two := write(t, "b.json", strings.Replace(untrusted, "low", "high", 1))
	code, out, errOut := toolscope(t, "assemble", "--diff", one, two)
	if code != 0 || !strings.Contains(out, "listing high: listed, full (2)") || !strings.Contains(out, "listing low: no longer listed") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	session := answer(t, "assemble", "--diff", ".", "session=subagent")
	if raw, _ := json.Marshal(session["diff"]); !strings.Contains(string(raw), "deferred count") {
		t.Errorf("session: %s", raw)
	}
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"--diff", "."}, "needs two sides"},
		{[]string{"--diff", ".", "nothing-there"}, "no such file"},
		{[]string{"--diff", ".", "listing_max_token=3"}, "did you mean listing_max_tokens?"},
		{[]string{"--diff", ".", "context_length=many"}, "a number of tokens is needed"},
		{[]string{"--diff", ".", "session=nobody"}, "no such session"},
	} {
		if code, _, errOut := toolscope(t, append([]string{"assemble"}, tc.args...)...); code != exitUsage || !strings.Contains(errOut, tc.says) {
			t.Errorf("%v: exit %d, %s", tc.args, code, errOut)
		}
	}
}

func TestCallLive(t *testing.T) {
	v := answer(t, "call", "mcp_github_list_issues", "--live", "--args", `{"owner":"o","repo":"r"}`)
	raw, err := json.Marshal(v["result"])
	if err != nil || strings.Contains(string(raw), "simulated") || !strings.Contains(string(raw), "content") {
		t.Errorf("%s, %v", raw, err)
	}
	for _, tc := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"mcp_github_create_issue", "--args", `{"owner":"o","repo":"r","title":"t"}`}, exitNo, "approval is demanded"},
		{[]string{"mcp_github_create_issue", "--args", `{"owner":"o","repo":"r","title":"t"}`, "--yes"}, 0, "live: the server answered"},
		{[]string{"jot", "--args", `{"text":"x"}`, "--yes"}, exitNo, "runs inside Hermes"},
		{[]string{"jot", "--snapshot", write(t, "s.json", untrusted)}, exitUsage, "needs the servers themselves"},
	} {
		code, out, errOut := toolscope(t, append([]string{"call", "--live"}, tc.args...)...)
		if code != tc.code || !strings.Contains(out+errOut, tc.out) {
			t.Errorf("%v: exit %d, %s%s; want exit %d and %q", tc.args, code, out, errOut, tc.code, tc.out)
		}
	}
}
