package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The query set of the demo shows a hit in several places and a miss for every
// reason that the demo has.
func TestEvalOfTheDemo(t *testing.T) {
	path := filepath.Join("fixtures", "queries.yaml")
	v := answer(t, "eval", path)
	want := []string{"absent", "cases", "count", "hit_at_1", "hit_at_3", "hit_at_limit", "hits", "limit", "mrr"}
	if got := keysOf(v); !slices.Equal(got, want) {
		t.Errorf("keys of eval --json are %v, want %v", got, want)
	}
	cases := v["cases"].([]any)
	if got, want := keysOf(cases[0]), []string{"absent", "found", "line", "misses", "query", "rank", "tool", "want"}; !slices.Equal(got, want) {
		t.Errorf("keys of a case are %v, want %v", got, want)
	}
	if v["count"] != 21.0 || v["hits"] != 13.0 || v["absent"] != 3.0 || v["limit"] != 5.0 || v["hit_at_1"] != 9.0/21 || v["hit_at_3"] != 12.0/21 || v["hit_at_limit"] != 13.0/21 {
		t.Errorf("hits %v of %v, absent %v, limit %v, shares %v %v %v", v["hits"], v["count"], v["absent"], v["limit"], v["hit_at_1"], v["hit_at_3"], v["hit_at_limit"])
	}
	reasons := map[string]bool{}
	for _, raw := range cases {
		c := raw.(map[string]any)
		for _, w := range append(c["misses"].([]any), c["absent"].([]any)...) {
			for _, r := range w.(map[string]any)["reasons"].([]any) {
				reasons[r.(map[string]any)["kind"].(string)] = true
			}
		}
	}
	for _, kind := range []string{"not_in_catalog", "not_in_tool", "camel_case", "inside_word", "beyond_limit", "non_latin", "no_tokens", "not_deferred", "not_connected", "unknown"} {
		if !reasons[kind] {
			t.Errorf("no query of the set misses for the reason %s", kind)
		}
	}

	code, out, errOut := toolscope(t, "eval", path)
	if code != 0 {
		t.Errorf("exit %d: %s", code, errOut)
	}
	for _, says := range []string{
		"✓     4  change an issue                       mcp_github_update_issue\n",
		"✗    11  file a bug                            mcp_github_create_issue\n",
		"✗     –  ピン留め                              mcp_slack_pin_message\n",
		"- camel_case: “users” is in its document only as a part of “listAllUsers”",
		"did you mean mcp_github_delete_branch?",
		"server cloudflare is off",
		"\n21 queries, limit 5\nhit@1    42.9 %  9 of 21\nhit@3    57.1 %  12 of 21\nhit@5    61.9 %  13 of 21\nMRR     0.50",
		"3 queries want a name that no search can find",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q:\n%s", says, out)
		}
	}
	// Higher than the limit there is no place.
	if _, out, _ := toolscope(t, "eval", path, "--limit", "2"); !strings.Contains(out, "hit@1") || !strings.Contains(out, "hit@2") || strings.Contains(out, "hit@3") {
		t.Errorf("with a limit of 2:\n%s", out)
	}
	if v := answer(t, "eval", path, "--limit", "25"); v["limit"] != 25.0 || v["hits"] != 15.0 {
		t.Errorf("with a limit of %v there are %v hits, want 15", v["limit"], v["hits"])
	}
}

func TestEvalGate(t *testing.T) {
	tools := write(t, "tools.json", `{"servers":[{"name":"a","tools":[{"name":"open"},{"name":"close"}]}]}`)
	set := write(t, "set.tsv", "open it\topen\nclose it\tclose\nshut it\tclose\n")
	for _, tc := range []struct {
		args []string
		want int
		says string
	}{
		{nil, 0, ""},
		{[]string{"--min-hit", "0"}, 0, ""},
		{[]string{"--min-hit", "0.66"}, 0, ""},
		{[]string{"--min-hit", "0.67"}, exitNo, "2 of 3 queries find a wanted tool within the limit of 5; --min-hit 0.67 asks for more"},
		{[]string{"--min-hit", "1"}, exitNo, "2 of 3"},
		{[]string{"--min-hit", "1", "--json"}, exitNo, "2 of 3"},
		{[]string{"--min-hit", "1.01"}, exitUsage, "--min-hit 1.01: a share from 0 to 1"},
		{[]string{"--min-hit", "90%"}, exitUsage, "--min-hit 90%"},
		{[]string{"--min-hit", "NaN"}, exitUsage, "--min-hit NaN"},
		{[]string{"--min-hit", ""}, exitUsage, "--min-hit"},
		{[]string{"--limit", "many"}, exitUsage, "a whole number is needed"},
		{[]string{"--set", "enabled=off", "--min-hit", "0.1"}, exitNo, "0 of 3"},
	} {
		code, out, errOut := toolscope(t, append([]string{"eval", set, "--snapshot", tools}, tc.args...)...)
		if code != tc.want || !strings.Contains(errOut, tc.says) {
			t.Errorf("eval %v: exit %d, %q; want exit %d and %q", tc.args, code, errOut, tc.want, tc.says)
		}
		if code != exitUsage && !strings.Contains(out, "MRR") && !strings.Contains(out, `"mrr"`) {
			t.Errorf("eval %v prints no measures: %s", tc.args, out)
		}
	}
}

// A server that failed is told of, whatever the gate says.
func TestEvalWithAFailedServer(t *testing.T) {
	config := write(t, "c.yaml", "mcp_servers:\n  good: {command: \"${self}\", args: [fixture, slack]}\n  dead: {command: \"${self}\", args: [fixture, nobody]}\n")
	set := write(t, "set.txt", "post a message => post_message\nraise => mcp_dead_raise\n")
	for _, tc := range []struct {
		args []string
		want int
		says string
	}{
		{nil, exitNo, "1 of 2 servers failed"},
		{[]string{"--min-hit", "1"}, exitNo, "1 of 2 queries"},
		{[]string{"--min-hit", "0.5", "--allow-partial"}, 0, ""},
	} {
		code, out, errOut := toolscope(t, append([]string{"eval", set, "--config", config}, tc.args...)...)
		if code != tc.want || !strings.Contains(errOut, "server dead failed") || !strings.Contains(errOut, tc.says) || !strings.Contains(out, "not_connected: server dead is failed") {
			t.Errorf("eval %v: exit %d, %q; want exit %d and %q\n%s", tc.args, code, errOut, tc.want, tc.says, out)
		}
	}
}

func TestEvalFromStandardInput(t *testing.T) {
	tools := write(t, "tools.json", `{"servers":[{"name":"a","tools":[{"name":"open"}]}]}`)
	stdin := func(text string, args ...string) (int, string, string) {
		var out, errOut bytes.Buffer
		code := run(t.Context(), append([]string{"eval", "-"}, args...), strings.NewReader(text), &out, &errOut)
		return code, out.String(), errOut.String()
	}
	code, out, errOut := stdin(`[{"query":"open","want":["nothing","open"]}]`, "--snapshot", tools, "--json")
	var v evalReport
	if err := json.Unmarshal([]byte(out), &v); code != 0 || err != nil || v.Hits != 1 || v.Absent != 1 || v.Cases[0].Tool != "mcp_a_open" {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
	if code, _, errOut := stdin("open => open\nclose", "--snapshot", tools); code != exitUsage || !strings.Contains(errOut, "standard input:2: a case is a line") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	if code, _, errOut := stdin("open => open", "--snapshot", "-"); code != exitUsage || !strings.Contains(errOut, "cannot both be standard input") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

// A case may have a limit of its own, and text, YAML and JSON say the same.
func TestEvalShapes(t *testing.T) {
	tools := write(t, "tools.json", `{"servers":[{"name":"a","tools":[{"name":"open_a"},{"name":"open_b"}]}]}`)
	for _, tc := range []struct {
		set, says string
		hits      float64
	}{
		{"open => open_a\nopen => open_b\n", "2 queries, limit 5\n", 2},
		{"- {query: open, expect: open_a}\n- {query: open, expect: open_b}\n", "2 queries, limit 5\n", 2},
		{"- {query: open, expect: open_a}\n- {query: open, expect: open_b, limit: 1}\n", "2 queries, limit 5 (1 query has its own)\nhit@1       50.0 %  1 of 2\nhit@3       50.0 %  1 of 2\nhit@limit   50.0 %  1 of 2\n", 1},
		{"{\"query\":\"open\",\"tools\":\"open_a\"}\n{\"query\":\"open\",\"expected\":\"open_b\",\"limit\":1}\n", "(1 query has its own)", 1},
	} {
		set := write(t, "set", tc.set)
		if _, out, errOut := toolscope(t, "eval", set, "--snapshot", tools); !strings.Contains(out, tc.says) {
			t.Errorf("%q: it does not say %q:\n%s%s", tc.set, tc.says, out, errOut)
		}
		if v := answer(t, "eval", set, "--snapshot", tools); v["hits"] != tc.hits {
			t.Errorf("%q: %v hits, want %v", tc.set, v["hits"], tc.hits)
		}
	}
}

// The workbench takes a set along; where there is no screen it is evaluated.
func TestWorkbenchWithASet(t *testing.T) {
	tools := write(t, "tools.json", `{"servers":[{"name":"a","tools":[{"name":"open"}]}]}`)
	set := write(t, "set.yaml", "- {query: open, expect: open}\n")
	code, out, errOut := toolscope(t, "--eval", set, "--snapshot", tools)
	if code != 0 || !strings.Contains(out, "hit@5   100.0 %  1 of 1") || !strings.Contains(errOut, "no terminal, so there is no screen; this is what `toolscope eval` prints") {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
	for path, says := range map[string]string{
		"-":                              "standard input is the keyboard of the workbench",
		"no/such.yaml":                   "no/such.yaml: no such file",
		write(t, "b.yaml", "- query: x"): "b.yaml:1: the case has no tool in want",
	} {
		if code, out, errOut := toolscope(t, "--eval", path, "--snapshot", tools); code != exitUsage || out != "" || !strings.Contains(errOut, says) {
			t.Errorf("--eval %s: exit %d, %s%s", path, code, out, errOut)
		}
	}
}

func TestNoSetInLines(t *testing.T) {
	if code, _, errOut := toolscope(t, "--accessible", "--eval", "set.yaml"); code != exitUsage || !strings.Contains(errOut, "use toolscope eval set.yaml") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

func TestEvalIsInterrupted(t *testing.T) {
	tools := write(t, "tools.json", `{"servers":[{"name":"a","tools":[{"name":"open"}]}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errOut bytes.Buffer
	code := run(ctx, []string{"eval", "-", "--snapshot", tools}, strings.NewReader("open => open"), &out, &errOut)
	if code != exitNo || out.Len() > 0 || !strings.Contains(errOut.String(), "canceled") {
		t.Errorf("exit %d, %s%s", code, out.String(), errOut.String())
	}
}

func TestEvalBadFiles(t *testing.T) {
	large := write(t, "large.txt", strings.Repeat("# no query\n", maxCases/11+1))
	for _, tc := range []struct {
		args []string
		says string
	}{
		{nil, "eval needs one file"},
		{[]string{"a", "b"}, "eval needs one file"},
		{[]string{"no/such.txt"}, "no/such.txt: no such file"},
		{[]string{t.TempDir()}, "is a directory"},
		{[]string{large}, "large.txt: over 16 MB"},
		{[]string{write(t, "empty.txt", "\n")}, "empty.txt: there is no case"},
		{[]string{write(t, "broken.txt", "a => b\n\nonly words\n")}, "broken.txt:3: a case is a line"},
		{[]string{write(t, "broken.yaml", "queries:\n- query: x\n  want: a\n- query: y\n")}, "broken.yaml:4: the case has no tool in want"},
		{[]string{write(t, "broken.json", "[\n{\"query\":\"x\"}]")}, "broken.json:2: the case has no tool in want"},
	} {
		code, out, errOut := toolscope(t, append([]string{"eval"}, tc.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(errOut, tc.says) {
			t.Errorf("eval %v: exit %d, %q, %q; want exit 2 and %q", tc.args, code, out, errOut, tc.says)
		}
	}
}

// What stands in the file and in the tools reaches the terminal as marks.
func TestEvalIsSafeToPrint(t *testing.T) {
	tools := write(t, "tools.json", `{"servers":[{"name":"a","tools":[{"name":"open","description":"\u001b]0;x\u0007evil\u202eword"}]}]}`)
	set := write(t, "set.txt", "op\x1b[31men \u202ex => nothing\x1b[2J\nzebra => open\n")
	code, out, errOut := toolscope(t, "eval", set, "--snapshot", tools)
	if code != 0 || !strings.Contains(out, "op␛[31men ‹202E›x") || strings.ContainsAny(out+errOut, "\x1b\a\u202e") {
		t.Errorf("exit %d, %q%q", code, out, errOut)
	}
	if _, out, _ := toolscope(t, "eval", set, "--snapshot", tools, "--json"); strings.ContainsAny(out, "\x1b\a\u202e") {
		t.Errorf("%q", out)
	}
}
