package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// parse reads what the model gave as the object it stands for.
func (f Flow) parse(s *Stage) Flow {
	object, err := argumentObject(s.Input)
	if err != nil {
		return f.end(s, OutcomeBlocked, err.Error(), nil)
	}
	f.Arguments = object
	if string(object) != string(s.Input) {
		return f.end(s, OutcomeChanged, "read as the object it stands for", object)
	}
	return f.end(s, OutcomePassed, "", object)
}

// unwrap takes the real tool and its arguments out of the bridge call.
func (f Flow) unwrap(s *Stage) Flow {
	name, arguments, err := unwrapCall(f.Arguments)
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
	f.Arguments = object
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
			return "", nil, fmt.Errorf("calls has %s where an object with name and arguments is due", Kind(list[0]))
		}
		all = fields(list[0])
	}
	v := at("name")
	switch {
	case isNull(v):
		return "", nil, errors.New("name is missing: give the exact name of the tool to call")
	case v[0] != '"':
		return "", nil, fmt.Errorf("name is %s: give the exact name of the tool to call, as a string", Kind(v))
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
	f.definition, f.Server, f.Own = d, d.Server, d.Tool.Name
	reason := "deferred tool of plugin toolset " + d.Toolset
	if d.Source == SourceMCP {
		reason = "deferred tool of server " + d.Server
	}
	return f.end(s, OutcomePassed, reason, nil)
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
	if a.sees(name) {
		return name + " is in your tool list, not behind the bridge: call it directly"
	}
	if near := a.near(name); len(near) > 0 {
		return fmt.Sprintf("%s is not available in this session: did you mean %s?", name, strings.Join(near, " or "))
	}
	return fmt.Sprintf("%s is not available in this session: find the exact name by %s", name, BridgeSearch)
}

// validate holds the arguments against the tool's schema.
func (f Flow) validate(s *Stage) Flow {
	v := f.definition.Tool.Validate(f.Arguments)
	notes := strings.Join(v.Notes, "; ")
	switch {
	case !v.Checked:
		return f.end(s, OutcomeSkipped, notes, nil)
	case v.Valid() && notes == "":
		return f.end(s, OutcomePassed, "the arguments match the schema ("+v.Draft+")", nil)
	case v.Valid():
		return f.end(s, OutcomePassed, "the arguments match the schema ("+v.Draft+"); "+notes, nil)
	}
	var wrong []string
	for _, violation := range v.Violations {
		wrong = append(wrong, violation.Message)
	}
	reason := fmt.Sprintf("the arguments do not match the schema of %s: %s. %s has the schema", f.Tool, strings.Join(append(wrong, v.Notes...), "; "), BridgeDescribe)
	return f.end(s, OutcomeBlocked, reason, nil)
}

// unlikeSchema says how arguments that hooks changed no longer match the schema;
// "" where they do. Nothing blocks them: hooks have the last word.
func (f Flow) unlikeSchema() string {
	v := f.definition.Tool.Validate(f.Arguments)
	if !v.Checked || v.Valid() {
		return ""
	}
	return "; the changed arguments do not match the schema any more: " + v.Violations[0].Message
}

// guard demands the person's approval for a tool that may change something on
// a server that is not trusted.
func (f Flow) guard(s *Stage) Flow {
	d := f.definition
	if f.Runners.Live && !d.Tool.ReadOnly {
		f.Demands = append(slices.Clone(f.Demands), Demand{By: StageDispatch, Reason: "the call is live, and the tool does not say that it only reads"})
	}
	trust := strings.TrimSpace(d.Trust)
	switch {
	case d.Source == SourcePlugin:
		return f.end(s, OutcomePassed, "a plugin toolset has no trust setting", nil)
	case trust == "" || strings.EqualFold(trust, trustFull):
		return f.end(s, OutcomePassed, "server "+d.Server+" is trusted", nil)
	case d.Tool.ReadOnly:
		return f.end(s, OutcomePassed, fmt.Sprintf("server %s has trust: %s, and the tool says it only reads", d.Server, trust), nil)
	}
	reason := fmt.Sprintf("server %s has trust: %s, and the tool does not say that it only reads", d.Server, trust)
	f.Demands = append(slices.Clone(f.Demands), Demand{By: StageGuardrails, Reason: reason})
	return f.end(s, OutcomePassed, "approval needed: "+reason, nil)
}

// trustFull is the trust of a server whose every tool may run unasked.
const trustFull = "full"

// simulate stands in for the call of a server: the result says what it is, with
// structured content where the tool has an output schema to make it from.
func (f Flow) simulate(s *Stage) Flow {
	f.Status = StatusOK
	result := []field{
		{"simulated", json.RawMessage("true")},
		{"tool", quote(f.Tool)},
		{"arguments", f.Arguments},
		{"content", json.RawMessage(`[{"type":"text","text":"Simulated: no server was called."}]`)},
	}
	reason := "simulated: no server was called"
	if sample, ok := f.definition.Tool.SampleResult(); ok {
		result = append(result, field{"structuredContent", sample})
		reason = "simulated, made from the tool's output schema: no server was called"
	}
	f.Result = joinFields(result)
	return f.end(s, OutcomePassed, reason, f.Result)
}

// feed is the line of the activity feed, under the real tool.
func (f Flow) feed(s *Stage) Flow {
	line := joinFields([]field{{"tool", quote(f.Tool)}, {"status", quote(string(f.Status))}})
	return f.end(s, OutcomePassed, "shown as "+f.Tool, line)
}
