package mcpconn

import (
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxTraced is how much of one message is written into the protocol's log, in
// bytes.
const maxTraced = 2 << 10

// asJSON is a value as JSON, or as much of it as the protocol's log takes.
func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "(not to be written as JSON)"
	}
	return firstOf(raw)
}

// firstOf is the start of a message.
func firstOf(raw []byte) string {
	if len(raw) <= maxTraced {
		return string(raw)
	}
	text := string(raw[:maxTraced+4])
	return text[:cutAt(text, maxTraced)] + "… (" + thousands(len(raw)) + " bytes)"
}

// offers names a server's capabilities.
func offers(c mcp.ServerCapabilities) string {
	var all []string
	add := func(there bool, name string, details ...string) {
		if !there {
			return
		}
		var said []string
		for _, d := range details {
			if d != "" {
				said = append(said, d)
			}
		}
		if len(said) > 0 {
			name += " (" + strings.Join(said, ", ") + ")"
		}
		all = append(all, name)
	}
	if c.Tools != nil {
		add(true, "tools", when(c.Tools.ListChanged, "listChanged"))
	}
	if c.Resources != nil {
		add(true, "resources", when(c.Resources.ListChanged, "listChanged"), when(c.Resources.Subscribe, "subscribe"))
	}
	if c.Prompts != nil {
		add(true, "prompts", when(c.Prompts.ListChanged, "listChanged"))
	}
	add(c.Logging != nil, "logging")
	add(c.Completions != nil, "completions")
	add(c.Sampling != nil, "sampling")
	add(c.Elicitation != nil, "elicitation")
	add(c.Tasks != nil, "tasks")
	return strings.Join(all, ", ")
}

func when(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}
