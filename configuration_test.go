package main

import (
	"strings"
	"testing"
)

func TestConfigTellsWhereFrom(t *testing.T) {
	path := write(t, "c.yaml", "model: {context_length: 1000}\nmcp_servers:\n  a:\n    command: sh\n    env: {X: '${HOME}'}\n  b: {command: x, enabled: no}\n")
	other := write(t, ".mcp.json", `{"mcpServers":{"b":{"command":"y","disabled":true}}}`)
	code, out, errOut := toolscope(t, "config", "--config", path, "--config", other, "--set", "listing_max_tokens=300", "--context-length", "5000")
	if code != 0 {
		t.Fatal(errOut)
	}
	for _, want := range [][]string{
		{"context_length", "5000", "--context-length"}, {"tools.tool_search.listing_max_tokens", "300", "--set"}, {"tools.tool_search.threshold_pct", "5", "default"},
		{"mcp_servers.a.command", "sh", path + ":4"}, {"mcp_servers.a.env.X", "***", "(HOME from the environment)"}, {"mcp_servers.b.command", "y", other + ":1"},
		{"mcp_servers.b.enabled", "false"}, {"server b is defined twice"},
	} {
		found := false
		for _, line := range strings.Split(out, "\n") {
			all := true
			for _, part := range want {
				all = all && strings.Contains(line, part)
			}
			found = found || all
		}
		if !found {
			t.Errorf("no line with %q in\n%s", want, out)
		}
	}
	v := answer(t, "config")
	if len(v["values"].([]any)) < 20 || v["path"] != "built-in" {
		t.Errorf("%v", v)
	}
	if code, _, errOut := toolscope(t, "config", "--config", ""); code != exitUsage || !strings.Contains(errOut, "--config is empty") {
		t.Errorf("an empty --config: exit %d, %s", code, errOut)
	}
}
