package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/mcpconn"
)

// queryTheme is a theme of a fixed profile on a dark ground.
func queryTheme(profile termenv.Profile) theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true)
	return newTheme(r)
}

// queryTool is one tool as a server would list it.
func queryTool(name, description string, required []string, optional ...string) json.RawMessage {
	properties := map[string]any{}
	for _, p := range append(append([]string(nil), required...), optional...) {
		properties[p] = map[string]any{"type": "string"}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if required != nil {
		schema["required"] = required
	}
	raw, err := json.Marshal(map[string]any{"name": name, "description": description, "inputSchema": schema})
	if err != nil {
		panic(err)
	}
	return raw
}

// queryAssembly assembles servers of tools with the defaults.
func queryAssembly(tb testing.TB, set func(*engine.Config), servers map[string][]json.RawMessage, order ...string) engine.Assembly {
	tb.Helper()
	var c engine.Catalog
	for _, name := range order {
		s := engine.Server{Name: name}
		for _, raw := range servers[name] {
			tool, _, err := engine.ParseTool(raw)
			if err != nil {
				tb.Fatal(err)
			}
			s.Tools = append(s.Tools, tool)
		}
		c.Servers = append(c.Servers, s)
	}
	cfg := engine.Config{
		ToolSearch: engine.ToolSearch{
			Enabled: engine.Auto, ThresholdPct: 5, SearchDefaultLimit: 5, MaxSearchLimit: 25, Listing: engine.Auto, ListingMaxTokens: 4000,
		},
		ContextLength: 200000,
	}
	if set != nil {
		set(&cfg)
	}
	return engine.Assemble(engine.Session{Catalog: c}, cfg)
}

// queryServers is a small catalog with enough in common to rank.
func queryServers() map[string][]json.RawMessage {
	return map[string][]json.RawMessage{
		"harbour": {
			queryTool("create_issue", "Open an issue in a repository. Labels and an assignee are optional; the number of the new issue comes back.", []string{"repo", "title"}, "body", "labels", "assignee"),
			queryTool("list_issues", "List the issues of a repository, newest first.", []string{"repo"}, "state", "page"),
			queryTool("close_issue", "Close an issue with a reason.", []string{"repo", "number"}, "reason"),
			queryTool("create_release", "Tag a commit and publish release notes.", []string{"repo", "tag"}, "notes"),
			queryTool("search_code", "Search the code of every repository you can read.", []string{"query"}),
		},
		"tracker": {
			queryTool("create_issue", "Create an issue for a team.", []string{"team", "title"}, "description", "priority"),
			queryTool("assign_issue", "Assign an issue to a person.", []string{"issue", "person"}),
			queryTool("list_teams", "", nil),
		},
		"post": {
			queryTool("send_message", "Send a message to a channel or a person.", []string{"channel", "text"}),
			queryTool("list_channels", "List the channels you may write to.", nil, "cursor"),
		},
	}
}

// querySnapshot is a snapshot with the results of a query line.
func querySnapshot(tb testing.TB, line string) Snapshot {
	tb.Helper()
	return querySearch(Snapshot{
		Assembly: queryAssembly(tb, nil, queryServers(), "harbour", "tracker", "post"),
		Servers:  []Server{{Name: "harbour", State: mcpconn.StateReady}, {Name: "tracker", State: mcpconn.StateReady}, {Name: "post", State: mcpconn.StateReady}},
	}, line)
}

// querySearch does what the model does with a query line.
func querySearch(s Snapshot, line string) Snapshot {
	s.Queries = nil
	for _, q := range splitQueries(line) {
		s.Queries = append(s.Queries, s.Assembly.SearchBelow(q, 0, maxBelow))
	}
	s.Took = 41 * time.Microsecond
	return s
}

// queryPaneWith is a pane that a query line was typed into.
func queryPaneWith(t theme, s Snapshot, line string, width, height int) *queryPane {
	p := newQueryPane(t)
	p.SetSize(width, height)
	p.field.set(line)
	p.SetSnapshot(s)
	return p
}

func queryKeys(p pane, keys ...string) (last tea.Msg) {
	for _, k := range keys {
		last, _ = p.HandleKey(queryKey(k))
	}
	return last
}

func queryKey(k string) tea.KeyMsg {
	named := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "tab": tea.KeyTab,
		"ctrl+u": tea.KeyCtrlU, "ctrl+r": tea.KeyCtrlR, "ctrl+o": tea.KeyCtrlO,
	}
	if kind, ok := named[k]; ok {
		return tea.KeyMsg{Type: kind}
	}
	if k == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(k)}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// queryEveryCell fails unless a view is exactly width × height cells and
// carries no control character but those of styles.
func queryEveryCell(t *testing.T, view string, width, height int) {
	t.Helper()
	if width <= 0 || height <= 0 {
		if view != "" {
			t.Errorf("%d×%d: %q where nothing fits", width, height, view)
		}
		return
	}
	rows := strings.Split(view, "\n")
	if len(rows) != height {
		t.Fatalf("%d×%d: %d lines", width, height, len(rows))
	}
	for i, r := range rows {
		if w := ansi.StringWidth(r); w != width {
			t.Errorf("%d×%d: line %d is %d cells wide: %q", width, height, i, w, r)
		}
		for _, c := range ansi.Strip(r) {
			if c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x202e || c >= 0xe0000 {
				t.Errorf("%d×%d: line %d has %U", width, height, i, c)
			}
		}
	}
}

func TestQueryFrames(t *testing.T) {
	ascii := queryTheme(termenv.Ascii)
	for _, tc := range []struct {
		name          string
		line          string
		width, height int
		keys          []string
	}{
		{"ranking at 160x48", "create issues", 106, 14, nil},
		{"ranking at 120x36", "create issues", 74, 9, nil},
		{"ranking at 80x24", "create issues", 78, 19, nil},
		{"second of three at 160x48", "create issue ; send frobnicate message ; 日本語", 106, 14, []string{"right"}},
		{"second of three at 120x36", "create issue ; send frobnicate message ; 日本語", 74, 9, []string{"."}},
		{"no token", "create issue ; send message ; 日本語", 106, 14, []string{"right", "right"}},
		{"in no tool", "frobnicate zzz", 106, 14, nil},
		{"substring", "arbour", 106, 14, nil},
		{"exact name", "mcp_tracker_create_issue", 106, 14, nil},
		{"typing", "create issue", 106, 14, []string{"/", "s"}},
		{"detail at 160x48", "create an issue for a team", 106, 14, []string{"down", "enter"}},
		{"detail at 80x24", "create an issue for a team", 78, 19, []string{"enter"}},
		{"detail of exact", "mcp_tracker_create_issue", 78, 19, []string{"enter"}},
		{"empty", "", 106, 14, nil},
		{"empty, an example chosen", "", 74, 9, []string{"down", "down"}},
		{"small", "create issue ; send message", 40, 6, nil},
		{"least", "create issue", 10, 3, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := queryPaneWith(ascii, querySnapshot(t, tc.line), tc.line, tc.width, tc.height)
			p.SetFocus(true)
			queryKeys(p, tc.keys...)
			view := p.View()
			queryEveryCell(t, view, tc.width, tc.height)
			golden.RequireEqual(t, view)
		})
	}
}

func TestQueryColours(t *testing.T) {
	line := "create issues frobnicate ; send message"
	p := queryPaneWith(queryTheme(termenv.TrueColor), querySnapshot(t, line), line, 106, 14)
	golden.RequireEqual(t, p.View())
}

// TestQueryNothingToSearch has every reason why nothing can be found.
func TestQueryNothingToSearch(t *testing.T) {
	none := queryAssembly(t, nil, nil)
	off := queryAssembly(t, func(c *engine.Config) { c.Enabled = engine.Off }, queryServers(), "post")
	for _, tc := range []struct {
		name string
		snap Snapshot
		want string
	}{
		{"connecting", Snapshot{Assembly: none, Servers: []Server{{State: mcpconn.StateConnecting}, {State: mcpconn.StateFailed}, {Plugin: true, State: mcpconn.StateReady}}}, "1 of 2 servers still connecting"},
		{"failed", Snapshot{Assembly: none, Servers: []Server{{State: mcpconn.StateFailed}}}, "1 of 1 server failed"},
		{"no server", Snapshot{Assembly: none}, "Tier 0: no tool is deferred"},
		{"before the first assembly", Snapshot{}, "Tier 0: no tool is deferred"},
		{"switched off", Snapshot{Assembly: off}, "Tier 0: tool search is off"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, line := range []string{"", "send message"} {
				p := queryPaneWith(queryTheme(termenv.Ascii), querySearch(tc.snap, line), line, 106, 14)
				view := p.View()
				queryEveryCell(t, view, 106, 14)
				if !strings.Contains(view, tc.want) {
					t.Errorf("query %q: no %q in\n%s", line, tc.want, view)
				}
				if strings.Contains(view, "in no tool") {
					t.Errorf("query %q: blames the words where there are no tools:\n%s", line, view)
				}
			}
		})
	}
}

func TestQueryNoHitsSaysWhy(t *testing.T) {
	for line, want := range map[string]string{
		"日本語":        "has no token",
		"?!":         "has no token",
		"frobnicate": "none of its tokens is in any of the 10 tools",
	} {
		p := queryPaneWith(queryTheme(termenv.Ascii), querySnapshot(t, line), line, 106, 14)
		if view := p.View(); !strings.Contains(view, want) {
			t.Errorf("query %q: no %q in\n%s", line, want, view)
		}
	}
}

func TestQueryTyping(t *testing.T) {
	p := newQueryPane(queryTheme(termenv.Ascii))
	p.SetSize(106, 14)
	snap := querySnapshot(t, "")
	p.SetSnapshot(snap)
	if p.Typing() {
		t.Fatal("types before anybody asked")
	}
	if msg, handled := p.HandleKey(queryKey("q")); handled || msg != nil {
		t.Errorf("q in browse mode gave %v, %v", msg, handled)
	}
	queryKeys(p, "/")
	if !p.Typing() {
		t.Fatal("/ does not start typing")
	}
	for _, k := range []string{"q", "?", "c", "y", "/", "1", "[", " ", ":", "tab"} {
		msg, handled := p.HandleKey(queryKey(k))
		if !handled {
			t.Errorf("%q was not taken", k)
		}
		if k == "tab" {
			if msg != nil {
				t.Errorf("tab gave %v", msg)
			}
			continue
		}
		if q, ok := msg.(queryMsg); !ok || !strings.HasSuffix(q.text, k) {
			t.Errorf("%q gave %v", k, msg)
		}
	}
	if msg := queryKeys(p, "left"); msg != nil {
		t.Errorf("moving the caret gave %v", msg)
	}
	if msg := queryKeys(p, "enter"); msg != nil || p.Typing() {
		t.Errorf("enter gave %v, typing %v", msg, p.Typing())
	}
	queryKeys(p, "i", "esc")
	if p.Typing() {
		t.Error("esc does not leave")
	}
	queryKeys(p, "i")
	p.SetFocus(false)
	if p.Typing() {
		t.Error("types without the focus")
	}
}

func TestQueryPaste(t *testing.T) {
	paste := func(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true} }
	for _, tc := range []struct{ name, in, want string }{
		{"one line", "create issue", "create issue"},
		{"several lines", "create issue\r\nsend message\n\n  list teams\n", "create issue ; send message ; list teams"},
		{"a line with its end", "create issue\n", "create issue"},
		{"line breaks alone", "\n\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newQueryPane(queryTheme(termenv.Ascii))
			p.SetSize(80, 10)
			p.StartTyping()
			msg, _ := p.HandleKey(paste(tc.in))
			if got := strings.TrimSpace(p.field.text()); got != tc.want {
				t.Errorf("the line is %q, want %q (message %v)", got, tc.want, msg)
			}
		})
	}
	t.Run("more than it holds", func(t *testing.T) {
		p := newQueryPane(queryTheme(termenv.Ascii))
		p.SetSize(80, 10)
		p.StartTyping()
		p.HandleKey(paste(strings.Repeat("word ", 10000)))
		if n := len([]rune(p.field.text())); n != maxQueryChars {
			t.Errorf("the line has %d characters", n)
		}
		if view := p.View(); !strings.Contains(view, "cut at 4,096 characters") {
			t.Errorf("does not say that it cut:\n%s", view)
		}
	})
}

// TestQueryFollowsCaret types three queries: the one being written is the one
// shown.
func TestQueryFollowsCaret(t *testing.T) {
	p := newQueryPane(queryTheme(termenv.Ascii))
	p.SetSize(106, 14)
	snap := querySnapshot(t, "")
	p.SetSnapshot(snap)
	p.StartTyping()
	for _, r := range "create ; send ; list" {
		k := queryKey(string(r))
		if msg, ok := queryKeys(p, string(r)).(queryMsg); ok {
			snap = querySearch(snap, msg.text)
			p.SetSnapshot(snap)
		} else {
			t.Fatalf("%v asked for no search", k)
		}
	}
	if p.query != 2 {
		t.Errorf("shows query %d while the third is written", p.query)
	}
	queryKeys(p, "home")
	if p.query != 0 {
		t.Errorf("shows query %d with the caret in the first", p.query)
	}
	queryKeys(p, "enter", "right", "right", "right")
	if p.query != 2 {
		t.Errorf("→ leads to query %d", p.query)
	}
	queryKeys(p, ",", "left", "left")
	if p.query != 0 {
		t.Errorf("← leads to query %d", p.query)
	}
}

func TestQueryBrowse(t *testing.T) {
	line := "create issue"
	p := queryPaneWith(queryTheme(termenv.Ascii), querySnapshot(t, line), line, 106, 14)
	first := p.snap.Queries[0].Hits[0].Name
	second := p.snap.Queries[0].Hits[1].Name
	if name, ok := p.Selected(); !ok || name != first {
		t.Errorf("selected %q, %v; want %q", name, ok, first)
	}
	if msg := queryKeys(p, "j", "c"); msg != (callMsg{second}) {
		t.Errorf("c gave %v", msg)
	}
	if msg := queryKeys(p, "y"); msg != (copyMsg{"wire name", second}) {
		t.Errorf("y gave %v", msg)
	}
	queryKeys(p, "enter")
	if p.detail.name != second || !strings.Contains(p.View(), "required") {
		t.Errorf("enter opened %q:\n%s", p.detail.name, p.View())
	}
	if msg := queryKeys(p, "c"); msg != (callMsg{second}) {
		t.Errorf("c on the opened hit gave %v", msg)
	}
	if _, handled := p.HandleKey(queryKey("esc")); !handled || p.detail.name != "" {
		t.Error("esc does not close the detail")
	}
	if _, handled := p.HandleKey(queryKey("esc")); handled {
		t.Error("esc with nothing open is taken")
	}
	queryKeys(p, "g")
	if p.cursor != onInput {
		t.Errorf("g leads to row %d", p.cursor)
	}
	if _, ok := p.Selected(); ok {
		t.Error("a hit is selected with the cursor on the query line")
	}
	queryKeys(p, "enter")
	if !p.Typing() {
		t.Error("enter on the query line does not start typing")
	}
}

func TestQueryExample(t *testing.T) {
	p := newQueryPane(queryTheme(termenv.Ascii))
	p.SetSize(106, 14)
	p.SetSnapshot(querySnapshot(t, ""))
	want := p.examples()
	if msg := queryKeys(p, "down", "down", "enter"); msg != (queryMsg{want[1].query}) {
		t.Errorf("enter on the second example gave %v", msg)
	}
	p = newQueryPane(queryTheme(termenv.Ascii))
	p.SetSize(106, 14)
	p.SetSnapshot(querySnapshot(t, ""))
	if msg := p.HandleClick(5, queryRow(t, p, want[2].query)); msg != (queryMsg{want[2].query}) {
		t.Errorf("a click on the third example gave %v", msg)
	}
}

// queryRow is the line of a view that has a text.
func queryRow(t *testing.T, p pane, text string) int {
	t.Helper()
	for i, l := range strings.Split(p.View(), "\n") {
		if strings.Contains(l, text) {
			return i
		}
	}
	t.Fatalf("no %q in\n%s", text, p.View())
	return -1
}

func TestQueryClick(t *testing.T) {
	line := "create issue ; list"
	p := queryPaneWith(queryTheme(termenv.Ascii), querySnapshot(t, line), line, 106, 14)
	third := p.snap.Queries[0].Hits[2].Name
	p.HandleClick(10, queryRow(t, p, third))
	if name, _ := p.Selected(); name != third {
		t.Errorf("a click selected %q, want %q", name, third)
	}
	tabs := strings.Split(p.View(), "\n")[1]
	p.HandleClick(strings.Index(tabs, "list"), 1)
	if p.query != 1 {
		t.Errorf("a click on the second tab shows query %d", p.query)
	}
	p.HandleClick(10, 0)
	if !p.Typing() {
		t.Error("a click on the query line does not start typing")
	}
	for _, y := range []int{-1, 13, 14, 1000} {
		p.HandleClick(-1, y) // beside everything: nothing to select, nothing to break
	}
}

// TestQueryScroll walks a ranking longer than the pane.
func TestQueryScroll(t *testing.T) {
	snap := querySnapshot(t, "")
	snap.Assembly.Config.SearchDefaultLimit = 25
	snap = querySearch(snap, "list issue create send close")
	p := queryPaneWith(queryTheme(termenv.Ascii), snap, "list issue create send close", 80, 6)
	hits := len(snap.Queries[0].Hits)
	if !strings.Contains(p.Foot(), fmt.Sprintf("↓ %d more", hits-4)) {
		t.Errorf("does not say how much is hidden:\n%s", p.View())
	}
	for range hits + 3 {
		queryKeys(p, "down")
		if view := p.View(); !strings.Contains(view, "› ") {
			t.Fatalf("the cursor is out of sight:\n%s", view)
		}
	}
	if !strings.Contains(p.Foot(), fmt.Sprintf("↑ %d more", hits-4)) {
		t.Errorf("does not say how much is above:\n%s", p.View())
	}
	p.HandleWheel(-1000)
	if p.cursor != 0 || p.top != 0 {
		t.Errorf("the wheel leads to row %d from %d", p.cursor, p.top)
	}
}

// TestQueryDetailCloses takes the opened tool away.
func TestQueryDetailCloses(t *testing.T) {
	line := "send message"
	p := queryPaneWith(queryTheme(termenv.Ascii), querySnapshot(t, line), line, 106, 14)
	queryKeys(p, "enter")
	if p.detail.name != "mcp_post_send_message" {
		t.Fatalf("opened %q", p.detail.name)
	}
	p.SetSnapshot(querySearch(Snapshot{Assembly: queryAssembly(t, nil, queryServers(), "harbour")}, line))
	if p.detail.name != "" {
		t.Error("shows a tool that is no longer there")
	}
	queryEveryCell(t, p.View(), 106, 14)
}

// queryHostile is a server that sends what nobody should.
func queryHostile() map[string][]json.RawMessage {
	evil := "\x1b[31mcreate\x1b]52;c;eA==\a \u202eissue\u009b2J \U000e0041 日本語\u200b\n\tcreate"
	return map[string][]json.RawMessage{
		"evil\x1b[2J": {
			queryTool("create\x1b[2J"+evil, evil, []string{"re\x1b[0mpo", "\u202etitle"}),
			queryTool("create_"+strings.Repeat("x", 1<<20), strings.Repeat("create \x1b[31m日本語 ", 1<<16), []string{strings.Repeat("p", 1<<20)}),
			[]byte(`{"name":"create","description":"create","inputSchema":{"type":"object","properties":[],"required":{"a":1}}}`),
		},
	}
}

func TestQuerySizes(t *testing.T) {
	if testing.Short() {
		t.Skip("renders some thousand frames")
	}
	hostile := Snapshot{Assembly: queryAssembly(t, nil, queryHostile(), "evil\x1b[2J")}
	states := map[string]func() (Snapshot, string){
		"zero":    func() (Snapshot, string) { return Snapshot{}, "" },
		"empty":   func() (Snapshot, string) { return querySnapshot(t, ""), "" },
		"ranking": func() (Snapshot, string) { return querySnapshot(t, "create issue"), "create issue" },
		"eleven": func() (Snapshot, string) {
			line := strings.Repeat("create issue ; 日本語 ; ", 6) + "send"
			return querySnapshot(t, line), line
		},
		"many tokens": func() (Snapshot, string) {
			line := strings.Repeat("creating issues frobnicated ", 40) + strings.Repeat("x", 1000)
			return querySnapshot(t, line), line
		},
		"hostile": func() (Snapshot, string) {
			line := "create \u202eissue\x1b[31m ; \x1b]52;"
			return querySearch(hostile, line), line
		},
	}
	sizes := [][2]int{{0, 0}, {1, 1}, {10, 3}, {3, 10}, {17, 4}, {24, 5}, {30, 8}, {47, 7}, {50, 12}, {74, 9}, {78, 19}, {106, 14}, {158, 45}, {300, 3}}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			snap, line := state()
			for _, size := range sizes {
				p := queryPaneWith(queryTheme(termenv.TrueColor), snap, line, size[0], size[1])
				for _, keys := range [][]string{nil, {"down"}, {"enter"}, {"end"}, {"esc", "/"}, {"left", "x", "home"}, {"esc", "right", "enter", "G"}} {
					queryKeys(p, keys...)
					queryEveryCell(t, p.View(), size[0], size[1])
					p.Title()
				}
			}
		})
	}
}

// TestQueryGiant ranks among 3,300 tools.
func TestQueryGiant(t *testing.T) {
	servers := map[string][]json.RawMessage{}
	for i := range 3300 {
		servers["sky"] = append(servers["sky"], queryTool(fmt.Sprintf("zone_%04d_settings_update", i), fmt.Sprintf("Update setting %d of a zone.", i), []string{"zone"}))
	}
	snap := querySearch(Snapshot{Assembly: queryAssembly(t, nil, servers, "sky")}, "update zone 17")
	p := queryPaneWith(queryTheme(termenv.Ascii), snap, "update zone 17", 106, 14)
	queryEveryCell(t, p.View(), 106, 14)
	if _, note := p.Title(); note != "first 5 of 3,300 tools found" {
		t.Errorf("the note is %q", note)
	}
	if !strings.Contains(p.View(), "df 3,300") {
		t.Errorf("no df in\n%s", p.View())
	}
}

func TestParametersOfAnything(t *testing.T) {
	for _, tc := range []struct {
		schema             string
		required, optional string
	}{
		{`{"properties":{"b":{},"a":{}},"required":["b"]}`, "b", "a"},
		{`{"properties":{"a":true},"required":"a"}`, "", "a"},
		{`{"properties":[1],"required":[1,null,"x"]}`, "x", ""},
		{`true`, "", ""},
		{``, "", ""},
	} {
		required, optional := parameters([]byte(tc.schema))
		if strings.Join(required, ",") != tc.required || strings.Join(optional, ",") != tc.optional {
			t.Errorf("%s: %v, %v", tc.schema, required, optional)
		}
	}
}

func TestSpent(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 µs", 41 * time.Microsecond: "41 µs", 1234 * time.Microsecond: "1.2 ms", 3400 * time.Millisecond: "3.4 s",
	} {
		if got := spent(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
