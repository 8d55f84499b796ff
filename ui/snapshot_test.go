package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolscope/engine"
	"toolscope/mcpconn"
)

// stage is a made-up session for the panes of the tier, the listing and the
// budget: servers and plugins in any state, and settings, from which it makes
// the snapshot that the model would.
type stage struct {
	tb       testing.TB
	cfg      engine.Config
	original engine.Config
	catalog  engine.Catalog
	rows     []Server
	warnings []engine.Warning
	scope    engine.Scope
}

func newStage(tb testing.TB) *stage {
	cfg := engine.Config{ToolSearch: engine.DefaultToolSearch(), ContextLength: 200000}
	return &stage{tb: tb, cfg: cfg, original: cfg}
}

// tools makes a server's tools: "name: description" each.
func (s *stage) tools(lines ...string) []engine.Tool {
	s.tb.Helper()
	var all []engine.Tool
	for _, l := range lines {
		name, description, _ := strings.Cut(l, ": ")
		raw, err := json.Marshal(map[string]any{
			"name": name, "description": description,
			"inputSchema": map[string]any{
				"type":       "object",
				"properties": map[string]any{"id": map[string]any{"type": "string", "description": "Which one."}, "verbose": map[string]any{"type": "boolean"}},
				"required":   []string{"id"},
			},
		})
		if err != nil {
			s.tb.Fatal(err)
		}
		tool, _, err := engine.ParseTool(raw)
		if err != nil {
			s.tb.Fatal(err)
		}
		all = append(all, tool)
	}
	return all
}

// ready adds a connected server.
func (s *stage) ready(name string, lines ...string) *stage {
	tools := s.tools(lines...)
	s.catalog.Servers = append(s.catalog.Servers, engine.Server{Name: name, Tools: tools})
	s.rows = append(s.rows, Server{Name: name, Toolset: "mcp-" + name, Label: engine.Label("mcp-" + name), State: mcpconn.StateReady, Tools: len(tools)})
	return s
}

// absent adds a server that has no tools to give.
func (s *stage) absent(name string, state mcpconn.State, said string) *stage {
	row := Server{Name: name, Toolset: "mcp-" + name, Label: engine.Label("mcp-" + name), State: state}
	switch state {
	case mcpconn.StateFailed:
		row.Reason = said
	case mcpconn.StateConnecting:
		row.Progress = said
	}
	s.rows = append(s.rows, row)
	return s
}

func (s *stage) plugin(name string, lines ...string) *stage {
	s.catalog.Plugins = append(s.catalog.Plugins, engine.Toolset{Name: name, Tools: s.tools(lines...)})
	return s
}

func (s *stage) core(lines ...string) *stage {
	s.catalog.Core = append(s.catalog.Core, s.tools(lines...)...)
	return s
}

// tune changes the settings and keeps the original ones.
func (s *stage) tune(change func(*engine.Config)) *stage {
	change(&s.cfg)
	return s
}

// configured changes the settings as if the configuration said so.
func (s *stage) configured(change func(*engine.Config)) *stage {
	change(&s.cfg)
	change(&s.original)
	return s
}

// snapshot assembles and joins the rows with their groups.
func (s *stage) snapshot() Snapshot {
	a := engine.Assemble(engine.Session{Catalog: s.catalog, Scope: s.scope}, s.cfg)
	groups := map[string]engine.Group{}
	for _, g := range a.Groups {
		groups[g.Label] = g
	}
	rows := slices.Clone(s.rows)
	for _, p := range s.catalog.Plugins {
		rows = append(rows, Server{Name: p.Name, Toolset: p.Name, Label: p.Name, Plugin: true, State: mcpconn.StateReady, Tools: len(p.Tools)})
	}
	for i := range rows {
		r := &rows[i]
		if r.InScope = s.scope.Allows(r.Toolset); r.InScope {
			r.Group = groups[r.Label]
		}
		if r.Group.Mode == engine.ModeSummary || r.Group.Mode == engine.ModeNone {
			r.Need, r.CanList = a.NeedToList(r.Label)
		}
	}
	return Snapshot{Servers: rows, Assembly: a, Cache: newCache(engine.Assembly{}, a), Original: s.original, Warnings: slices.Concat(s.warnings, a.Warnings), Spinner: "⠙"}
}

// after is the snapshot with the changes since another marked.
func (s *stage) after(old Snapshot) Snapshot {
	now := s.snapshot()
	now.Before = before(old.Assembly)
	now.Cache = newCache(old.Assembly, now.Assembly)
	return now
}

// harbourTown is a session with a bit of everything: three servers that
// answered, one of them a giant of so many tools, one that is still listing,
// one that failed, one that is off, and a plugin.
func harbourTown(tb testing.TB, giant int) *stage {
	s := newStage(tb)
	s.core("read_file: Read a file.", "write_file: Write a file, whole.", "run: Run a command and return what it printed.")
	s.ready("harbour",
		"berth_assign: Give a vessel a berth for a time.", "berth_release: Free a berth.", "berth_list: List every berth and what lies there.",
		"pilot_order: Order a pilot for an arrival or a departure. The pilot boards at the outer buoy.", "tide_table: The tides of a day at a gauge.",
		"vessel_track: Where a vessel was, by the hour.", "crane_reserve")
	if giant > 0 {
		var lines []string
		for i := range giant {
			lines = append(lines, fmt.Sprintf("%s_%s_%04d: %s of the %s register.",
				[]string{"get", "list", "update", "delete"}[i%4], []string{"manifest", "container", "customs_form", "seal"}[i/4%4], i,
				[]string{"Reads one entry", "Lists the entries", "Changes one entry", "Removes one entry"}[i%4], []string{"import", "export", "transit"}[i%3]))
		}
		s.ready("registry", lines...)
	}
	s.ready("weather", "forecast: The forecast for a place.", "gale_warning: Warnings in force.", "sea_state: Wave height and swell.")
	s.absent("charts", mcpconn.StateConnecting, "tools/list: 1,000 tools so far")
	s.absent("radio", mcpconn.StateFailed, "exit status 1 before initialize: no such device /dev/ttyUSB0")
	s.absent("archive", mcpconn.StateOff, "")
	return s.plugin("logbook", "entry_add: Write into the log.", "entry_find: Find entries.")
}

// shown gives a pane a snapshot, a size and the focus.
func shown(p pane, s Snapshot, width, height int) pane {
	p.SetFocus(true)
	p.SetSnapshot(s)
	p.SetSize(width, height)
	return p
}
