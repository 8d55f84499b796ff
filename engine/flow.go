package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// StageName names one stage of a bridged call.
type StageName string

// The stages of a bridged call, in order. From unwrap on every stage sees the
// real tool, never tool_call.
const (
	StageParse      StageName = "parse"
	StageUnwrap     StageName = "unwrap"
	StageScope      StageName = "scope"
	StageValidate   StageName = "validate"
	StagePreHooks   StageName = "pre_tool_call"
	StageGuardrails StageName = "guardrails"
	StageApproval   StageName = "approval"
	StageDispatch   StageName = "dispatch"
	StagePostHooks  StageName = "post_tool_call"
	StageFeed       StageName = "activity"
)

// Outcome is how a stage ended.
type Outcome string

// The outcomes of a stage.
const (
	OutcomePending    Outcome = ""            // not yet run
	OutcomePassed     Outcome = "passed"      // ran, nothing to object
	OutcomeChanged    Outcome = "changed"     // ran, and its output differs from its input
	OutcomeBlocked    Outcome = "blocked"     // ended the flow
	OutcomeSkipped    Outcome = "skipped"     // there was nothing to run; the reason says why
	OutcomeNotReached Outcome = "not reached" // an earlier stage blocked
)

// Stage is one stage of a flow.
type Stage struct {
	Name     StageName
	Outcome  Outcome
	Reason   string
	Input    json.RawMessage
	Output   json.RawMessage
	Duration time.Duration // given by whoever runs the flow; 0 for stages of the engine's own
}

// Flow is one bridged call on its way through the stages. It is a value: each
// step returns the next flow and leaves the one before as it was.
type Flow struct {
	Tool   string  // the real wire name, once unwrapped
	Server string  // the server it belongs to, "" for a plugin's
	Stages []Stage // always all of them, in order
	Next   int     // the index of the stage that runs next; len(Stages) when done
	Result json.RawMessage

	arguments json.RawMessage // of the real tool, as the stages left them
}

// Done reports whether the flow has ended.
func (f Flow) Done() bool { return f.Next >= len(f.Stages) }

// CallJSON returns the arguments of a tool_call that calls a tool by its wire
// name. Arguments that are no JSON are passed as a string, for the flow to
// refuse.
func CallJSON(name string, arguments json.RawMessage) json.RawMessage {
	c, err := Canonical(arguments)
	switch {
	case len(arguments) == 0:
		c = json.RawMessage("{}")
	case err != nil:
		c = quote(string(arguments))
	}
	return joinFields([]field{{"name", quote(name)}, {"arguments", c}})
}

// Begin returns the flow of a bridged call before its first stage. The JSON is
// the arguments of tool_call as the model gave them, in whatever shape.
func Begin(bridgeJSON json.RawMessage) Flow {
	names := []StageName{
		StageParse, StageUnwrap, StageScope, StageValidate, StagePreHooks,
		StageGuardrails, StageApproval, StageDispatch, StagePostHooks, StageFeed,
	}
	f := Flow{Stages: make([]Stage, len(names))}
	for i, name := range names {
		f.Stages[i].Name = name
	}
	f.Stages[0].Input = bridgeJSON
	return f
}

// Step runs the next stage against an assembly and returns the flow after it.
// A flow that is done stays as it is.
func (f Flow) Step(a Assembly) Flow {
	if f.Done() {
		return f
	}
	f.Stages = slices.Clone(f.Stages)
	s := &f.Stages[f.Next]
	if f.Next > 0 {
		s.Input = f.arguments
	}
	switch s.Name {
	case StageParse:
		return f.parse(s)
	case StageUnwrap:
		return f.unwrap(s)
	case StageScope:
		return f.scope(a, s)
	case StageDispatch:
		return f.simulate(s)
	case StageFeed:
		return f.feed(s)
	}
	return f.end(s, OutcomeSkipped, "none", f.arguments)
}

// end closes the present stage and moves to the next. A block ends the flow.
func (f Flow) end(s *Stage, outcome Outcome, reason string, output json.RawMessage) Flow {
	s.Outcome, s.Reason, s.Output = outcome, reason, output
	f.Next++
	if outcome == OutcomeBlocked {
		f.Result = refusal(reason)
		s.Output = f.Result
		for i := f.Next; i < len(f.Stages); i++ {
			f.Stages[i].Outcome = OutcomeNotReached
			f.Stages[i].Reason = "blocked at " + string(s.Name)
		}
		f.Next = len(f.Stages)
	}
	return f
}

func (f Flow) parse(s *Stage) Flow {
	object, err := argumentObject(s.Input)
	if err != nil {
		return f.end(s, OutcomeBlocked, err.Error(), nil)
	}
	f.arguments = object
	if string(object) != string(s.Input) {
		return f.end(s, OutcomeChanged, "read as the object it stands for", object)
	}
	return f.end(s, OutcomePassed, "", object)
}

// unwrap takes the real tool and its arguments out of the bridge call.
func (f Flow) unwrap(s *Stage) Flow {
	name, arguments, err := unwrapCall(f.arguments)
	if err != nil {
		return f.end(s, OutcomeBlocked, err.Error(), nil)
	}
	f.Tool = name
	if IsBridge(name) {
		return f.end(s, OutcomeBlocked, fmt.Sprintf("%s is a bridge tool and cannot be called through tool_call: call it directly", name), nil)
	}
	object, err := argumentObject(arguments)
	if err != nil {
		return f.end(s, OutcomeBlocked, name+": "+err.Error(), nil)
	}
	f.arguments = object
	return f.end(s, OutcomeChanged, "tool_call → "+name, object)
}

// unwrapCall reads the arguments of tool_call: name and arguments, or calls
// with one such entry.
func unwrapCall(call json.RawMessage) (name string, arguments json.RawMessage, err error) {
	all := fields(call)
	at := func(key string) json.RawMessage {
		for _, f := range all {
			if f.key == key {
				return f.value
			}
		}
		return nil
	}
	if calls := at("calls"); !isNull(calls) && isNull(at("name")) {
		list := []json.RawMessage{calls}
		if calls[0] == '[' {
			list = items(calls)
		}
		if len(list) != 1 {
			return "", nil, fmt.Errorf("calls has %d entries and tool_call takes one: issue each as a tool_call of its own", len(list))
		}
		if list[0][0] != '{' {
			return "", nil, fmt.Errorf("calls has %s where an object with name and arguments is due", kind(list[0]))
		}
		all = fields(list[0])
	}
	v := at("name")
	switch {
	case isNull(v):
		return "", nil, errors.New("name is missing: give the exact name of the tool to call")
	case v[0] != '"':
		return "", nil, fmt.Errorf("name is %s: give the exact name of the tool to call, as a string", kind(v))
	}
	if name = strings.TrimSpace(text(v)); name == "" {
		return "", nil, errors.New("name is blank: give the exact name of the tool to call")
	}
	return name, at("arguments"), nil
}

// scope looks the tool up among what this session may call through the bridge.
func (f Flow) scope(a Assembly, s *Stage) Flow {
	d, ok := a.deferred(f.Tool)
	if !ok {
		return f.end(s, OutcomeBlocked, a.notCallable(f.Tool), nil)
	}
	f.Server = d.Server
	reason := "deferred tool of plugin toolset " + d.Toolset
	if d.Source == SourceMCP {
		reason = "deferred tool of server " + d.Server
	}
	return f.end(s, OutcomePassed, reason, f.arguments)
}

// deferred returns the deferred tool of a wire name.
func (a Assembly) deferred(name string) (Definition, bool) {
	i, ok := slices.BinarySearchFunc(a.Deferred, name, func(d Definition, name string) int { return strings.Compare(d.Name, name) })
	if !ok {
		return Definition{}, false
	}
	return a.Deferred[i], true
}

// notCallable says why a name cannot be called through the bridge, and what to
// do instead.
func (a Assembly) notCallable(name string) string {
	for _, d := range a.Visible {
		if d.Name == name {
			return fmt.Sprintf("%s is in your tool list, not behind the bridge: call it directly", name)
		}
	}
	return fmt.Sprintf("%s is not available in this session%s", name, a.didYouMean(name))
}

// simulate stands in for the call of a server.
func (f Flow) simulate(s *Stage) Flow {
	f.Result = joinFields([]field{
		{"simulated", json.RawMessage("true")},
		{"tool", quote(f.Tool)},
		{"arguments", f.arguments},
		{"content", json.RawMessage(`[{"type":"text","text":"Simulated: no server was called."}]`)},
	})
	return f.end(s, OutcomePassed, "simulated: no server was called", f.Result)
}

// feed is the line of the activity feed, under the real tool.
func (f Flow) feed(s *Stage) Flow {
	s.Input = f.Result
	line := joinFields([]field{{"tool", quote(f.Tool)}, {"status", quote("ok")}})
	return f.end(s, OutcomePassed, "shown as "+f.Tool, line)
}
