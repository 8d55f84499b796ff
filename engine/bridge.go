package engine

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The bridge tools: what stands in for the deferred tools.
const (
	BridgeSearch   = "tool_search"
	BridgeDescribe = "tool_describe"
	BridgeCall     = "tool_call"
)

// IsBridge reports whether a wire name is that of a bridge tool.
func IsBridge(name string) bool {
	return name == BridgeSearch || name == BridgeDescribe || name == BridgeCall
}

// The caps on what one call of a bridge takes and gives: the engine's
// specification, §5.
const (
	MaxQueries           = 10  // queries of one tool_search
	MaxDescribed         = 10  // names of one tool_describe
	maxSummaryChars      = 400 // of a description in tool_search's answer
	maxRequired          = 32  // required names there
	maxRequiredNameChars = 64  // of each
)

const (
	searchSchema = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":10,"description":"What you are looking for, in a few words each; several needs in one call."},"limit":{"type":"integer","minimum":1,"description":"Most matches per query."}},"required":["queries"]}`

	describeSchema = `{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":10,"description":"Exact tool names."}},"required":["names"]}`

	callSchema = `{"type":"object","properties":{"name":{"type":"string","description":"Exact name of the tool to call."},"arguments":{"type":"object","description":"The tool's arguments, as its schema from tool_describe asks for."}},"required":["name","arguments"]}`
)

// bridges returns the three bridge tools for so many deferred tools, with the
// listing embedded in tool_search's description.
func bridges(deferred int, form Form, listing string) []Definition {
	return []Definition{
		bridge(BridgeSearch, searchDescription(deferred, form, listing), searchSchema),
		bridge(BridgeDescribe, fmt.Sprintf("Get the description and parameter schema of any of the %s kept behind the bridge, by exact name. Do this before the first tool_call of a tool.", countTools(deferred)), describeSchema),
		bridge(BridgeCall, fmt.Sprintf("Call one of the %s kept behind the bridge by its exact name, with arguments that match its schema. Tools you can see in your tool list are called directly instead.", countTools(deferred)), callSchema),
	}
}

// bridge returns one bridge tool. Only its length is needed of it, so it is
// not measured as a tool that can be searched for is.
func bridge(name, description, schema string) Definition {
	t := Tool{Name: name, Description: description, Schema: json.RawMessage(schema)}
	d := Definition{Name: name, Tool: t, Source: SourceCore, Toolset: CoreToolset, Label: CoreToolset}
	d.chars = definitionFrame + quotedChars(name) + quotedChars(description) + utf8.RuneCountInString(schema)
	d.nameChars = len(name)
	return d
}

// searchDescription tells the model what the listing lets it do.
func searchDescription(deferred int, form Form, listing string) string {
	intro := fmt.Sprintf("Find tools among the %s kept behind the bridge: you can use them, but their definitions are not loaded.", countTools(deferred))
	switch form {
	case FormFull, FormNames:
		intro += " All of them are listed below. When you see the exact name you need, go straight to tool_describe; search when you are not sure which it is."
	case FormMixed:
		intro += " Those of some servers are listed below by name: when you see the exact name you need, go straight to tool_describe. Servers marked as too many to list have tools whose names are not shown here: search for those."
	case FormGroups:
		intro += " Their servers are listed below, their names are not: search first, and do not claim that a capability is missing before you have searched for it."
	default:
		intro += " They are not listed here: search first, and do not claim that a capability is missing before you have searched for it."
	}
	if listing == "" {
		return intro
	}
	return intro + "\n\n" + listing
}

func countTools(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}
