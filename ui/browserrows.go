package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// toolPlace says whether the model is given a tool, and if not, why.
type toolPlace int

const (
	placeDeferred   toolPlace = iota // behind the bridge
	placeEager                       // in the tool list as it is
	placeFiltered                    // left out by include/exclude
	placeShadowed                    // another tool has its wire name
	placeBridge                      // it has a bridge tool's name
	placeOutOfScope                  // the session does not see its toolset
	placeOff                         // its server is off
	placeConnecting                  // its server has yet to answer
	placeFailed                      // its server failed
)

// word names the place in a column.
func (p toolPlace) word() string {
	return [...]string{"deferred", "eager", "filtered", "shadowed", "left out", "no scope", "off", "connecting", "failed"}[p]
}

// given reports whether the model can use the tool.
func (p toolPlace) given() bool { return p == placeDeferred || p == placeEager }

// toolRow is one tool of the browser. Rows are made once for an assembly, so
// all that takes a look at the tool's text stands here.
type toolRow struct {
	def   *engine.Definition
	place toolPlace
	mode  engine.Mode // of its group, where the model is given it
	bare  bool        // nothing is known of it but its name

	chars    int      // of its definition; 0 where bare
	tokens   int      // the same by the estimate
	hidden   int      // characters that only show as marks
	long     int      // characters of the wire name, where there are too many
	silent   bool     // it has no description
	lost     []string // parts of a camelCase name that no query finds it by
	repaired int      // things that were odd in how its server lists it
}

// warnings is how many different things are to be said against the tool.
func (r *toolRow) warnings() int {
	n := 0
	for _, is := range []bool{r.hidden > 0, r.long > 0, r.silent, len(r.lost) > 0, r.repaired > 0, r.place == placeShadowed || r.place == placeBridge} {
		if is {
			n++
		}
	}
	return n
}

// brief is the warnings in a few words, the worst first.
func (r *toolRow) brief() string {
	var all []string
	add := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	add(r.hidden > 0, "hidden text")
	add(r.place == placeShadowed, "shadowed")
	add(r.place == placeBridge, "a bridge's name")
	add(r.long > 0, fmt.Sprintf("name %d long", r.long))
	add(len(r.lost) > 0, "camelCase")
	add(r.silent, "no description")
	add(r.repaired > 0, "repaired")
	return strings.Join(all, ", ")
}

// now is the form in which the model is told of the tool, or why it is not.
func (r *toolRow) now() string {
	if r.place.given() {
		return string(r.mode)
	}
	return r.place.word()
}

// origin names where the tool comes from, in so many cells at most.
func (r *toolRow) origin(cells int) string {
	switch r.def.Source {
	case engine.SourceMCP:
		return display.Clip(r.def.Server, cells)
	case engine.SourcePlugin:
		return display.Clip("plugin "+r.def.Toolset, cells)
	}
	return display.Clip(cmp.Or(string(r.def.Source), "unknown"), cells)
}

// toolID tells tools apart from one snapshot to the next. A server that lists
// two tools of one name has one ID for both.
type toolID struct {
	source  engine.Source
	toolset string
	own     string
}

func idOf(d *engine.Definition) toolID { return toolID{d.Source, d.Toolset, d.Tool.Name} }

// maxMatched is how many bytes of a name the filter looks at.
const maxMatched = 256

// matched is the text that the filter looks in: the wire name, and the own name
// where that has other letters.
func (r *toolRow) matched() string {
	wire, _ := firstBytes(r.def.Name, maxMatched)
	own, _ := firstBytes(r.def.Tool.Name, maxMatched)
	if strings.HasSuffix(wire, own) {
		return wire
	}
	return wire + " " + own
}

// rowMaker gathers the rows of a snapshot.
type rowMaker struct {
	snap  Snapshot
	given map[toolID]*engine.Definition // tools of the assembly that have no row yet
	modes map[string]engine.Mode        // by label
	scope map[string]bool               // by toolset; what is not in it is in scope
	rows  []toolRow
}

// toolRows makes a row for every tool that the snapshot knows of: the core
// tools, then those of each server in its own order, then the plugins'.
func toolRows(s Snapshot) []toolRow {
	a := s.Assembly
	m := rowMaker{
		snap:  s,
		given: make(map[toolID]*engine.Definition, len(a.Visible)+len(a.Deferred)),
		modes: map[string]engine.Mode{},
		scope: map[string]bool{},
		rows:  make([]toolRow, 0, len(a.Visible)+len(a.Deferred)),
	}
	for _, list := range [][]engine.Definition{a.Visible, a.Deferred} {
		for i := range list {
			m.given[idOf(&list[i])] = &list[i]
		}
	}
	for _, g := range a.Groups {
		m.modes[g.Label] = g.Mode
	}
	for _, server := range s.Servers {
		m.scope[server.Toolset] = server.InScope
	}
	for _, t := range s.Catalog.Core {
		m.tool(engine.Definition{Name: t.Name, Tool: t, Source: engine.SourceCore, Toolset: engine.CoreToolset, Label: engine.CoreToolset}, m.coreAbsence(t.Name))
	}
	m.rest(a.Visible, func(d engine.Definition) bool { return !d.Source.Deferrable() })
	for _, server := range s.Statuses {
		m.server(server)
	}
	for _, p := range s.Catalog.Plugins {
		for _, t := range p.Tools {
			d := engine.Definition{Name: t.Name, Tool: t, Source: engine.SourcePlugin, Toolset: p.Name, Label: engine.Label(p.Name)}
			m.tool(d, m.absence(d))
		}
	}
	any := func(engine.Definition) bool { return true }
	m.rest(a.Visible, any)
	m.rest(a.Deferred, any)
	m.loseParts()
	return m.rows
}

// server adds the tools that a server listed, and the names of those that its
// filter left out.
func (m *rowMaker) server(s mcpconn.ServerStatus) {
	odd := map[string]int{}
	for _, w := range s.Warnings {
		odd[w.Key]++
	}
	toolset := "mcp-" + s.Name
	definition := func(t engine.Tool) engine.Definition {
		return engine.Definition{
			Name: engine.WireName(m.snap.Assembly.Config.ToolNames, s.Name, t.Name), Tool: t,
			Source: engine.SourceMCP, Toolset: toolset, Label: engine.Label(toolset), Server: s.Name,
		}
	}
	for _, t := range s.Tools {
		if d, ok := m.given[toolID{engine.SourceMCP, toolset, t.Name}]; ok && s.State == mcpconn.StateReady {
			m.take(d)
		} else {
			d := definition(t)
			place := m.absence(d)
			switch s.State {
			case mcpconn.StateOff:
				place = placeOff
			case mcpconn.StateConnecting:
				place = placeConnecting
			case mcpconn.StateFailed:
				place = placeFailed
			}
			m.absent(d, place)
		}
		m.rows[len(m.rows)-1].repaired = odd[t.Name]
	}
	for _, own := range s.Filtered {
		d := definition(engine.Tool{Name: own})
		m.rows = append(m.rows, toolRow{def: &d, place: placeFiltered, bare: true, long: tooLong(d.Name)})
	}
}

// tool adds a tool that is in the assembly, or else for some reason is not.
func (m *rowMaker) tool(d engine.Definition, absence toolPlace) {
	if given, ok := m.given[idOf(&d)]; ok {
		m.take(given)
		return
	}
	m.absent(d, absence)
}

// absence says why a tool that its owner offers is not in the assembly.
func (m *rowMaker) absence(d engine.Definition) toolPlace {
	if in, known := m.scope[d.Toolset]; known && !in {
		return placeOutOfScope
	}
	if engine.IsBridge(d.Name) {
		return placeBridge
	}
	return placeShadowed
}

// coreAbsence says why a core tool is not in the assembly. No row of the
// snapshot tells whether the session sees the core; that a name was refused
// does.
func (m *rowMaker) coreAbsence(name string) toolPlace {
	refused := slices.ContainsFunc(m.snap.Assembly.Warnings, func(w engine.Warning) bool {
		return w.Key == name && strings.HasPrefix(w.Given, "core tool ")
	})
	switch {
	case !refused:
		return placeOutOfScope
	case engine.IsBridge(name):
		return placeBridge
	}
	return placeShadowed
}

// rest adds the tools of a list that no owner in the snapshot has listed.
func (m *rowMaker) rest(list []engine.Definition, is func(engine.Definition) bool) {
	for i := range list {
		if d := &list[i]; m.given[idOf(d)] == d && is(*d) {
			m.take(d)
		}
	}
}

// take adds a tool of the assembly.
func (m *rowMaker) take(d *engine.Definition) {
	delete(m.given, idOf(d))
	r := toolRow{def: d, place: placeEager, mode: engine.ModeEager}
	if d.Source.Deferrable() && m.snap.Assembly.Activated {
		r.place, r.mode = placeDeferred, m.modes[d.Label]
	}
	m.add(r)
}

// absent adds a tool that is not in the assembly. The engine makes its
// definition, as if there were no other tool: so it is measured as all are.
func (m *rowMaker) absent(d engine.Definition, place toolPlace) {
	tools := []engine.Tool{d.Tool}
	var alone engine.Catalog
	switch d.Source {
	case engine.SourceMCP:
		alone.Servers = []engine.Server{{Name: d.Server, Tools: tools}}
	case engine.SourcePlugin:
		alone.Plugins = []engine.Toolset{{Name: d.Toolset, Tools: tools}}
	default:
		alone.Core = tools
	}
	if made, _ := engine.Definitions(engine.Session{Catalog: alone}, m.snap.Assembly.Config.ToolNames); len(made) == 1 {
		d = made[0]
	}
	m.add(toolRow{def: &d, place: place})
}

// add measures a row whose tool is known.
func (m *rowMaker) add(r toolRow) {
	d := r.def
	r.chars = d.Chars()
	r.tokens = budget.Estimate(r.chars)
	r.hidden = display.Hidden(d.Tool.Name) + display.Hidden(d.Tool.Description) + display.Hidden(string(d.Tool.Schema))
	r.long = tooLong(d.Name)
	r.silent = strings.TrimSpace(d.Tool.Description) == ""
	m.rows = append(m.rows, r)
}

// loseParts finds the camelCase names, all at once since tools have words in
// common. Core tools are not searched.
func (m *rowMaker) loseParts() {
	var at []int
	var all []*engine.Definition
	for i, r := range m.rows {
		if !r.bare && r.def.Source.Deferrable() {
			at, all = append(at, i), append(all, r.def)
		}
	}
	for i, lost := range engine.LostParts(all) {
		m.rows[at[i]].lost = lost
	}
}

// tooLong is how many characters a wire name has, 0 where model APIs take it.
func tooLong(name string) int {
	if len(name) <= engine.MaxNameLength {
		return 0
	}
	if n := utf8.RuneCountInString(name); n > engine.MaxNameLength {
		return n
	}
	return 0
}

// sameTools reports whether two snapshots have the same tools in the same
// forms, without a look at any tool: nobody changes what a snapshot holds.
func sameTools(a, b Snapshot) bool {
	return a.Assembly.Index == b.Assembly.Index && sameSlice(a.Assembly.Groups, b.Assembly.Groups) &&
		sameSlice(a.Assembly.Deferred, b.Assembly.Deferred) && sameSlice(a.Assembly.Visible, b.Assembly.Visible) &&
		sameSlice(a.Catalog.Core, b.Catalog.Core) && sameSlice(a.Catalog.Plugins, b.Catalog.Plugins) &&
		slices.EqualFunc(a.Statuses, b.Statuses, func(x, y mcpconn.ServerStatus) bool {
			return x.Name == y.Name && x.State == y.State && x.Reason == y.Reason &&
				sameSlice(x.Tools, y.Tools) && sameSlice(x.Filtered, y.Filtered) && sameSlice(x.Warnings, y.Warnings)
		}) &&
		slices.EqualFunc(a.Servers, b.Servers, func(x, y Server) bool { return x.Toolset == y.Toolset && x.InScope == y.InScope })
}

// sameSlice reports whether two slices are one.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
