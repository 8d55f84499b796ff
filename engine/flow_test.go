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
	f := run(t, a, `{"name":"mcp_github_create_issue","arguments":{"title":"x"}}`)
	want := "parse passed, unwrap changed, scope passed, validate skipped, pre_tool_call skipped, guardrails skipped, approval skipped, dispatch passed, post_tool_call skipped, activity passed"
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
	a := assembleDefault(t, readGolden(t, "small").catalog)
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
