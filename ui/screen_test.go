package ui

import (
	"encoding/json"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/fixtures"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
	"toolscope/ui/export"
)

// demoBench is the workbench at 160×48 on the built-in configuration. Its clock
// goes on by a search's time whenever it is read, so that a screen is always
// the same.
func demoBench(t *testing.T) *bench {
	cfg, err := config.Load(filepath.Join("..", "config.yaml"), config.Options{Self: "toolscope"})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Path = "built-in"
	core, _, err := engine.ReadCatalog(append(append([]byte(`{"core":`), fixtures.CoreTools()...), '}'))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Core = core.Core
	b := &bench{tb: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	r.SetHasDarkBackground(true)
	b.m = newModel(setup{
		config: cfg,
		conns:  fakeServers{make(chan mcpconn.ServerEvent), &b.asked},
		theme:  newTheme(r),
		work:   newWork(t.Context()),
		clock: func() time.Time {
			b.now = b.now.Add(40 * time.Microsecond)
			return b.now
		},
		tick: func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil },
		copy: func(string) error { return nil },
	})
	return b.send(tea.WindowSizeMsg{Width: 160, Height: 48})
}

// demo lets demo servers answer with their tools.
func (b *bench) demo(t *testing.T, names ...string) *bench {
	t.Helper()
	var all eventsMsg
	for _, name := range names {
		server, err := fixtures.Server(name)
		if err != nil {
			t.Fatal(err)
		}
		byName := server.ListTools()
		var tools []engine.Tool
		for _, tool := range slices.Sorted(maps.Keys(byName)) {
			raw, err := json.Marshal(byName[tool].Tool)
			if err != nil {
				t.Fatal(err)
			}
			parsed, _, err := engine.ParseTool(raw)
			if err != nil {
				t.Fatal(err)
			}
			tools = append(tools, parsed)
		}
		all = append(all, mcpconn.ServerEvent{Server: name, At: b.now, Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: tools})
	}
	return b.send(all)
}

// The picture in the README is the screen as it is now: the demo with its giant
// switched on, a query that misses the expected tool, and a call.
// `go test ./ui -run TestScreenPicture -update` draws it anew.
func TestScreenPicture(t *testing.T) {
	b := demoBench(t).demo(t, "linear", "github", "slack").press("2", "down", "down", "down").demo(t, "cloudflare")
	b.press("/", "file a bug", "esc").send(pinMsg{"mcp_github_create_issue"}).press("4", "G", "c", "enter", "1")
	b.sees("TIER 1 mixed", "4/4 servers", "cloudflare", "expected:", "✓ done", "SIMULATED")
	got := export.SVG(b.view(), export.Options{Dark: true, Columns: 160})
	const file = "screen.svg"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not the screen as it is now; draw it anew with go test ./ui -run TestScreenPicture -update", file)
	}
}
