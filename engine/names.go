package engine

// NameStyle is how a server's tool becomes a wire name.
type NameStyle string

// The two styles in use.
const (
	NamesSingle NameStyle = "single" // mcp_<server>_<tool>
	NamesDouble NameStyle = "double" // mcp__<server>__<tool>
)

// Definition is one tool under the name the model sees it by.
type Definition struct {
	Name    string // the wire name
	Tool    Tool
	Source  Source
	Toolset string // "mcp-<server>", a plugin's toolset, "core"
	Label   string // the group's label: the toolset less a leading "mcp-"
	Server  string // the server's name in the configuration, for SourceMCP
}
