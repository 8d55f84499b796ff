package main

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	thresholds := answer(t, "sweep")["thresholds"].([]any)
	if len(thresholds) < 3 {
		t.Fatalf("%d thresholds, want a ladder", len(thresholds))
	}
	for _, raw := range thresholds {
		row := raw.(map[string]any)
		if row["tokens"] == nil {
			continue
		}
		// The threshold holds: at its settings the form is there, just below it is not.
		at := answer(t, "assemble", "--set", "listing_max_tokens=60000", "--context-length", "100000000", "--set", "threshold_pct="+percentFor(row["tokens"].(float64)))
		if at["form"] != row["form"] {
			t.Errorf("at %v tokens the form is %v, want %v", row["tokens"], at["form"], row["form"])
		}
		below := answer(t, "assemble", "--set", "listing_max_tokens=60000", "--context-length", "100000000", "--set", "threshold_pct="+percentFor(row["tokens"].(float64)-1))
		same := below["form"] == row["form"] && len(below["listing"].(map[string]any)["text"].(string)) == len(at["listing"].(map[string]any)["text"].(string))
		if same {
			t.Errorf("one token below %v the listing is still the same", row["tokens"])
		}
	}
}

// percentFor is the share of a context of 100,000,000 tokens that comes to so
// many: a millionth of a percent each.
func percentFor(tokens float64) string {
	// Half a token more keeps the truncation from losing one to rounding.
	return strconv.FormatFloat((tokens+0.5)/1_000_000, 'f', -1, 64)
}

func TestSweepWithoutALadder(t *testing.T) {
	for setting, says := range map[string]string{"enabled=off": "tier 0", "listing=off": "listing: off"} {
		_, out, _ := toolscope(t, "sweep", "--set", setting)
		if !strings.Contains(out, says) {
			t.Errorf("sweep --set %s says %q, want %q", setting, out, says)
		}
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"assemble", "--expect-tier", "1"}, 0, ""},
		{[]string{"assemble", "--expect-tier", "0"}, exitNo, "expected tier 0, got tier 1"},
		{[]string{"assemble", "--expect-listed", "github", "--expect-listed", "notes"}, 0, ""},
		{[]string{"assemble", "--expect-listed", "cloudflare"}, exitNo, "no tools in this session"},
		{[]string{"assemble", "--expect-listed", "github", "--set", "listing_max_tokens=300"}, exitNo, "its mode is summary"},
		{[]string{"assemble", "--expect-listed", "github", "--set", "enabled=off"}, exitNo, "tier 0"},
		{[]string{"search", "create issue", "--expect", "mcp_github_create_issue"}, 0, ""},
		{[]string{"search", "create issue", "--expect", "mcp_slack_post_message"}, exitNo, "mcp_slack_post_message"},
		{[]string{"search", "create issue", "--expect", "mcp_linear_create_issue", "--session", "subagent"}, exitNo, "mcp_linear_create_issue"},
	} {
		code, _, errOut := toolscope(t, tc.args...)
		if code != tc.want || !strings.Contains(errOut, tc.says) {
			t.Errorf("toolscope %v: exit %d, %q; want exit %d and %q", tc.args, code, errOut, tc.want, tc.says)
		}
	}
}

func TestSessionSeesItsToolsetsOnly(t *testing.T) {
	v := answer(t, "assemble", "--session", "subagent")
	for _, raw := range v["servers"].([]any) {
		if name := raw.(map[string]any)["name"]; name != "github" && name != "notes" {
			t.Errorf("the subagent session counts %v", name)
		}
	}
	if text := v["listing"].(map[string]any)["text"].(string); strings.Contains(text, "linear") {
		t.Error("the subagent session lists linear")
	}
	if code, _, errOut := toolscope(t, "assemble", "--session", "nobody"); code != exitUsage || !strings.Contains(errOut, "subagent") {
		t.Errorf("an unknown session: exit %d, %q; want the sessions named", code, errOut)
	}
}

// What was there when the time was up is printed, and the late servers named.
func TestTimeout(t *testing.T) {
	path := write(t, "slow.yaml", "mcp_servers:\n  mute: {command: sleep, args: [\"1000\"]}\n  linear: {command: \"${self}\", args: [fixture, linear]}\n")
	for _, partial := range []bool{false, true} {
		args := []string{"assemble", "--config", path, "--timeout", "3s"}
		want := exitNo
		if partial {
			args, want = append(args, "--allow-partial"), 0
		}
		code, out, errOut := toolscope(t, args...)
		if code != want || !strings.Contains(out, "linear") || !strings.Contains(errOut, "server mute failed: no answer within 3s (--timeout), it was still at: initialize") {
			t.Errorf("%v: exit %d, %s%s", args, code, out, errOut)
		}
	}
	if code, _, errOut := toolscope(t, "assemble", "--timeout", "-3s"); code != exitUsage || !strings.Contains(errOut, "more than nothing is needed") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"sweep"}, {"config"}, {"--version"}} {
		var errOut bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), full{}, &errOut); code == 0 || !strings.Contains(errOut.String(), "no space left") {
			t.Errorf("%v: exit %d, %s", args, code, errOut.String())
		}
	}
}

func TestSmallThings(t *testing.T) {
	if v := answer(t, "version"); v["version"] == "" || v["os"] == "" {
		t.Errorf("%v", v)
	}
	if code, out, _ := toolscope(t, "--version"); code != 0 || !strings.HasPrefix(out, "toolscope ") {
		t.Errorf("exit %d, %s", code, out)
	}
	for args, says := range map[string]string{
		"--theme purple":                "purple",
		"assemble --context-length abc": "a whole number is needed",
		"assemble --set foo=1":          "tool_names",
		"snapshot -o /no/such/folder/x": "there is no folder /no/such/folder",
	} {
		if code, _, errOut := toolscope(t, strings.Fields(args)...); code == 0 || !strings.Contains(errOut, says) {
			t.Errorf("%s: exit %d, %s", args, code, errOut)
		}
	}
}
