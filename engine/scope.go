package engine

import "slices"

// Scope says which toolsets a session sees. Names are toolset names
// ("mcp-github", "kanban") or labels ("github"). The core toolset is "core".
type Scope struct {
	Enabled  []string // if not empty, only these (and core, unless disabled)
	Disabled []string // never these
}

// Allows reports whether the scope lets a session see a toolset, given by its
// full name ("mcp-github", "kanban", "core").
func (sc Scope) Allows(toolset string) bool {
	names := func(list []string) bool {
		return slices.Contains(list, toolset) || slices.Contains(list, Label(toolset))
	}
	if names(sc.Disabled) {
		return false
	}
	return len(sc.Enabled) == 0 || toolset == CoreToolset || names(sc.Enabled)
}

// Session is what one session of the agent can use: a catalog seen through a
// scope. Everything the engine does sees only the session's tools.
type Session struct {
	Catalog Catalog
	Scope   Scope
}
