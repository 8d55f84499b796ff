package engine

import (
	"encoding/json"
	"fmt"
	"strings"
)

// DescribeAnswer is what tool_describe answers: the engine's specification, §5.
type DescribeAnswer struct {
	Tools    map[string]ToolDescription `json:"tools"`     // the deferred tools asked for, by wire name
	NotFound []string                   `json:"not_found"` // names this session does not have
	Hint     string                     `json:"hint,omitempty"`
	Errors   map[string]string          `json:"errors"` // names that are not for tool_describe, with why
}

// ToolDescription is what a model needs to call a tool.
type ToolDescription struct {
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // the schema, unchanged
}

// ToolDescribe answers a call of tool_describe as the model gets it, from the
// arguments as the model gave them, in whatever shape. It never fails: what
// cannot be answered is answered by {"error": …}.
func (a Assembly) ToolDescribe(arguments json.RawMessage) json.RawMessage {
	args, err := bridgeArguments(arguments)
	if err != nil {
		return refusal(BridgeDescribe + ": " + err.Error())
	}
	names, err := textList(args["names"], "names", MaxDescribed)
	if err == nil {
		names = distinct(names)
		err = withinCap(names, "names", MaxDescribed)
	}
	if err != nil {
		return refusal(BridgeDescribe + ": " + err.Error())
	}
	return marshal(a.DescribeAnswer(names))
}

// DescribeAnswer describes deferred tools by their wire names. Blanks around a
// name do not count, nor does a name that stands twice.
func (a Assembly) DescribeAnswer(names []string) DescribeAnswer {
	answer := DescribeAnswer{Tools: map[string]ToolDescription{}, NotFound: []string{}, Errors: map[string]string{}}
	var hints []string
	for _, name := range distinct(names) {
		d, ok := a.deferred(name)
		switch {
		case ok:
			answer.Tools[name] = ToolDescription{Description: d.Tool.Description, Parameters: d.Tool.schema()}
		case IsBridge(name):
			answer.Errors[name] = name + " is a bridge tool: its schema is in your tool list"
		case a.sees(name):
			answer.Errors[name] = name + " is in your tool list, with its schema, not behind the bridge: call it directly"
		default:
			answer.NotFound = append(answer.NotFound, name)
			if near := a.near(name); len(near) > 0 {
				hints = append(hints, fmt.Sprintf("For %s, did you mean %s?", name, strings.Join(near, " or ")))
			}
		}
	}
	if len(answer.NotFound) > 0 {
		answer.Hint = strings.Join(append(hints, "Find exact names by "+BridgeSearch+"."), " ")
	}
	return answer
}

// DescribeTokens returns the estimate of tool_describe's answer for one
// deferred tool, in tokens, meaned over all of them and rounded; 0 where none
// is deferred. It is what a cold call costs more behind the bridge.
func (a Assembly) DescribeTokens() int {
	if len(a.Deferred) == 0 {
		return 0
	}
	chars := 0
	for i := range a.Deferred {
		chars += a.Deferred[i].describeChars()
	}
	return (chars/len(a.Deferred) + 3) / 4
}

// The parts of tool_describe's answer for one tool around its name, description
// and schema.
const describeFrame = len(`{"tools":{:{"description":,"parameters":}},"not_found":[],"errors":{}}`)

// describeChars returns the length of tool_describe's answer for this tool
// alone, in characters.
func (d *Definition) describeChars() int {
	return describeFrame + quotedChars(d.Name) + d.Tool.facts.descriptionChars + d.Tool.facts.schemaChars
}

// distinct returns the names trimmed, each once, in the order they first came;
// blank ones are dropped.
func distinct(names []string) []string {
	seen := make(map[string]bool, len(names))
	var kept []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" && !seen[name] {
			seen[name] = true
			kept = append(kept, name)
		}
	}
	return kept
}

// sees reports whether a tool is in the model's tool list as it is.
func (a Assembly) sees(name string) bool {
	for i := range a.Visible {
		if a.Visible[i].Name == name {
			return true
		}
	}
	return false
}
