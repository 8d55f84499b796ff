package engine

import "encoding/json"

// Source says where a tool comes from, and so whether it can be deferred.
type Source string

// The sources of a tool. The zero value is a tool of unknown origin: it stays
// visible, is never deferred and never dropped.
const (
	SourceUnknown Source = ""
	SourceCore    Source = "core"   // Hermes' own tool; never deferred
	SourceMCP     Source = "mcp"    // a tool of an MCP server; deferrable
	SourcePlugin  Source = "plugin" // a tool of a plugin toolset; deferrable
)

// Deferrable reports whether tools of this source go behind the bridge.
func (s Source) Deferrable() bool { return s == SourceMCP || s == SourcePlugin }

// Tool is one tool as its owner listed it. Make one with [ParseTool].
// All text is kept as it came; it is hostile until displayed through a
// display function.
type Tool struct {
	Name        string          // the owner's own name
	Description string          // "" where missing or null
	Schema      json.RawMessage // inputSchema in canonical JSON (see [Canonical]); {"type":"object","properties":{}} where missing or null
	ReadOnly    bool            // annotations.readOnlyHint is true
	Raw         json.RawMessage // the whole tool as in tools/list, canonical; what a snapshot writes
}
