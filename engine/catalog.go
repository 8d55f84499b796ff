package engine

// Catalog is every tool there is, before any scope: what the servers listed,
// the plugin toolsets and the core tools. Its JSON form is the snapshot format.
type Catalog struct {
	Servers []Server  `json:"servers"` // in the order of the configuration
	Plugins []Toolset `json:"plugins"`
	Core    []Tool    `json:"core"`
}

// Server is one MCP server's tools and the flags that matter to the engine.
type Server struct {
	Name     string `json:"name"`  // its key in the configuration
	Tools    []Tool `json:"tools"` // in the server's order
	Parallel bool   `json:"supports_parallel_tool_calls,omitempty"`
	Trust    string `json:"trust,omitempty"` // "" is full
}

// Toolset is a plugin toolset: a name and its tools.
type Toolset struct {
	Name  string `json:"name"`
	Tools []Tool `json:"tools"`
}
