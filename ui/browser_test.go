package ui

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
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
	return browserSized(b, 78, 21, keys...)
}

func browserSized(b *browser, width, height int, keys ...string) (ask tea.Msg, done bool) {
	for _, k := range keys {
		b.View(width, height)
		ask, done = b.HandleKey(queryKey(k))
	}
	return ask, done
}

func TestBrowserFrames(t *testing.T) {
	for _, tc := range []struct {
		name          string
		width, height int
		keys          []string
	}{
		{"list at 160x48", 158, 46, nil},
		{"list at 120x36", 118, 34, []string{"j", "j"}},
		{"list at 80x24", 78, 21, []string{"pgdown"}},
		{"list at 60x16", 58, 13, []string{"G"}},
		{"list at 40x10", 38, 7, []string{"G", "k"}},
		{"typing", 78, 21, []string{"/", "i", "s", "s", "u", "e"}},
		{"typing at 40x10", 38, 8, []string{"/", "t", "a"}},
		{"filtered, by name", 118, 20, []string{"/", "h", "a", "esc", "o", "o"}},
		{"nothing matches", 78, 12, []string{"/", "q", "x", "q", "esc"}},
		{"dearest first", 78, 21, []string{"o"}},
		{"warnings first", 158, 30, []string{"o", "o", "o"}},
		{"detail at 160x48", 158, 46, []string{"j", "enter"}},
		{"detail at 80x24", 78, 21, []string{"/", "t", "a", "g", "g", "enter"}},
		{"detail at 80x24, the end", 78, 21, []string{"/", "t", "a", "g", "g", "enter", "G"}},
		{"detail at 40x10", 38, 8, []string{"j", "enter", "pgdown"}},
		{"detail of wide characters", 58, 30, []string{"/", "o", "d", "d", "_", "_", "_", "_", "enter"}},
		{"detail of a filtered tool", 78, 14, []string{"/", "d", "r", "o", "p", "enter"}},
		{"detail of a repaired tool", 78, 21, []string{"/", "s", "i", "l", "e", "n", "t", "enter"}},
		{"detail of a tool of a failed server", 78, 21, []string{"/", "t", "u", "n", "e", "enter"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := browserWith(newBrowser(queryTheme(termenv.Ascii)), browserSnapshot(t, nil))
			browserSized(b, tc.width, tc.height, tc.keys...)
			view := b.View(tc.width, tc.height)
			queryEveryCell(t, view, tc.width, tc.height)
			golden.RequireEqual(t, view)
		})
	}
}

func TestBrowserColours(t *testing.T) {
	b := browserWith(newBrowser(queryTheme(termenv.TrueColor)), browserSnapshot(t, nil), "j", "j")
	list := b.View(118, 30)
	browserKeys(b, "enter")
	golden.RequireEqual(t, list+"\n"+b.View(118, 30))
}

// TestBrowserPlaces has every tool with why the model is given it or not, and
// what is to be said against it.
func TestBrowserPlaces(t *testing.T) {
	want := map[string]string{ // by owner and own name
		"core/read_file":          "eager",
		"harbour/create_issue":    "full",
		"harbour/list_issues":     "full",
		"harbour/close_issue":     "full",
		"harbour/create_release":  "full",
		"harbour/search_code":     "full",
		"harbour/delete_repo":     "filtered",
		"harbour/drop_everything": "filtered",
		"odd/listUsers":           "full; camelCase",
		"odd/a.b":                 "full",
		"odd/a b":                 "shadowed; shadowed",
		"odd/tagged":              "full; hidden text",
		"odd/silent":              "full; no description, repaired",
		"odd/日本語の道具":              "full",
		"radio/tune":              "failed",
		"archive/find":            "off",
		"charts/sound":            "connecting",
		"secret/door":             "no scope",
		"logbook/entry_add":       "full",
		"logbook/tool_search":     "left out; a bridge's name",
		"logbook/read_file":       "shadowed; shadowed",

		"odd/" + strings.Repeat("very_", 11) + "long_name": "full; name 72 long",
	}
	got := map[string]string{}
	rows := toolRows(browserSnapshot(t, nil))
	for i := range rows {
		r := &rows[i]
		id := strings.TrimPrefix(r.def.Toolset, "mcp-") + "/" + r.def.Tool.Name
		if _, twice := got[id]; twice {
			t.Errorf("%s is listed twice", id)
		}
		got[id] = r.now()
		if said := r.brief(); said != "" {
			got[id] += "; " + said
		}
		if (r.brief() == "") != (r.warnings() == 0) {
			t.Errorf("%s: %d warnings, and says %q", id, r.warnings(), r.brief())
		}
		if r.tokens != budget.Estimate(r.def.Chars()) && !r.bare || r.bare && r.tokens != 0 {
			t.Errorf("%s costs %d tokens", id, r.tokens)
		}
	}
	for id, w := range want {
		if got[id] != w {
			t.Errorf("%s: %q, want %q", id, got[id], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tools, want %d: %v", len(got), len(want), got)
	}
}

func TestBrowserForms(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(*engine.Config)
		want string
	}{
		{"tier 0", func(c *engine.Config) { c.Enabled = engine.Off }, "eager"},
		{"no listing", func(c *engine.Config) { c.Listing = engine.Off }, "none"},
		{"names", func(c *engine.Config) { c.ListingMaxTokens = browserSnapshot(t, nil).Assembly.Ladder[0].Tokens - 1 }, "names"},
		{"summary", func(c *engine.Config) { c.ContextLength, c.ThresholdPct = 2000, 5 }, "summary"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := ""
			for _, r := range toolRows(browserSnapshot(t, tc.set)) {
				if r.place.given() && r.def.Server == "odd" {
					found = r.now()
				}
				if r.def.Source == engine.SourceCore && r.now() != "eager" {
					t.Errorf("a core tool is %s", r.now())
				}
			}
			if found != tc.want {
				t.Errorf("the tools of odd are %q, want %q", found, tc.want)
			}
		})
	}
}

// TestBrowserCoreOutOfScope has a session that does not see the core.
func TestBrowserCoreOutOfScope(t *testing.T) {
	core := []engine.Tool{browserTool(t, `{"name":"run"}`), browserTool(t, `{"name":"run","description":"Again."}`), browserTool(t, `{"name":"tool_call"}`)}
	places := func(scope engine.Scope) (all []toolPlace) {
		session := engine.Session{Catalog: engine.Catalog{Core: core}, Scope: scope}
		for _, r := range toolRows(Snapshot{Assembly: engine.Assemble(session, engine.Config{ToolSearch: engine.DefaultToolSearch()}), Catalog: session.Catalog}) {
			all = append(all, r.place)
		}
		return all
	}
	if got := places(engine.Scope{Disabled: []string{"core"}}); !slices.Equal(got, []toolPlace{placeOutOfScope, placeOutOfScope, placeOutOfScope}) {
		t.Errorf("out of scope: %v", got)
	}
	if got := places(engine.Scope{}); !slices.Equal(got, []toolPlace{placeEager, placeShadowed, placeBridge}) {
		t.Errorf("in scope: %v", got)
	}
}

// TestBrowserTotal: what the list adds up to is what the engine does.
func TestBrowserTotal(t *testing.T) {
	s := querySnapshot(t, "")
	b := browserWith(newBrowser(queryTheme(termenv.Ascii)), s)
	want := fmt.Sprintf("10 of 10 tools · %s tokens", number(s.Assembly.DeferredTokens))
	if view := b.View(158, 46); !strings.Contains(view, want) {
		t.Errorf("no %q in\n%s", want, view)
	}
	browserKeys(b, "/", "t", "e", "a", "m", "s")
	if view := b.View(158, 46); !strings.Contains(view, fmt.Sprintf("1 of 10 tools · %d tokens", b.rows[b.shown[0]].tokens)) {
		t.Errorf("the total of one tool is not its own:\n%s", view)
	}
}

func TestBrowserAsks(t *testing.T) {
	for _, tc := range []struct {
		name string
		keys []string
		ask  tea.Msg
		done bool
	}{
		{"call", []string{"j", "c"}, callMsg{"mcp_harbour_create_issue"}, true},
		{"expect", []string{"j", "e"}, pinMsg{"mcp_harbour_create_issue"}, true},
		{"copy", []string{"G", "k", "k", "y"}, copyMsg{"the schema of entry_add", `{"type":"object","properties":{}}`}, false},
		{"form", []string{"j", "f"}, composeMsg{tool: "mcp_harbour_create_issue"}, true},
		{"call, opened", []string{"j", "enter", "c"}, callMsg{"mcp_harbour_create_issue"}, true},
		{"expect, opened", []string{"j", "enter", "e"}, pinMsg{"mcp_harbour_create_issue"}, true},
		{"copy of a name only", []string{"/", "d", "r", "o", "p", "esc", "y"}, statusMsg{"nothing to copy: a filtered tool is known by its name only"}, false},
		{"no tool", []string{"/", "q", "x", "q", "esc", "c"}, nil, false},
		{"letters are text while typing", []string{"/", "c", "e", "y", "q", "T"}, nil, false},
		{"esc closes", []string{"esc"}, nil, true},
		{"q closes", []string{"q"}, nil, true},
		{"T closes", []string{"T"}, nil, true},
		{"esc leaves the field first", []string{"/", "a", "esc"}, nil, false},
		{"then closes", []string{"/", "a", "esc", "esc"}, nil, true},
		{"esc goes back to the list first", []string{"enter", "esc"}, nil, false},
		{"then closes, too", []string{"enter", "esc", "esc"}, nil, true},
		{"q closes from the tool", []string{"enter", "q"}, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := browserWith(newBrowser(queryTheme(termenv.Ascii)), browserSnapshot(t, nil))
			ask, done := browserKeys(b, tc.keys...)
			if !reflect.DeepEqual(ask, tc.ask) || done != tc.done {
				t.Errorf("asks %v, done %v; want %v, %v", ask, done, tc.ask, tc.done)
			}
		})
	}
}

// shownRows is the rows that a browser shows, in order.
func shownRows(b *browser) (all []*toolRow) {
	for _, i := range b.shown {
		all = append(all, &b.rows[i])
	}
	return all
}

func TestBrowserSorts(t *testing.T) {
	b := browserWith(newBrowser(queryTheme(termenv.Ascii)), browserSnapshot(t, nil))
	first := slices.Clone(b.shown)
	for _, tc := range []struct {
		title string
		less  func(x, y *toolRow) int // what comes first
	}{
		{"dearest first", func(x, y *toolRow) int { return y.tokens - x.tokens }},
		{"by name", func(x, y *toolRow) int { return strings.Compare(x.def.Name, y.def.Name) }},
		{"warnings first", func(x, y *toolRow) int { return y.warnings() - x.warnings() }},
	} {
		browserKeys(b, "o")
		if view := b.View(118, 30); !strings.Contains(view, "Tools · "+tc.title) {
			t.Errorf("the title does not say %q:\n%s", tc.title, view)
		}
		if !slices.IsSortedFunc(shownRows(b), tc.less) || len(b.shown) != len(first) {
			t.Errorf("%s: %v", tc.title, b.shown)
		}
	}
	browserKeys(b, "o")
	if !slices.Equal(b.shown, first) {
		t.Errorf("not in server order again: %v", b.shown)
	}
}

func TestBrowserFilter(t *testing.T) {
	s := browserSnapshot(t, nil)
	type1 := func(text string, more ...string) *browser {
		b := browserWith(newBrowser(queryTheme(termenv.Ascii)), s, "/")
		for _, r := range text {
			browserKeys(b, string(r))
		}
		browserKeys(b, more...)
		return b
	}
	// A text typed letter by letter finds what it finds at once.
	for _, text := range []string{"issue", "cri", "mcp", "HARBOUR", "日本", "list users", "zzz", "a.b"} {
		slow, fast := type1(text), newBrowser(queryTheme(termenv.Ascii))
		fast.input.set(text)
		fast.SetSnapshot(s)
		if !slices.Equal(slow.shown, fast.shown) {
			t.Errorf("%q: %v letter by letter, %v at once", text, slow.shown, fast.shown)
		}
	}
	if b := type1("listx", "backspace"); !slices.Equal(b.shown, type1("list").shown) || len(b.shown) == 0 {
		t.Errorf("after backspace it shows %v", b.shown)
	}
	if b := type1("list", "ctrl+u"); len(b.shown) != len(b.rows) {
		t.Errorf("an empty filter shows %d of %d", len(b.shown), len(b.rows))
	}
	b := type1("list", "esc")
	if r, _ := b.selected(); b.Typing() || r.def.Name != "mcp_odd_listUsers" && r.def.Name != "mcp_harbour_list_issues" {
		t.Errorf("the best match is %s", r.def.Name)
	}
	browserKeys(b, "o", "o")
	if !slices.IsSortedFunc(shownRows(b), func(x, y *toolRow) int { return strings.Compare(x.def.Name, y.def.Name) }) || len(b.shown) == 0 {
		t.Errorf("what passes is not sorted: %v", b.shown)
	}
	b = type1("list", "down", "enter")
	if r, _ := b.selected(); !b.opened || b.Typing() || b.cursor != 1 || !strings.Contains(b.View(118, 30), "Tool "+r.def.Name) {
		t.Errorf("enter opened number %d:\n%s", b.cursor, b.View(118, 30))
	}
	if b := type1(strings.Repeat("x", maxFilter+10)); len([]rune(b.input.text())) != maxFilter {
		t.Errorf("the filter has %d characters", len([]rune(b.input.text())))
	}
}

// TestBrowserKeepsItsTool gives snapshots that come while the browser is open.
func TestBrowserKeepsItsTool(t *testing.T) {
	b := browserWith(newBrowser(queryTheme(termenv.Ascii)), browserSnapshot(t, nil), "/", "t", "a", "g", "g", "enter")
	rows := &b.rows[0]
	same := b.snap
	same.Spinner = "x"
	b.SetSnapshot(same)
	if &b.rows[0] != rows {
		t.Error("the same tools are read anew")
	}
	b.SetSnapshot(browserSnapshot(t, func(c *engine.Config) { c.Listing = engine.Off }))
	if r, ok := b.selected(); !ok || !b.opened || r.def.Tool.Name != "tagged" || r.mode != engine.ModeNone {
		t.Errorf("it shows %v", r)
	}
	if view := b.View(118, 30); !strings.Contains(view, "not in any listing") {
		t.Errorf("the tool is shown as it was:\n%s", view)
	}
	b.SetSnapshot(querySnapshot(t, ""))
	if b.opened || len(b.shown) != 0 {
		t.Errorf("a tool that is gone stays open, with %d shown", len(b.shown))
	}
	browserKeys(b, "/", "ctrl+u", "esc", "G")
	if r, ok := b.selected(); !ok || b.cursor != 9 {
		t.Errorf("the cursor is at %d of %d: %v", b.cursor, len(b.shown), r)
	}
	b.SetSnapshot(Snapshot{})
	if _, ok := b.selected(); ok || !strings.Contains(b.View(78, 21), "no server has listed any") {
		t.Errorf("without a tool it shows\n%s", b.View(78, 21))
	}
}

func TestBrowserNoticesChanges(t *testing.T) {
	s := browserSnapshot(t, nil)
	for name, change := range map[string]func(*Snapshot){
		"settings": func(n *Snapshot) {
			c := n.Assembly.Config
			c.Listing = engine.Off
			n.Assembly, _ = n.Assembly.Retune(c)
		},
		"off":         func(n *Snapshot) { n.Statuses[3].State = mcpconn.StateConnecting },
		"their tools": func(n *Snapshot) { n.Statuses[3].Tools = slices.Clone(n.Statuses[3].Tools) },
		"filtered":    func(n *Snapshot) { n.Statuses[0].Filtered = n.Statuses[0].Filtered[:1] },
		"scope":       func(n *Snapshot) { n.Servers[5].InScope = true },
	} {
		next := s
		next.Statuses, next.Servers = slices.Clone(s.Statuses), slices.Clone(s.Servers)
		if !sameTools(s, next) {
			t.Errorf("%s: a copy is not the same", name)
		}
		if change(&next); sameTools(s, next) {
			t.Errorf("%s: the change is not seen", name)
		}
	}
}

func TestBrowserAt(t *testing.T) {
	for name, want := range map[string]string{
		"mcp_odd_a_b": "a.b", // not the one it keeps out
		"a b":         "a b",
		"tool_search": "tool_search",
		"door":        "door",
		"nothing":     "",
	} {
		b := browserWith(newBrowser(queryTheme(termenv.Ascii)).at(name), browserSnapshot(t, nil))
		r, _ := b.selected()
		if b.opened != (want != "") || b.opened && r.def.Tool.Name != want {
			t.Errorf("at(%q) opened %v", name, r.def.Tool.Name)
		}
		if _, done := browserKeys(b, "esc"); b.opened || done != (want == "") {
			t.Errorf("at(%q): esc closes: %v", name, done)
		}
	}
}

func TestBrowserMouse(t *testing.T) {
	b := browserWith(newBrowser(queryTheme(termenv.Ascii)), browserSnapshot(t, nil))
	row := func(text string) int {
		for y, l := range strings.Split(b.View(78, 21), "\n") {
			if strings.Contains(l, text) {
				return y
			}
		}
		t.Fatalf("no %q in\n%s", text, b.View(78, 21))
		return -1
	}
	b.HandleWheel(4)
	y := row("mcp_odd_silent")
	b.HandleClick(5, y)
	if r, _ := b.selected(); r.def.Tool.Name != "silent" || b.opened {
		t.Fatalf("a click selected %s, opened %v", r.def.Tool.Name, b.opened)
	}
	if row("mcp_odd_silent") != y {
		t.Error("the row went away under the pointer")
	}
	b.HandleClick(5, y)
	if !b.opened || !strings.Contains(b.View(78, 21), "Tool mcp_odd_silent") {
		t.Error("a second click does not open it")
	}
	before := b.View(78, 12)
	b.HandleWheel(3)
	if b.View(78, 12) == before || !b.opened {
		t.Error("the wheel does not scroll the tool")
	}
	b.HandleClick(5, 5)
	browserKeys(b, "esc")
	b.HandleWheel(-100)
	if b.View(78, 21); b.top != 0 || b.cursor > b.height-1 {
		t.Errorf("the wheel leads to row %d from %d", b.cursor, b.top)
	}
	b.HandleWheel(1000)
	if b.View(78, 21); b.top != len(b.shown)-b.height || b.cursor < b.top {
		t.Errorf("the wheel leads to row %d from %d", b.cursor, b.top)
	}
	b.HandleClick(5, 1)
	if !b.Typing() {
		t.Error("a click on the filter does not write it")
	}
	for _, y := range []int{-1, 0, 2, 16, 17, 20, 21, 1000} {
		b.HandleClick(-1, y)
		b.View(78, 21)
	}
}

// TestBrowserScroll walks all rows and back: the cursor stays in sight.
func TestBrowserScroll(t *testing.T) {
	b := browserWith(newBrowser(queryTheme(termenv.Ascii)), browserSnapshot(t, nil))
	for _, size := range [][2]int{{158, 46}, {78, 21}, {38, 7}} {
		for _, k := range []string{"j", "k", "pgdown", "pgup"} {
			for range len(b.rows) + 1 {
				b.HandleKey(queryKey(k))
				if view := b.View(size[0], size[1]); !strings.Contains(view, "│› ") {
					t.Fatalf("%v, %s: the cursor is out of sight:\n%s", size, k, view)
				}
			}
		}
	}
}

// browserHostile is a snapshot of servers that send what nobody should.
func browserHostile(tb testing.TB) Snapshot {
	tb.Helper()
	evil := "\x1b[31mcreate\x1b]52;c;eA==\a \u202eissue\u009b2J \U000e0041 日本語\u200b\n\tcreate"
	var status mcpconn.ServerStatus
	for _, raw := range queryHostile()["evil\x1b[2J"] {
		status.Tools = append(status.Tools, browserTool(tb, string(raw)))
	}
	status.Name, status.State, status.Filtered = "evil\x1b[2J", mcpconn.StateReady, []string{evil, strings.Repeat("日本語", 1<<12)}
	status.Config.Exclude = []string{evil}
	status.Warnings = []engine.Warning{{Key: "create", Message: evil}}
	off := status
	off.Name, off.State = "日本語", mcpconn.StateOff
	byHand := engine.Tool{Name: evil, Description: evil + strings.Repeat("日本語 ", 1<<14), Schema: json.RawMessage(evil + strings.Repeat("日本語", 1<<14))}
	session := engine.Session{Catalog: engine.Catalog{
		Servers: []engine.Server{{Name: status.Name, Tools: status.Tools}},
		Plugins: []engine.Toolset{{Name: evil, Tools: []engine.Tool{byHand}}},
		Core: []engine.Tool{
			browserTool(tb, `{"name":"deep","inputSchema":{"a":`+strings.Repeat("[", 60)+strings.Repeat("]", 60)+`}}`),
			browserTool(tb, `{"name":"wide","inputSchema":{"a":`+string(mustJSON(strings.Repeat("日本語"+evil, 200)))+`}}`),
		},
	}}
	return Snapshot{
		Assembly: engine.Assemble(session, engine.Config{ToolSearch: engine.DefaultToolSearch()}),
		Catalog:  session.Catalog, Statuses: []mcpconn.ServerStatus{status, off},
	}
}

func TestBrowserSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("renders some thousand frames")
	}
	sizes := [][2]int{{-1, -1}, {0, 0}, {1, 1}, {3, 40}, {11, 9}, {12, 5}, {38, 4}, {38, 7}, {38, 8}, {53, 12}, {61, 18}, {75, 18}, {100, 19}, {118, 34}, {158, 46}}
	for name, s := range map[string]Snapshot{"places": browserSnapshot(t, nil), "hostile": browserHostile(t), "zero": {}, "off": browserGiant(t, 5, mcpconn.StateOff)} {
		t.Run(name, func(t *testing.T) {
			b := browserWith(newBrowser(queryTheme(termenv.TrueColor)), s)
			look := func() {
				for _, size := range sizes {
					queryEveryCell(t, b.View(size[0], size[1]), size[0], size[1])
				}
			}
			look()
			for range min(len(b.rows), 8) {
				browserKeys(b, "enter")
				look()
				browserKeys(b, "G")
				look()
				browserKeys(b, "esc", "j")
			}
			for _, keys := range [][]string{{"/", "日", "\u202e"}, {"backspace", "backspace", "e"}, {"esc", "o"}, {"o"}, {"G", "o"}} {
				browserKeys(b, keys...)
				look()
			}
		})
	}
}

// TestBrowserBounds: a tool of any size opens as fast as a large honest one.
func TestBrowserBounds(t *testing.T) {
	property := `"p` + strings.Repeat("x", 40) + `":{"type":"string"}`
	schema := `{"properties":{` + property + strings.Repeat(","+property, 1<<14) + `}}`
	d := engine.Definition{Name: "big", Source: engine.SourceCore, Tool: engine.Tool{Name: "big", Description: strings.Repeat("word ", 1<<18), Schema: json.RawMessage(schema)}}
	r := &toolRow{def: &d}
	for _, width := range []int{36, 76, 156} {
		got := toolLines(queryTheme(termenv.Ascii), Snapshot{}, r, width)
		if len(got) > maxShown {
			t.Errorf("%d lines", len(got))
		}
		text := strings.Join(strings.Fields(strings.Join(got, " ")), " ")
		for _, want := range []string{"cut here: 1,310,720 bytes in all", fmt.Sprintf("cut here: %s bytes in all, y copies them", number(len(schema)))} {
			if !strings.Contains(text, want) {
				t.Errorf("%d wide: does not say %q", width, want)
			}
		}
	}
}

func TestBrowserDetailSays(t *testing.T) {
	for name, want := range map[string][]string{
		"create_issue":    {"server harbour · group harbour", "behind the bridge, listed with its short description", "99 tokens", "does not say that it only reads", "Open an issue in a repository.", `"assignee": {`},
		"listUsers":       {"no query for “list” or “Users” finds it", "read-only, it says"},
		"a.b":             {"have one wire name"},
		"a b":             {"have one wire name, mcp_odd_a_b: the first is used", "another tool has its wire name"},
		"tagged":          {"3 characters a person would not see", "2 in its description, 1 in its schema", `"a‹200B›"`},
		"silent":          {"it has no description", "its description is a number"},
		"delete_repo":     {"left out by tools.exclude of harbour: delete_*, drop_everything", "before it was read"},
		"tune":            {"server radio failed: exit status 1; this is"},
		"find":            {"server archive is off"},
		"sound":           {"server charts is connecting"},
		"door":            {"toolset mcp-secret is not in this session"},
		"tool_search":     {"it has the name of a bridge tool", "plugin logbook"},
		"mcp_odd_very_":   nil,
		"entry_add":       {"plugin logbook · group logbook"},
		"日本語の道具":          {`"名前": {`, `"一",`, `"maxLength": 1e3,`, `"nullable": true`},
		"drop_everything": {"left out by tools.exclude"},
	} {
		b := browserWith(newBrowser(queryTheme(termenv.Ascii)).at(name), browserSnapshot(t, nil))
		text := strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(b.View(158, 46))), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", name, w, b.View(158, 46))
			}
		}
	}
}

// TestBrowserOnScreen opens the browser by its key and follows what it asks.
func TestBrowserOnScreen(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("T").sees("Tools · server order", "mcp_harbour_berth_list", "entry_add", "read_file")
	b.press("/", "q", "ctrl+p", "T").sees("nothing matches").press("esc", "esc").lacks("nothing matches")
	b.press("T", "/", "gale", "enter").sees("Tool mcp_weather_gale_warning", "Warnings in force.", `"verbose": {`)
	b.press("y")
	if len(b.copied) != 1 || !json.Valid([]byte(b.copied[0])) || !strings.Contains(b.copied[0], "verbose") {
		t.Errorf("copied %q", b.copied)
	}
	b.press("c").lacks("Tools ·").sees("mcp_weather_gale_warning")
	if b.m.sheet != nil || b.m.focus != paneCall {
		t.Error("c did not lead to the call pane")
	}
	b.press("T", "/", "sea", "esc", "e")
	if b.m.sheet != nil || b.m.pin != "mcp_weather_sea_state" {
		t.Errorf("e expects %q", b.m.pin)
	}
	b.send(sheetMsg{newBrowser(b.m.theme).at("run")}).sees("Tool run", "the core")
	b.press("esc", "esc", "2", "t", "T", "/", "berth_list").sees("no scope")
	b.press("esc", "esc", ":", "tools: every", "enter").sees("Tools · server order")
}

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
