package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	reader := tools("my_reader")
	reader[0].ReadOnly = true
	a := assembleDefault(t, Catalog{
		Core:    append(tools("read_file", "terminal"), reader...),
		Servers: []Server{{Name: "par", Tools: tools("x", "y"), Parallel: true}, {Name: "seq", Tools: tools("x")}},
		Plugins: []Toolset{{Name: "p", Tools: tools("jot")}},
	})
	wrap := func(name string) ModelCall { return ModelCall{BridgeCall, CallJSON(name, nil)} }
	direct := func(name string) ModelCall { return ModelCall{Name: name} }
	parX, parY, seqX, jot := wrap("mcp_par_x"), wrap("mcp_par_y"), wrap("mcp_seq_x"), wrap("jot")
	broken := ModelCall{BridgeCall, json.RawMessage(`{"name":`)}
	tests := []struct {
		batch   []ModelCall
		waves   string
		reasons string // parts of the waves' reasons, joined by "|"
	}{
		{nil, "", ""},
		{[]ModelCall{parX}, "0", "the batch ends"},
		{[]ModelCall{parX, parY, direct("tool_search"), direct("tool_describe"), direct("read_file"), direct("my_reader")}, "0 1 2 3 4 5", "the batch ends"},
		{[]ModelCall{parX, seqX, parY}, "0, 1, 2", "call 2 runs alone: server seq does not have|call 2 ran alone: server seq|the batch ends"},
		{[]ModelCall{seqX, seqX}, "0, 1", "call 2 runs alone|ends"},
		{[]ModelCall{parX, broken, parY}, "0, 1, 2", "call 2 runs alone: it cannot be unwrapped|call 2 ran alone|ends"},
		{[]ModelCall{parX, wrap("tool_search"), parY}, "0, 1, 2", "cannot be unwrapped: tool_search is a bridge tool||"},
		{[]ModelCall{parX, wrap("nobody"), parY}, "0, 1, 2", "it is refused: nobody is not available||"},
		{[]ModelCall{parX, wrap("read_file"), parY}, "0, 1, 2", "it is refused: read_file is in your tool list||"},
		{[]ModelCall{direct("terminal"), parX, parY, jot}, "0, 1 2, 3", "ran alone: it is a core tool that may change|call 4 runs alone: it is a plugin's tool|ends"},
		{[]ModelCall{parX, direct("mcp_par_x"), parY}, "0, 1, 2", "no such tool is in the tool list||"},
	}
	for _, test := range tests {
		waves := a.Plan(test.batch)
		var got []string
		for i, w := range waves {
			var calls []string
			for _, c := range w.Calls {
				calls = append(calls, fmt.Sprint(c.Call))
				if c.Reason == "" || len(w.Calls) > 1 && !c.Parallel {
					t.Errorf("%+v", c)
				}
			}
			got = append(got, strings.Join(calls, " "))
			if want := strings.Split(test.reasons, "|"); i >= len(want) || !strings.Contains(w.Reason, want[i]) {
				t.Errorf("%s: wave %d: %s", test.waves, i, w.Reason)
			}
		}
		if strings.Join(got, ", ") != test.waves {
			t.Errorf("got %s, want %s", strings.Join(got, ", "), test.waves)
		}
	}
	// The plan sees the underlying tool.
	if p := a.Plan([]ModelCall{parX})[0].Calls[0]; p.Tool != "mcp_par_x" {
		t.Errorf("%+v", p)
	}
}

// At tier 0 a server's tools are called directly, by the same rule.
func TestPlanAtTierZero(t *testing.T) {
	c := Config{ToolSearch: DefaultToolSearch()}
	c.Enabled = Off
	a := Assemble(Session{Catalog: Catalog{Servers: []Server{{Name: "par", Tools: tools("x"), Parallel: true}, {Name: "seq", Tools: tools("x")}}}}, c)
	waves := a.Plan([]ModelCall{{Name: "mcp_par_x"}, {Name: "mcp_par_x"}, {Name: "mcp_seq_x"}})
	if len(waves) != 2 || len(waves[0].Calls) != 2 {
		t.Errorf("%+v", waves)
	}
}
