package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary be what ${self} names: the demo servers are
// started as child processes of it, as they are of the real program.
func TestMain(m *testing.M) {
	if os.Getenv("TOOLSCOPE_TEST_WORKBENCH") != "" && (len(os.Args) < 2 || os.Args[1] != "fixture") {
		main()
	}
	if len(os.Args) > 1 && os.Args[1] == "fixture" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	// No test writes into the person's own state directory.
	dir, err := os.MkdirTemp("", "toolscope-state-")
	if err == nil {
		err = os.Setenv("XDG_STATE_HOME", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "a state directory for the tests:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// toolscope runs one command line and returns what it printed.
func toolscope(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// answer runs one command line that must succeed and decodes its JSON.
func answer(t *testing.T, args ...string) map[string]any {
	t.Helper()
	code, out, errOut := toolscope(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("toolscope %v: exit %d: %s", args, code, errOut)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("toolscope %v printed no JSON: %v\n%s", args, err, out)
	}
	return v
}

func keysOf(v any) []string {
	var keys []string
	for k := range v.(map[string]any) {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAssembleOnTheDemoServers(t *testing.T) {
	v := answer(t, "assemble")
	want := []string{"activated", "bridge", "budget", "config", "context_length", "deferred", "form", "ladder", "listing",
		"over_budget", "servers", "tier", "visible", "visible_tools", "warnings"}
	if got := keysOf(v); !slices.Equal(got, want) {
		t.Errorf("keys of assemble --json are %v, want %v", got, want)
	}
	if v["tier"] != 1.0 || v["form"] != "full" {
		t.Errorf("the demo is tier %v %v, want 1 full", v["tier"], v["form"])
	}
	if got := keysOf(v["budget"]); !slices.Equal(got, []string{"bound_by", "cap_leg", "percent_leg", "tokens"}) {
		t.Errorf("keys of budget are %v", got)
	}
	server := v["servers"].([]any)[0]
	if got := keysOf(server); !slices.Equal(got, []string{"mode", "name", "source", "tokens", "tools"}) {
		t.Errorf("keys of a server are %v", got)
	}
	if w := v["warnings"].([]any); len(w) != 0 {
		t.Errorf("the built-in configuration warns: %v", w)
	}
}

func TestSettingsMoveTheTier(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		tier float64
		form string
	}{
		{"a small cap", []string{"--set", "listing_max_tokens=200"}, 1, "mixed"},
		{"88 tokens", []string{"--set", "threshold_pct=0.044"}, 2, "groups"},
		{"no budget", []string{"--set", "threshold_pct=0"}, 2, "none"},
		{"names only", []string{"--set", "listing_max_tokens=1000"}, 1, "names"},
		{"listing on", []string{"--set", "listing=on", "--set", "threshold_pct=0"}, 2, "groups"},
		{"off", []string{"--set", "enabled=off"}, 0, "none"},
		{"unknown context", []string{"--context-length", "0"}, 1, "full"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := answer(t, append([]string{"assemble"}, tc.args...)...)
			if v["tier"] != tc.tier || v["form"] != tc.form {
				t.Errorf("tier %v form %v, want %v %v", v["tier"], v["form"], tc.tier, tc.form)
			}
		})
	}
	if v := answer(t, "assemble", "--context-length", "0"); v["context_length"] != nil {
		t.Errorf("an unknown context is %v, want null", v["context_length"])
	}
}

func TestClampedSettingIsWarnedAbout(t *testing.T) {
	v := answer(t, "assemble", "--set", "listing_max_tokens=5")
	w := v["warnings"].([]any)
	if len(w) != 1 || w[0].(map[string]any)["key"] != "tools.tool_search.listing_max_tokens" || w[0].(map[string]any)["used"] != "200" {
		t.Errorf("warnings %v, want one that says 200 is used", w)
	}
}

func TestSearch(t *testing.T) {
	v := answer(t, "search", "create an issue", "mcp_slack_post_message", "--explain", "--limit", "3")
	if got := keysOf(v["answer"]); !slices.Equal(got, []string{"queries", "results", "tools", "total_available"}) {
		t.Errorf("keys of the answer are %v", got)
	}
	explain := v["explain"].([]any)
	first := explain[0].(map[string]any)
	if got := keysOf(first); !slices.Equal(got, []string{"fallback", "query", "results", "tokens"}) {
		t.Errorf("keys of an explanation are %v", got)
	}
	hits := first["results"].([]any)
	if len(hits) != 3 {
		t.Fatalf("%d hits, want the limit of 3", len(hits))
	}
	hit := hits[0].(map[string]any)
	sum := 0.0
	for _, term := range hit["terms"].([]any) {
		sum += term.(map[string]any)["score"].(float64)
	}
	if sum != hit["score"] {
		t.Errorf("the terms of the first hit add up to %v, its score is %v", sum, hit["score"])
	}
	exact := explain[1].(map[string]any)["results"].([]any)[0].(map[string]any)
	if exact["exact"] != true || exact["score"] != nil || exact["name"] != "mcp_slack_post_message" {
		t.Errorf("exact-name hit %v, want exact without a score", exact)
	}
	if _, ok := answer(t, "search", "issue")["explain"]; ok {
		t.Error("explain stands in the answer though nobody asked")
	}
}

func TestSnapshotRoundTrip(t *testing.T) {
	for _, name := range []string{"demo.json", "demo.json.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if code, _, errOut := toolscope(t, "snapshot", "-o", path); code != 0 {
			t.Fatalf("snapshot: exit %d: %s", code, errOut)
		}
		live, still := answer(t, "assemble"), answer(t, "assemble", "--snapshot", path)
		if !reflect.DeepEqual(live, still) {
			t.Errorf("%s assembles differently from the servers it was taken of", name)
		}
	}
}

func TestSnapshotFromStandardInput(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write([]byte(`{"servers":[{"name":"a","tools":[{"name":"b"}]}]}`)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"search", "b", "--snapshot", "-"}, &packed, &out, &errOut); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut.String())
	}
	if !strings.Contains(out.String(), "mcp_a_b") {
		t.Errorf("the tool is not found: %s", out.String())
	}
}

func TestBadUsage(t *testing.T) {
	broken := write(t, "broken.yaml", "mcp_servers:\n  a: {command: x\nfoo: [\n")
	for _, tc := range []struct {
		name string
		args []string
		says string
	}{
		{"unknown command", []string{"asemble"}, `did you mean "assemble"`},
		{"unknown flag", []string{"assemble", "--no-such"}, "no-such"},
		{"stray argument", []string{"assemble", "x"}, `"x"`},
		{"no query", []string{"search"}, "needs a query"},
		{"unknown setting", []string{"assemble", "--set", "treshold_pct=1"}, "did you mean threshold_pct"},
		{"setting without a value", []string{"assemble", "--set", "listing"}, "KEY=VALUE"},
		{"bad tool_names", []string{"assemble", "--set", "tool_names=triple"}, "single or double"},
		{"negative context", []string{"assemble", "--context-length", "-1"}, "--context-length"},
		{"missing config", []string{"assemble", "--config", "no/such.yaml"}, "no/such.yaml"},
		{"broken config", []string{"assemble", "--config", broken}, "broken.yaml:"},
		{"missing snapshot", []string{"assemble", "--snapshot", "no/such.json"}, "no/such.json"},
		{"broken snapshot", []string{"assemble", "--snapshot", write(t, "s.json", "{")}, "s.json"},
		{"unknown fixture", []string{"fixture", "nobody"}, "linear"},
		{"fixture without a name", []string{"fixture"}, "cloudflare"},
		{"too many queries", append([]string{"search"}, strings.Split("a b c d e f g h i j k", " ")...), "10"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, _, errOut := toolscope(t, tc.args...)
			if code != exitUsage || !strings.Contains(errOut, tc.says) {
				t.Errorf("exit %d, %q; want exit 2 and a message with %q", code, errOut, tc.says)
			}
		})
	}
}

func TestFailedServer(t *testing.T) {
	path := write(t, "c.yaml", `mcp_servers:
  good: {command: "${self}", args: [fixture, slack]}
  dead: {command: "${self}", args: [fixture, nobody]}
`)
	code, out, errOut := toolscope(t, "assemble", "--config", path)
	if code != exitNo || !strings.Contains(errOut, "dead") {
		t.Errorf("exit %d, %q; want exit 1 and the dead server named", code, errOut)
	}
	if !strings.Contains(out, "good") {
		t.Errorf("the other server's tools are missing: %s", out)
	}
	if code, _, _ := toolscope(t, "assemble", "--config", path, "--allow-partial"); code != 0 {
		t.Errorf("--allow-partial exits with %d", code)
	}
	snapshot := filepath.Join(t.TempDir(), "s.json")
	if code, _, errOut := toolscope(t, "snapshot", "--config", path, "-o", snapshot, "--allow-partial"); code != 0 || !strings.Contains(errOut, "dead") {
		t.Errorf("snapshot: exit %d, %q; want the dead server named", code, errOut)
	}
	if data, err := os.ReadFile(snapshot); err != nil || strings.Contains(string(data), "dead") || !strings.Contains(string(data), `"good"`) {
		t.Errorf("the snapshot should hold the good server only: %v", err)
	}
}

func TestNoTerminalPrintsText(t *testing.T) {
	code, out, errOut := toolscope(t)
	if code != 0 || !strings.Contains(errOut, "no terminal") || !strings.Contains(out, "tier 1 · form full") {
		t.Errorf("exit %d, stderr %q, stdout %.80q; want a note and the assembly as text", code, errOut, out)
	}
}

func TestVersion(t *testing.T) {
	if code, out, _ := toolscope(t, "version"); code != 0 || !strings.HasPrefix(out, "toolscope ") {
		t.Errorf("exit %d, %q", code, out)
	}
}
