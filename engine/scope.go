package engine

// Scope says which toolsets a session sees. Names are toolset names
// ("mcp-github", "kanban") or labels ("github"). The core toolset is "core".
type Scope struct {
	Enabled  []string // if not empty, only these (and core, unless disabled)
	Disabled []string // never these
}

// Session is what one session of the agent can use: a catalog seen through a
// scope. Everything the engine does sees only the session's tools.
type Session struct {
	Catalog Catalog
	Scope   Scope
}
