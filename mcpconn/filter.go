package mcpconn

import (
	"fmt"
	"strings"

	"github.com/gobwas/glob"

	"toolscope/engine"
)

// filter applies tools.include and tools.exclude to a server's own tool names.
type filter struct {
	key      string // tools.include or tools.exclude, with the server's path
	include  bool
	patterns []pattern
	warnings []engine.Warning // of patterns that are no glob
}

// pattern is one entry of a filter. An entry always matches the very name it
// is; one with wildcards matches as a glob too.
type pattern struct {
	text    string
	glob    *glob.Pattern
	matched bool
}

// newFilter makes the filter of one server; include wins over exclude.
func newFilter(server string, include, exclude []string) *filter {
	f := &filter{key: "mcp_servers." + server + ".tools.exclude"}
	entries := exclude
	if len(include) > 0 {
		f.key, f.include, entries = "mcp_servers."+server+".tools.include", true, include
	}
	for _, text := range entries {
		p := pattern{text: text}
		if strings.ContainsAny(text, `*?[{\`) {
			g, err := glob.Compile(text)
			if err != nil {
				f.warnings = append(f.warnings, engine.Warning{Key: f.key, Given: text, Used: text,
					Message: fmt.Sprintf("%q is no valid glob: it matches a tool of exactly this name only", text)})
			} else {
				p.glob = g
			}
		}
		f.patterns = append(f.patterns, p)
	}
	return f
}

// keep reports whether a tool of this name stays.
func (f *filter) keep(name string) bool {
	if len(f.patterns) == 0 {
		return true
	}
	hit := false
	for i := range f.patterns {
		p := &f.patterns[i]
		if p.text == name || p.glob != nil && p.glob.Match(name) {
			p.matched, hit = true, true
		}
	}
	return hit == f.include
}

// unmatched warns of every entry that matched no tool: most are misspelt. A
// glob to exclude may well be there for tools to come.
func (f *filter) unmatched() []engine.Warning {
	warnings := f.warnings
	for _, p := range f.patterns {
		if !p.matched && (f.include || p.glob == nil) {
			warnings = append(warnings, engine.Warning{Key: f.key, Given: p.text,
				Message: fmt.Sprintf("%q matches none of the server's tools: it takes the server's own names", p.text)})
		}
	}
	return warnings
}
