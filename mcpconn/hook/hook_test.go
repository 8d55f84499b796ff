//go:build unix

package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sh is a hook that is a shell script.
func sh(script string) config.Hook {
	return config.Hook{Event: config.HookPre, Command: script, Words: []string{"sh", "-c", script}, Timeout: 20 * time.Second}
}

func input() Input {
	return Input{Event: config.HookPre, Tool: "mcp_hub_write", Args: json.RawMessage(`{"a":1}`), Session: "s", Dir: "/d", Extra: map[string]any{}}
}

func TestRun(t *testing.T) {
	for _, test := range []struct {
		script  string
		action  Action
		message string
		args    string
	}{
		{`true`, Pass, "", ""},
		{`echo '{}'`, Pass, "", ""},
		{`echo '{"action":"block","message":"not today"}'`, Block, "not today", ""},
		{`echo '{"decision":"block","reason":"nor tomorrow"}'`, Block, "nor tomorrow", ""},
		{`echo '{"action":"block"}'`, Block, "blocked by a hook", ""},
		{`echo '{"action":"modify","args":{"a":2}}'`, Modify, "", `{"a":2}`},
		{`echo '{"decision":"modify","tool_input":{"a":3}}'`, Modify, "", `{"a":3}`},
		{`echo '{"action":"modify"}'`, Failed, "gives no arguments", ""},
		{`echo '{"action":"modify","args":[1]}'`, Failed, "gives no arguments", ""},
		{`echo '{"action":"approve","message":"sure?"}'`, Approve, "sure?", ""},
		{`echo '{"action":"dance"}'`, Failed, `its action "dance" is none of`, ""},
		{`echo nonsense`, Failed, "its answer is no JSON object: nonsense", ""},
		{`echo why >&2; exit 2`, Block, "why", ""},
		{`yes x | head -c 2000 | tr -d '\n' >&2; exit 2`, Block, "…", ""},
		{`echo oops >&2; exit 3`, Failed, "it ended with exit status 3: oops", ""},
		{`kill -9 $$`, Failed, "it ended with signal: killed", ""},
		{`head -c 3000000 /dev/zero`, Failed, "it printed more than", ""},
		// It is told the real name, never tool_call.
		{`grep -q '"tool_name":"mcp_hub_write"' && echo '{"action":"block","message":"named"}'`, Block, "named", ""},
	} {
		r := Run(t.Context(), sh(test.script), input())
		if r.Action != test.action || !strings.Contains(r.Message, test.message) || string(r.Args) != test.args {
			t.Errorf("%s: %s %q %s", test.script, r.Action, r.Message, r.Args)
		}
		if n := len([]rune(r.Message)); test.action == Block && n > maxReason+1 {
			t.Errorf("%s: a reason of %d characters", test.script, n)
		}
	}
}

func TestRunWithoutACommand(t *testing.T) {
	h := sh("")
	h.Words = []string{"/no/such/hook"}
	if r := Run(t.Context(), h, input()); r.Action != Failed || !strings.Contains(r.Message, "it cannot be run: no such file") {
		t.Errorf("%+v", r)
	}
	h.FailClosed = true
	if r := Run(t.Context(), h, input()); r.Action != Block || !strings.Contains(r.Message, "(fail_closed)") {
		t.Errorf("%+v", r)
	}
	h.Words = []string{os.DevNull}
	if r := Run(t.Context(), h, input()); r.Action != Block {
		t.Errorf("not executable: %+v", r)
	}
}

// A slow hook ends with its timeout, its children too.
func TestTimeout(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	h := sh(fmt.Sprintf(`sleep 1000 & echo $! > %s; wait`, pidFile))
	h.Timeout = 2 * time.Second
	r := Run(t.Context(), h, input())
	if r.Action != Failed || !strings.Contains(r.Message, "no answer within 2s") {
		t.Errorf("%+v", r)
	}
	data, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(data), &pid)
	// It was killed with the group; whoever adopts it may not have reaped it yet.
	if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !strings.Contains(string(state), ") Z ") && syscall.Kill(pid, 0) == nil {
		t.Errorf("child %d goes on: %s", pid, state)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := Run(ctx, sh("sleep 1000"), input()); r.Action != Failed || r.Message != "cancelled" {
		t.Errorf("%+v", r)
	}
}

func TestBefore(t *testing.T) {
	yes := func(config.Hook) bool { return true }
	other := sh("exit 2")
	other.Matcher = "another_tool"
	for name, test := range map[string]struct {
		hooks   []config.Hook
		outcome engine.Outcome
		reason  string
		output  string
		demand  string
	}{
		"none":                  {nil, engine.OutcomeSkipped, "no hook matches", "", ""},
		"of another tool":       {[]config.Hook{other}, engine.OutcomeSkipped, "no hook matches", "", ""},
		"pass":                  {[]config.Hook{sh("true")}, engine.OutcomePassed, "true: pass", "", ""},
		"modifies merge":        {[]config.Hook{sh(`echo '{"action":"modify","args":{"a":2}}'`), sh(`grep -q '"a":2' && echo '{"action":"modify","args":{"a":3}}'`)}, engine.OutcomeChanged, "modify", `{"a":3}`, ""},
		"block beats approve":   {[]config.Hook{sh(`echo '{"action":"approve"}'`), sh("echo no >&2; exit 2")}, engine.OutcomeBlocked, "no", "", ""},
		"approve demands":       {[]config.Hook{sh(`echo '{"action":"approve","message":"sure?"}'`)}, engine.OutcomePassed, "approve", "", "a hook asks for your approval: sure?"},
		"a failure goes on":     {[]config.Hook{sh("exit 7"), sh("true")}, engine.OutcomePassed, "failed, it ended with exit status 7; true: pass", "", ""},
		"a block ends the rest": {[]config.Hook{sh("exit 2"), sh("exit 7")}, engine.OutcomeBlocked, "", "", ""},
	} {
		v, _ := Before(t.Context(), test.hooks, input(), yes)
		if v.Outcome != test.outcome || !strings.Contains(v.Reason, test.reason) || string(v.Output) != test.output || v.Demand != test.demand {
			t.Errorf("%s: %+v", name, v)
		}
	}
	v, results := Before(t.Context(), []config.Hook{sh("exit 2")}, input(), func(config.Hook) bool { return false })
	if v.Outcome != engine.OutcomeSkipped || len(results) > 0 || !strings.Contains(v.Reason, "you have not consented") {
		t.Errorf("without consent: %+v, %d results", v, len(results))
	}
}

func TestAfter(t *testing.T) {
	h := sh(`grep -q '"result":{"ok":true}' && grep -q . ; echo '{"action":"block"}'`)
	h.Event = config.HookPost
	in := input()
	in.Result = json.RawMessage(`{"ok":true}`)
	v, results := After(t.Context(), []config.Hook{h, sh("exit 2")}, in, func(config.Hook) bool { return true })
	if v.Outcome != engine.OutcomePassed || len(results) != 1 {
		t.Errorf("%+v", v)
	}
}

func FuzzDecision(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"action":"modify","args":{}}`, `{"decision":5}`, `[]`, `{"action":"block","message":1}`, "\xff", `{"action":"modify","args":" {"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		action, _, args := decision(out)
		if (action == Modify) != (args != nil) || args != nil && !json.Valid(args) {
			t.Fatalf("%q: %s %s", out, action, args)
		}
		if action == "" {
			t.Fatal("no decision")
		}
	})
}
