package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// run steps a flow to its end.
func run(t testing.TB, a Assembly, call string) Flow {
	t.Helper()
	f := Begin(json.RawMessage(call), Runners{})
	for steps := 0; !f.Done(); steps++ {
		if steps > len(f.Stages) {
			t.Fatalf("%s: the flow does not end", call)
		}
		f = f.Step(a)
	}
	return f
}

func outcomes(f Flow) string {
	var all []string
	for _, s := range f.Stages {
		all = append(all, string(s.Name)+" "+string(s.Outcome))
	}
	return strings.Join(all, ", ")
}

func TestFlowPasses(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	f := run(t, a, `{"name":"mcp_github_create_issue","arguments":{"owner":"o","repo":"r","title":"x"}}`)
	want := "parse passed, unwrap changed, scope passed, validate passed, pre_tool_call skipped, guardrails passed, approval skipped, dispatch passed, post_tool_call skipped, activity passed"
	if got := outcomes(f); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if f.Tool != "mcp_github_create_issue" || f.Server != "github" || !strings.Contains(string(f.Result), `"simulated":true`) {
		t.Errorf("got %+v", f)
	}
	for _, s := range f.Stages[2:] {
		if strings.Contains(string(s.Input)+string(s.Output)+s.Reason, BridgeCall) {
			t.Errorf("%s sees tool_call: %+v", s.Name, s)
		}
	}
	if again := f.Step(a); fmt.Sprint(again) != fmt.Sprint(f) {
		t.Error("a flow that is done goes on")
	}
}

func TestFlowIsAValue(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	first := Begin(CallJSON("mcp_github_create_issue", json.RawMessage(`{"title":"x"}`)), Runners{})
	before := fmt.Sprint(first)
	second := first.Step(a)
	second.Step(a)
	if fmt.Sprint(first) != before || second.Next != 1 {
		t.Error("a step changed the flow before it")
	}
}

func TestToolCallShapes(t *testing.T) {
	a := assembleDefault(t, Catalog{Plugins: []Toolset{{Name: "kanban", Tools: tools("kanban_move_card")}}})
	for call, arguments := range map[string]string{
		`{"name":"kanban_move_card","arguments":{"a": 1}}`:                     `{"a":1}`,
		`{"name":"kanban_move_card","arguments":"{\"a\":1}"}`:                  `{"a":1}`,
		`{"name":"kanban_move_card","arguments":null}`:                         `{}`,
		`{"name":"kanban_move_card","arguments":""}`:                           `{}`,
		`{"name":"kanban_move_card","arguments":" \n"}`:                        `{}`,
		`{"name":"kanban_move_card","arguments":"null"}`:                       `{}`,
		`{"name":"kanban_move_card"}`:                                          `{}`,
		`{"name":" kanban_move_card "}`:                                        `{}`,
		`"{\"name\":\"kanban_move_card\"}"`:                                    `{}`,
		`{"calls":[{"name":"kanban_move_card","arguments":{"a":1}}]}`:          `{"a":1}`,
		`{"calls":{"name":"kanban_move_card","arguments":"{\"a\":1}"}}`:        `{"a":1}`,
		`{"name":null,"calls":[{"name":"kanban_move_card","arguments":null}]}`: `{}`,
	} {
		f := run(t, a, call)
		if f.Tool != "kanban_move_card" || f.Server != "" || string(f.Stages[1].Output) != arguments || f.Stages[7].Outcome != OutcomePassed {
			t.Errorf("%s: %s, %s: %s", call, f.Tool, f.Stages[1].Output, outcomes(f))
		}
	}
}

func TestToolCallRefuses(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	tests := []struct {
		call  string
		stage StageName
		want  string
	}{
		{``, StageUnwrap, "name is missing"},
		{`{}`, StageUnwrap, "name is missing"},
		{`{"name":null}`, StageUnwrap, "name is missing"},
		{`{"name":5}`, StageUnwrap, "name is a number"},
		{`{"name":"  "}`, StageUnwrap, "name is blank"},
		{`[]`, StageParse, "a list: give an object"},
		{`{"name":`, StageParse, "no JSON object"},
		{`{"calls":[]}`, StageUnwrap, "calls has 0 entries"},
		{`{"calls":[{"name":"a"},{"name":"b"}]}`, StageUnwrap, "2 entries"},
		{`{"calls":["a"]}`, StageUnwrap, "a string where an object"},
		{`{"name":"tool_search","arguments":{}}`, StageUnwrap, "bridge tool"},
		{`{"name":"tool_call","arguments":{"name":"kanban_move_card"}}`, StageUnwrap, "bridge tool"},
		{`{"name":"kanban_move_card","arguments":[1]}`, StageUnwrap, "a list: give an object"},
		{`{"name":"kanban_move_card","arguments":"[1]"}`, StageUnwrap, "a list: give an object"},
		{`{"name":"kanban_move_card","arguments":"x y"}`, StageUnwrap, "no JSON object"},
		{`{"name":"kanban_move_card","arguments":7}`, StageUnwrap, "a number: give an object"},
		{`{"name":"terminal","arguments":{}}`, StageScope, "call it directly"},
		{`{"name":"create_release"}`, StageScope, "did you mean mcp_github_create_release?"},
		{`{"name":"create_issue"}`, StageScope, "did you mean mcp_github_create_issue or mcp_linear_create_issue?"},
		{`{"name":"mcp_github_create_isue"}`, StageScope, "did you mean mcp_github_create_issue?"},
		{`{"name":"mcp__github__create_issue"}`, StageScope, "did you mean mcp_github_create_issue?"},
		{`{"name":"MCP_GITHUB_CREATE_ISSUE"}`, StageScope, "did you mean mcp_github_create_issue?"},
		{`{"name":"mcp_github_create_issue","arguments":{"title":5}}`, StageValidate, "owner and repo are missing; title is a number where a string is due"},
		{`{"name":"quite_unknown"}`, StageScope, "quite_unknown is not available in this session: find the exact name by tool_search"},
	}
	for _, test := range tests {
		f := run(t, a, test.call)
		blocked := -1
		for i, s := range f.Stages {
			switch {
			case s.Outcome == OutcomeBlocked:
				blocked = i
				if s.Name != test.stage || !strings.Contains(s.Reason, test.want) {
					t.Errorf("%s: blocked at %s: %s", test.call, s.Name, s.Reason)
				}
			case (s.Outcome == OutcomeNotReached) != (blocked >= 0):
				t.Errorf("%s: %s", test.call, outcomes(f))
			}
		}
		var result map[string]string
		if err := json.Unmarshal(f.Result, &result); blocked < 0 || err != nil || !strings.Contains(result["error"], test.want) {
			t.Errorf("%s: result %s", test.call, f.Result)
		}
	}
}

func TestCallJSON(t *testing.T) {
	for arguments, want := range map[string]string{
		``:            `{"name":"a\"b","arguments":{}}`,
		`{ "x" : 1 }`: `{"name":"a\"b","arguments":{"x":1}}`,
		`not json`:    `{"name":"a\"b","arguments":"not json"}`,
	} {
		if got := string(CallJSON(`a"b`, json.RawMessage(arguments))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// trusting is an assembly with a tool that writes and one that reads on a server
// of each trust.
func trusting(t testing.TB) Assembly {
	all := tools("write", "read")
	all[1].ReadOnly = true
	return assembleDefault(t, Catalog{
		Servers: []Server{{Name: "full", Trust: " Full ", Tools: all}, {Name: "low", Trust: "untrusted", Tools: all}, {Name: "unset", Tools: all}},
		Plugins: []Toolset{{Name: "p", Tools: tools("jot")}},
	})
}

// until steps a flow until it waits or is done.
func until(f Flow, a Assembly) Flow {
	for !f.Done() && f.Waits() == "" {
		f = f.Step(a)
	}
	return f
}

func TestGuardrails(t *testing.T) {
	a := trusting(t)
	for tool, want := range map[string]string{
		"mcp_full_write": "server full is trusted", "mcp_unset_write": "server unset is trusted",
		"mcp_low_read": "the tool says it only reads", "jot": "no trust setting",
	} {
		f := run(t, a, string(CallJSON(tool, nil)))
		if s := f.Stages[5]; s.Outcome != OutcomePassed || !strings.Contains(s.Reason, want) || f.Status != StatusOK || f.Stages[6].Outcome != OutcomeSkipped {
			t.Errorf("%s: %+v, %s", tool, s, outcomes(f))
		}
	}
}

func TestApproval(t *testing.T) {
	a := trusting(t)
	asked := until(Begin(CallJSON("mcp_low_write", nil), Runners{}), a)
	if asked.Waits() != StageApproval || len(asked.Demands) != 1 || asked.Demands[0].By != StageGuardrails || !strings.Contains(asked.Demands[0].Reason, "trust: untrusted") {
		t.Fatalf("%+v", asked)
	}
	if again := asked.Step(a); again.Next != asked.Next {
		t.Error("it went on unasked")
	}
	yes := until(asked.Settle(Verdict{Outcome: OutcomePassed, Reason: "approved"}), a)
	if yes.Status != StatusOK || !yes.Done() {
		t.Errorf("approved: %s", outcomes(yes))
	}
	no := until(asked.Settle(Verdict{Outcome: OutcomeBlocked, Reason: "denied by the person"}), a)
	want := "approval blocked, dispatch not reached, post_tool_call not reached, activity not reached"
	if no.Status != StatusBlocked || !strings.HasSuffix(outcomes(no), want) || string(no.Result) != `{"error":"denied by the person"}` {
		t.Errorf("denied: %s, %s", outcomes(no), no.Result)
	}
	if asked.Waits() != StageApproval {
		t.Error("settling changed the flow that was asked")
	}
}

func TestSettle(t *testing.T) {
	a := trusting(t)
	f := Begin(CallJSON("mcp_full_write", json.RawMessage(`{"x":1}`)), Runners{Hooks: true, Live: true})
	if f.Settle(Verdict{Outcome: OutcomeBlocked}).Next != 0 {
		t.Error("a flow that waits at nothing was settled")
	}
	if f = until(f, a); f.Waits() != StagePreHooks {
		t.Fatalf("waits at %q", f.Waits())
	}
	f = until(f.Settle(Verdict{Outcome: OutcomeChanged, Reason: "one hook", Output: json.RawMessage(`{"x":2}`), Demand: "a hook asks", Duration: 7}), a)
	if f.Waits() != StageApproval || string(f.Arguments) != `{"x":2}` || f.Demands[0] != (Demand{StagePreHooks, "a hook asks"}) || f.Stages[4].Duration != 7 {
		t.Fatalf("%+v", f)
	}
	f = until(f.Settle(Verdict{Outcome: OutcomePassed}), a)
	if f.Waits() != StageDispatch || string(f.Stages[7].Input) != "" {
		t.Fatalf("%+v", f)
	}
	f = until(f.Settle(Verdict{Outcome: OutcomePassed, Output: json.RawMessage(`{"isError":true}`), Failed: true}), a)
	if f.Waits() != StagePostHooks || f.Status != StatusError || string(f.Stages[7].Input) != `{"x":2}` {
		t.Fatalf("%+v", f)
	}
	f = until(f.Settle(Verdict{Outcome: OutcomePassed}), a)
	if !f.Done() || string(f.Result) != `{"isError":true}` || string(f.Stages[9].Output) != `{"tool":"mcp_full_write","status":"error"}` {
		t.Errorf("%s, %s, %s", outcomes(f), f.Result, f.Stages[9].Output)
	}
}

// Hooks after the call see a call that was blocked, once its tool is known.
func TestPostHooksSeeABlock(t *testing.T) {
	a := trusting(t)
	f := until(Begin(CallJSON("nobody", nil), Runners{Hooks: true, Live: true}), a)
	if f.Waits() != StagePostHooks || f.Status != StatusBlocked || f.Stages[7].Outcome != OutcomeNotReached {
		t.Fatalf("waits at %q: %s", f.Waits(), outcomes(f))
	}
	f = f.Settle(Verdict{Outcome: OutcomePassed, Reason: "1 hook"})
	if want := "post_tool_call passed, activity not reached"; !f.Done() || f.Status != StatusBlocked || !strings.HasSuffix(outcomes(f), want) {
		t.Errorf("%s", outcomes(f))
	}
	if f = until(Begin(json.RawMessage(`[`), Runners{Hooks: true}), a); !f.Done() {
		t.Errorf("no tool is known, and it waits at %q", f.Waits())
	}
}
