package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
)

// browserTool is a tool as a server lists it, in JSON.
func browserTool(tb testing.TB, raw string) engine.Tool {
	tb.Helper()
	tool, _, err := engine.ParseTool([]byte(raw))
	if err != nil {
		tb.Fatal(err)
	}
	return tool
}

// browserSnapshot has a tool for every place and every warning: what the model
// makes of servers in every state.
func browserSnapshot(tb testing.TB, set func(*engine.Config)) Snapshot {
	tb.Helper()
	tool := func(raw string) engine.Tool { return browserTool(tb, raw) }
	listed := func(raws ...json.RawMessage) (all []engine.Tool) {
		for _, raw := range raws {
			all = append(all, tool(string(raw)))
		}
		return all
	}
	statuses := []mcpconn.ServerStatus{
		{
			Name: "harbour", State: mcpconn.StateReady, Tools: listed(queryServers()["harbour"]...), Filtered: []string{"delete_repo", "drop_everything"},
			Config: config.Server{Name: "harbour", Exclude: []string{"delete_*", "drop_everything"}},
		},
		{Name: "odd", State: mcpconn.StateReady, Tools: []engine.Tool{
			tool(`{"name":"listUsers","description":"Everyone with an account.","annotations":{"readOnlyHint":true}}`),
			tool(`{"name":"a.b","description":"First."}`),
			tool(`{"name":"a b","description":"Second, under the same wire name."}`),
			tool(`{"name":"` + strings.Repeat("very_", 11) + `long_name","description":"Longer than a model API takes."}`),
			tool("{\"name\":\"tagged\",\"description\":\"Adds.\U000e0049\U000e0067\",\"inputSchema\":{\"properties\":{\"a\u200b\":{\"type\":\"number\"}}}}"),
			tool(`{"name":"silent"}`),
			tool(`{"name":"日本語の道具","description":"広い文字の説明。","inputSchema":{"type":"object","properties":{"名前":{"type":"string","enum":["一","二"],"maxLength":1e3,"nullable":true}}}}`),
		}, Warnings: []engine.Warning{{Key: "silent", Message: "tool silent: its description is a number, not a string, and counts as empty"}}},
		{Name: "radio", State: mcpconn.StateFailed, Reason: "exit status 1", Tools: []engine.Tool{tool(`{"name":"tune","description":"Tune in."}`)}},
		{Name: "archive", State: mcpconn.StateOff, Tools: []engine.Tool{tool(`{"name":"find","description":"Find a file."}`)}},
		{Name: "charts", State: mcpconn.StateConnecting, Tools: []engine.Tool{tool(`{"name":"sound","description":"Depth at a place."}`)}},
		{Name: "secret", State: mcpconn.StateReady, Tools: []engine.Tool{tool(`{"name":"door","description":"Opens."}`)}},
	}
	session := engine.Session{
		Catalog: engine.Catalog{
			Core:    []engine.Tool{tool(`{"name":"read_file","description":"Read a file.","annotations":{"readOnlyHint":true}}`)},
			Plugins: []engine.Toolset{{Name: "logbook", Tools: []engine.Tool{tool(`{"name":"entry_add","description":"Write into the log."}`), tool(`{"name":"tool_search","description":"Finds."}`), tool(`{"name":"read_file","description":"A plugin's own."}`)}}},
		},
		Scope: engine.Scope{Disabled: []string{"mcp-secret"}},
	}
	var rows []Server
	for _, s := range statuses {
		if s.State == mcpconn.StateReady {
			session.Catalog.Servers = append(session.Catalog.Servers, engine.Server{Name: s.Name, Tools: s.Tools})
		}
		rows = append(rows, Server{Name: s.Name, Toolset: "mcp-" + s.Name, State: s.State, InScope: session.Scope.Allows("mcp-" + s.Name)})
	}
	rows = append(rows, Server{Name: "logbook", Toolset: "logbook", Plugin: true, InScope: true})
	cfg := engine.Config{ToolSearch: engine.DefaultToolSearch(), ContextLength: 200000}
	if set != nil {
		set(&cfg)
	}
	return Snapshot{Assembly: engine.Assemble(session, cfg), Catalog: session.Catalog, Statuses: statuses, Servers: rows}
}

// browserWith is a browser that got a snapshot and keys.
func browserWith(b *browser, s Snapshot, keys ...string) *browser {
	b.SetSnapshot(s)
	browserKeys(b, keys...)
	return b
}

// browserKeys gives a browser keys, drawing it between them, as a screen does.
func browserKeys(b *browser, keys ...string) (ask tea.Msg, done bool) {
	for _, k := range keys {
		b.View(158, 46)
		ask, done = b.HandleKey(queryKey(k))
	}
	return ask, done
}

func TestDump(t *testing.T) {
	for _, sz := range [][2]int{{158, 46}, {118, 30}, {78, 21}, {38, 7}} {
		for _, keys := range [][]string{nil, {"/", "h", "a"}, {"j","j","j","j","j","j","j","j","enter"}} {
		b := browserWith(newBrowser(queryTheme(termenv.Ascii)), browserSnapshot(t, nil), keys...)
		fmt.Println(b.View(sz[0], sz[1]))
		}
	}
}
var _ = slices.Sort[[]int]
var _ = time.Now
var _ = ansi.Strip
var _ = golden.RequireEqual[string]
var _ = budget.Estimate

// browserGiant has so many tools, of a server that is ready or off.
func browserGiant(tb testing.TB, tools int, state mcpconn.State) Snapshot {
	town := harbourTown(tb, tools)
	s := town.snapshot()
	s.Catalog = town.catalog
	for _, server := range town.catalog.Servers {
		s.Statuses = append(s.Statuses, mcpconn.ServerStatus{Name: server.Name, State: state, Tools: server.Tools})
	}
	if state != mcpconn.StateReady {
		s.Assembly = engine.Assemble(engine.Session{}, s.Assembly.Config)
	}
	return s
}

// BenchmarkBrowser is what a person waits for: the browser to open, to open the
// detail, to move and to type, each with the frame after it.
func BenchmarkBrowser(b *testing.B) {
	for _, tools := range []int{3300, 33000} {
		for _, state := range []mcpconn.State{mcpconn.StateReady, mcpconn.StateOff} {
			s := browserGiant(b, tools, state)
			b.Run(fmt.Sprintf("%d/open, servers %s", tools, state), func(b *testing.B) {
				for b.Loop() {
					browserWith(newBrowser(queryTheme(termenv.TrueColor)), s).View(158, 46)
				}
			})
		}
		s := browserGiant(b, tools, mcpconn.StateReady)
		for name, keys := range map[string][]string{
			"move": {"j", "pgdown", "k"}, "type": {"/", "g", "e", "t", "s", "e", "a", "backspace", "ctrl+u", "esc"}, "sort": {"o"}, "detail": {"enter", "down", "esc", "j"},
		} {
			b.Run(fmt.Sprintf("%d/%s", tools, name), func(b *testing.B) {
				br := browserWith(newBrowser(queryTheme(termenv.TrueColor)), s)
				var took []time.Duration
				i := 0
				for b.Loop() {
					start := time.Now()
					br.SetSnapshot(s)
					br.HandleKey(queryKey(keys[i%len(keys)]))
					br.View(158, 46)
					took = append(took, time.Since(start))
					i++
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			})
		}
	}
}
