package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"
	"go.uber.org/goleak"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
)

// teatest never stops waiting for an interrupt of its own.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/charmbracelet/x/exp/teatest.NewTestModel.func2"))
}

// fakeServers is the servers of a test: it says what was asked of them.
type fakeServers struct {
	events chan mcpconn.ServerEvent
	asked  *[]string
}

func (f fakeServers) Events() <-chan mcpconn.ServerEvent { return f.events }

func (f fakeServers) ask(what, server string) error {
	*f.asked = append(*f.asked, what+" "+server)
	if server == "broken" {
		return errors.New("broken cannot be switched")
	}
	return nil
}

func (f fakeServers) Enable(server string) error  { return f.ask("enable", server) }
func (f fakeServers) Disable(server string) error { return f.ask("disable", server) }
func (f fakeServers) Retry(server string) error   { return f.ask("retry", server) }

func (f fakeServers) Ping(_ context.Context, server string) (time.Duration, error) {
	return 7 * time.Millisecond, f.ask("ping", server)
}

func (f fakeServers) SignIn(_ context.Context, server string) (*mcpconn.SignIn, error) {
	return nil, fmt.Errorf("server %s does not have auth: oauth", server)
}

func (f fakeServers) Call(ctx context.Context, server, tool string, args json.RawMessage, _ func(mcpconn.Progress)) (json.RawMessage, error) {
	f.ask("call", server+" "+tool+" "+string(args))
	if tool == "sea_state" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return json.RawMessage(`{"content":[{"type":"text","text":"calm"}]}`), nil
}

func (f fakeServers) Apply(servers []config.Server) (enabled []string) {
	for _, s := range servers {
		if s.Enabled {
			enabled = append(enabled, s.Name)
		}
	}
	f.ask("apply", strings.Join(enabled, " "))
	return enabled
}

// bench is a model in a test, with what it did outside.
type bench struct {
	tb     testing.TB
	m      model
	asked  []string
	copied []string
	now    time.Time
}

// newBench makes a model of a configuration of three servers and a plugin,
// none of which has answered.
func newBench(tb testing.TB, profile termenv.Profile, width, height int) *bench {
	return newBenchOn(tb, profile, true, width, height)
}

// newBenchOn makes one on a dark background, or a light one.
func newBenchOn(tb testing.TB, profile termenv.Profile, dark bool, width, height int) *bench {
	b := &bench{tb: tb, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(dark)
	s := newStage(tb)
	b.m = newModel(setup{
		config: config.Config{
			Path: "harbour.yaml",
			Servers: []config.Server{
				{Name: "harbour", Enabled: true, Trust: "untrusted"}, {Name: "weather", Enabled: true, Parallel: true}, {Name: "registry"},
			},
			Engine:   engine.Config{ToolSearch: engine.DefaultToolSearch(), ContextLength: 200000},
			Plugins:  []engine.Toolset{{Name: "logbook", Tools: s.tools("entry_add: Write into the log.", "entry_find: Find entries.")}},
			Core:     s.tools("read_file: Read a file.", "run: Run a command."),
			Sessions: []config.Session{{Name: "deckhand", Scope: engine.Scope{Enabled: []string{"mcp-weather"}}}},
			Warnings: []engine.Warning{{Key: "tools.tool_search.listing_max_token", Message: "is no key and is ignored"}},
		},
		conns: fakeServers{make(chan mcpconn.ServerEvent), &b.asked},
		theme: newTheme(r),
		work:  newWork(tb.Context()),
		clock: func() time.Time { return b.now },
		tick:  func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil },
		copy:  func(text string) error { b.copied = append(b.copied, text); return nil },
	})
	b.send(tea.WindowSizeMsg{Width: width, Height: height})
	return b
}

// send gives the model messages, and runs what they lead to, save for waits.
func (b *bench) send(msgs ...tea.Msg) *bench {
	b.tb.Helper()
	for _, msg := range msgs {
		next, _ := b.m.Update(msg)
		b.m = next.(model)
	}
	return b
}

// press gives it keys: "tab", "ctrl+c", "shift+left", or runes.
func (b *bench) press(keys ...string) *bench {
	b.tb.Helper()
	for _, k := range keys {
		b.send(keyMsg(k))
		b.now = b.now.Add(2 * time.Second)
	}
	return b
}

// do gives it a key, and whatever comes of it, to the end.
func (b *bench) do(key string) *bench {
	b.tb.Helper()
	for msgs := []tea.Msg{keyMsg(key)}; len(msgs) > 0; msgs = msgs[1:] {
		next, cmd := b.m.Update(msgs[0])
		b.m = next.(model)
		msgs = append(msgs, runCmd(cmd)...)
	}
	b.view()
	return b
}

func keyMsg(k string) tea.KeyMsg {
	named := map[string]tea.KeyType{
		"tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "enter": tea.KeyEnter, "esc": tea.KeyEsc, "ctrl+c": tea.KeyCtrlC, "ctrl+p": tea.KeyCtrlP,
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "shift+left": tea.KeyShiftLeft, "shift+right": tea.KeyShiftRight,
		"shift+up": tea.KeyShiftUp, "shift+down": tea.KeyShiftDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "ctrl+r": tea.KeyCtrlR, "ctrl+o": tea.KeyCtrlO, "ctrl+e": tea.KeyCtrlE, " ": tea.KeySpace,
	}
	if t, ok := named[k]; ok {
		if t == tea.KeySpace {
			return tea.KeyMsg{Type: t, Runes: []rune(" ")}
		}
		return tea.KeyMsg{Type: t}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// answers lets servers answer with their tools.
func (b *bench) answers(giant int) *bench {
	b.tb.Helper()
	town := harbourTown(b.tb, giant)
	var all eventsMsg
	for _, s := range town.catalog.Servers {
		all = append(all, mcpconn.ServerEvent{Server: s.Name, At: b.now, Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: s.Tools, Info: mcpconn.ServerInfo{Name: s.Name, Version: "1", Offers: "tools"}})
	}
	return b.send(all)
}

// view is the frame, which must have exactly the screen's size.
func (b *bench) view() string {
	b.tb.Helper()
	v := b.m.View()
	checkFrame(b.tb, v, b.m.width, b.m.height)
	return v
}

// checkFrame holds a frame to its size and to what may be in one.
func checkFrame(tb testing.TB, v string, width, height int) {
	tb.Helper()
	rows := strings.Split(v, "\n")
	if width >= minWidth && height >= minHeight && len(rows) != height {
		tb.Fatalf("%d lines on a screen of %d:\n%s", len(rows), height, ansi.Strip(v))
	}
	for i, l := range rows {
		if w := ansi.StringWidth(l); w > width {
			tb.Fatalf("line %d takes %d cells of %d: %q", i, w, width, ansi.Strip(l))
		}
	}
	if bad := hostileIn(v); bad != "" {
		tb.Fatalf("the frame has %s:\n%q", bad, v)
	}
}

// hostileIn names what of a frame could act on a terminal, "" where nothing
// can: its own colours are taken out first.
func hostileIn(v string) string {
	if !utf8.ValidString(v) {
		return "invalid UTF-8"
	}
	for i := 0; i < len(v); {
		if strings.HasPrefix(v[i:], "\x1b[") {
			end := i + 2
			for end < len(v) && (v[end] >= '0' && v[end] <= '9' || v[end] == ';') {
				end++
			}
			if end < len(v) && v[end] == 'm' {
				i = end + 1
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(v[i:])
		switch {
		case r == '\n':
		case r < 0x20, r >= 0x7f && r < 0xa0:
			return fmt.Sprintf("control character %U", r)
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xe0000 && r <= 0xe0fff, r == 0xad, r == 0x061c:
			return fmt.Sprintf("hidden character %U", r)
		}
		i += size
	}
	return ""
}

func (b *bench) sees(want ...string) *bench {
	b.tb.Helper()
	v := ansi.Strip(b.view())
	for _, w := range want {
		if !strings.Contains(v, w) {
			b.tb.Fatalf("the screen lacks %q:\n%s", w, v)
		}
	}
	return b
}

func (b *bench) lacks(not ...string) *bench {
	b.tb.Helper()
	v := ansi.Strip(b.view())
	for _, w := range not {
		if strings.Contains(v, w) {
			b.tb.Fatalf("the screen has %q:\n%s", w, v)
		}
	}
	return b
}

func TestFirstFrame(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48)
	b.sees("toolscope", "harbour.yaml", "0/3 servers", "TIER", "1 Tier", "2 Listing by server", "3 Budget", "4 Query", "5 Bridged call")
	b.send(eventsMsg{{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateConnecting, Progress: "initialize"}})
	b.sees("connecting", "initialize")
	b.answers(0).sees("2/3 servers", "mcp_harbour_berth_list")
}

func TestEmptySize(t *testing.T) {
	if v := newBench(t, termenv.Ascii, 0, 0).m.View(); v != "" {
		t.Errorf("a screen of no size shows %q", v)
	}
}

func TestSizes(t *testing.T) {
	for _, profile := range []termenv.Profile{termenv.Ascii, termenv.TrueColor} {
		b := newBench(t, profile, 160, 48).answers(300).press("/", "berth", "esc")
		for _, size := range [][2]int{{160, 48}, {120, 36}, {119, 36}, {120, 35}, {80, 24}, {40, 10}, {39, 10}, {20, 5}, {1, 1}, {300, 100}, {160, 48}} {
			b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for _, pane := range []string{"1", "2", "3", "4", "5", "z", "z", "?", "esc", "s", "esc", "T", "enter", "esc", "esc", "v", "esc", ":", "esc"} {
				b.press(pane).view()
			}
		}
	}
}

func TestTooSmall(t *testing.T) {
	for width, want := range map[int]string{60: "toolscope needs 40×10 cells; this is 60×9", 30: "needs 40×10, has 30×9", 8: "40×10", 3: "40…"} {
		b := newBench(t, termenv.Ascii, width, 9)
		if got := b.view(); got != want {
			t.Errorf("%d wide: %q, want %q", width, got, want)
		}
	}
}

// Every binding in the help does something where it says it does.
func TestEveryKey(t *testing.T) {
	prepare := map[string]func() *bench{
		"Everywhere":         func() *bench { return newBench(t, termenv.Ascii, 160, 48).answers(40).press("2") },
		"Panes":              func() *bench { return newBench(t, termenv.Ascii, 80, 24).answers(40).press("2") },
		"Tune from any pane": func() *bench { return newBench(t, termenv.Ascii, 160, 48).answers(40).press("3", "]") },
		"In pane 1, tier":    func() *bench { return newBench(t, termenv.Ascii, 160, 48).answers(40).press("1") },
		"In pane 2, listing": func() *bench { return newBench(t, termenv.Ascii, 120, 36).answers(40).press("2", "J", "j") },
		"In the servers view, s": func() *bench {
			b := newBench(t, termenv.Ascii, 80, 24).answers(40)
			var log []mcpconn.ServerEvent
			for i := range 60 {
				log = append(log, mcpconn.ServerEvent{Server: "weather", Kind: mcpconn.EventLog, State: mcpconn.StateReady, Line: fmt.Sprintf("line %d", i)})
			}
			return b.send(eventsMsg(log)).press("s", "j", "pgdown")
		},
		"In the form of a call, f": func() *bench {
			b := newBench(t, termenv.Ascii, 120, 36).answers(0).send(composeMsg{tool: "mcp_weather_gale_warning"})
			return b.press("enter", "x", "enter", "j")
		},
		"In the settings, =": func() *bench {
			return newBench(t, termenv.Ascii, 120, 36).answers(40).press("=", "right", "j", "right")
		},
		"In two settings, B": func() *bench { return newBench(t, termenv.Ascii, 120, 36).answers(40).press("A", "]", "B") },
		"In the hooks view, H": func() *bench {
			b := newBench(t, termenv.Ascii, 80, 12).answers(40)
			b.m.consents = state.NewConsents(t.TempDir())
			for _, command := range []string{"check", "audit"} {
				b.m.hooks = append(b.m.hooks, config.Hook{Event: config.HookPre, Command: command, Words: []string{command}, Timeout: time.Minute})
			}
			b.m.publish()
			return b.press("H", "pgdown")
		},
		"In the tools browser, T": func() *bench { return newBench(t, termenv.Ascii, 80, 24).answers(40).press("T", "j") },
		"In pane 3, budget":       func() *bench { return newBench(t, termenv.Ascii, 120, 36).answers(40).press("3") },
		"In the sweep, v": func() *bench {
			return newBench(t, termenv.Ascii, 40, 10).answers(300).press("v", "end", "left", "j")
		},
		"In the export, x":         func() *bench { return newBench(t, termenv.Ascii, 80, 24).answers(40).press("x") },
		"In the set of queries, Q": func() *bench { return evalBench(t, termenv.Ascii, 80, 24, 40).press("]", "Q", "j", "j") },
		"In pane 4, query": func() *bench {
			return newBench(t, termenv.Ascii, 160, 48).answers(0).send(pinMsg{"mcp_weather_sea_state"}).press("/", "b", "erth ; gale", "esc", ",")
		},
		"In pane 5, call": func() *bench {
			b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("/", "pilot", "esc", "b", "c")
			return b
		},
	}
	prepare["On the tour"] = func() *bench { return newTourBench(t, 160, 48, true, nil).town().to("Tier 1, full").bench }
	special := map[string]func() *bench{ // keys that need another state to act in
		"cancel a call under way, or the batch": func() *bench {
			return newBench(t, termenv.Ascii, 160, 48).answers(0).press("5", "l", "4", "/", "gale", "esc", "c", "enter", "y")
		},
		"approve once, when asked":        func() *bench { return prepare["In pane 5, call"]().press("enter") },
		"approve for this session":        func() *bench { return prepare["In pane 5, call"]().press("enter") },
		"the same call again":             func() *bench { return prepare["In pane 5, call"]().press("enter", "n") },
		"run the batch, in the plan":      func() *bench { return prepare["In pane 5, call"]().press("p") },
		"deny, when asked":                func() *bench { return prepare["In pane 5, call"]().press("enter") },
		"take a call out, or all":         func() *bench { return prepare["In pane 5, call"]().press("p") },
		"take the value out":              func() *bench { return prepare["In the form of a call, f"]().press("k") },
		"redo":                            func() *bench { return prepare["Tune from any pane"]().press("u") },
		"typing: earlier queries":         func() *bench { return prepare["In pane 4, query"]().press("/", "x", "esc", "/", "y", "up") },
		"typing: one more query, after ;": func() *bench { return prepare["In pane 4, query"]().press("/") },
		"stop typing":                     func() *bench { return prepare["In pane 4, query"]().press("/") },
		"quit, also while typing":         func() *bench { return prepare["In pane 4, query"]().press("/") },
		"back":                            func() *bench { return prepare["Everywhere"]().press("z") },
		"why this score":                  func() *bench { return prepare["In pane 4, query"]().press("g") },
		"start, end":                      func() *bench { return prepare["Panes"]().press("down", "down") },
		"retry a failed server":           prepare["In pane 2, listing"],
		"call":                            func() *bench { return prepare["Everywhere"]().press("1") },
		"scroll":                          prepare["Panes"],
		"listing by server":               func() *bench { return prepare["Panes"]().press("1") },
		"call this tool":                  prepare["In pane 4, query"],
		"queue a call for the batch":      prepare["In pane 4, query"],
	}
	for _, s := range newKeyMap().sections() {
		for _, binding := range s.keys {
			make, ok := special[binding.Help().Desc]
			if !ok {
				make = prepare[s.title]
			}
			if make == nil {
				t.Fatalf("no test knows the section %s", s.title)
			}
			did := false
			for _, k := range binding.Keys() {
				b := make()
				before, asked, copied := b.m.View(), len(b.asked), len(b.copied)
				next, cmd := b.m.Update(keyMsg(k))
				b.m = next.(model)
				if b.m.quitting {
					did = true
					continue
				}
				if b.m.View() != before || len(b.asked) > asked || len(b.copied) > copied || cmd != nil && (s.title == "In pane 2, listing" || s.title == "In the servers view, s") {
					did = true
				}
				b.view()
			}
			if !did {
				t.Errorf("%s: %s (%s) does nothing", s.title, binding.Help().Key, binding.Help().Desc)
			}
		}
	}
}

// Every action of the palette has the key that the key map says.
func TestPaletteHasEveryAction(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press(":")
	for _, a := range b.m.commands() {
		if a.name == "" || a.msg == nil {
			t.Errorf("%+v", a)
		}
	}
	b.press("zoom", "enter")
	if !b.m.zoom {
		t.Error("the palette did not zoom")
	}
	b.press("/", "pilot", "esc", "c", "enter", "1", ":", "call deny", "enter").sees("denied by the person")
	b.press(":", "listing_max_tokens 1234", "enter").sees("1,234")
	b.press(":", "context 64k", "enter").sees("context 64k")
	b.press(":", "context soon", "enter").sees("no number of tokens")
	b.press(":", "nothing like it").sees("nothing matches")
}

func TestTuning(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(600).press("1")
	if b.m.snap.Assembly.Form != engine.FormMixed {
		t.Fatalf("it begins as %s", b.m.snap.Assembly.Form)
	}
	b.press("left").sees("threshold_pct 5 % → 4.9 %").press("u").sees("undone: threshold_pct 4.9 % → 5 %")
	b.press("N").sees("mcp__harbour__berth_list").press("u").lacks("mcp__harbour__berth_list")
	b.press("E", "E").sees("TIER 0").press("u").sees("TIER 1")
	for range 60 {
		b.send(keyMsg("shift+right"))
	}
	b.press("shift+up", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up", "shift+up").sees("TIER 1 full")
	// A key held down is one change.
	b.press("u", "u", "u", "u", "u", "u", "u", "u", "u", "u", "u").press("u").sees("→ 5 %").press("u").sees("undone: enabled")
}

func TestSessionAndScope(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("S").sees("session deckhand")
	if n := len(b.m.snap.Assembly.Deferred); n != 3 {
		t.Errorf("%d tools are deferred in a session of one toolset", n)
	}
	b.press("u").lacks("session deckhand").press("2", "t").sees("mcp-harbour is out of the session")
	if strings.Contains(b.m.snap.Assembly.Listing.Text, "harbour") {
		t.Error("it is still listed")
	}
	b.press("u").sees("undone: mcp-harbour as before")
}

func TestServers(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	run := func(msg tea.Msg) {
		_, cmd := b.m.Update(msg)
		runCmd(cmd)
	}
	run(toggleServerMsg{"harbour"})
	run(toggleServerMsg{"registry"})
	run(retryServerMsg{"weather"})
	if got := fmt.Sprint(b.asked); got != "[disable harbour enable registry retry weather]" {
		t.Errorf("asked %s", got)
	}
	var log []mcpconn.ServerEvent
	for i := range 60 {
		log = append(log, mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventLog, State: mcpconn.StateReady, Line: fmt.Sprintf("line %d", i)})
	}
	b.send(eventsMsg(log)).press("s").sees("line 59", "more").lacks("line 0 ").press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown").sees("line 0 ")
	b.send(eventsMsg{
		{Server: "harbour", Kind: mcpconn.EventTrace, State: mcpconn.StateReady, Line: "→ #1 tools/list {}"},
		{Server: "harbour", Kind: mcpconn.EventTrace, State: mcpconn.StateReady, Line: "← #1 {\"tools\":[]}"},
		{Server: "harbour", Kind: mcpconn.EventTrace, State: mcpconn.StateReady, Line: "← #2 error -32601: no"},
	})
	b.press("m").sees("→ #1 tools/list", "← #1", "all messages").press("m").sees("→ #1 tools/list", "sent").lacks("← #1")
	b.press("m").sees("← #1").lacks("→ #1").press("m").sees("error -32601").lacks("← #1").press("m").sees("beside the protocol")
	_, cmd := b.m.Update(keyMsg("p"))
	b.send(runCmd(cmd)...).sees("ping 7.0 ms")
	_, cmd = b.m.Update(keyMsg("i"))
	b.send(runCmd(cmd)...).sees("does not have auth: oauth")
	b.press("y")
	if len(b.copied) != 1 || !strings.Contains(b.copied[0], "line 0") {
		t.Errorf("copied %q", b.copied)
	}
}

// runCmd runs a command and those it is made of, and returns their messages.
func runCmd(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
	var all []tea.Msg
	for _, c := range batch {
		all = append(all, runCmd(c)...)
	}
	return all
}

// Keys that come as one message are keys of their own, unless they are typed
// or pasted.
func TestBundledKeys(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("]]]")})
	if got := b.m.cfg.ThresholdPct; got != 5.3 {
		t.Errorf("threshold_pct %v after three keys in one", got)
	}
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("qqq"), Paste: true})
	if b.m.quitting {
		t.Error("pasted text was taken for keys")
	}
	b.sees("pasted text is taken in a text field only")
	b.press("/").send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q?:z5 berth"), Paste: true})
	if b.m.quitting || b.m.query != "q?:z5 berth" {
		t.Errorf("the query is %q", b.m.query)
	}
	b.press("q", "1", "esc").sees("q?:z5 berthq1")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("1q")})
	if !b.m.quitting {
		t.Error("q did not quit after typing")
	}
}

func TestExpectedTool(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("/", "vessel berth", "esc", "e", "gale", "enter")
	b.sees("mcp_weather_gale_warning  not found", "expected:", "a tries it")
	b.press("G", "enter").sees("not in this tool's", "finds it as number")
	b.press("a").sees("◆mcp_weather_gale_warning")
	b.press("e", "no such tool", "end", "enter")
	if b.m.pin != "no such tool" {
		b.press("e", "(no tool)", "enter")
	}
	b.press("e", "read_file", "enter").sees("never deferred")
}

func TestApprovalInThePane(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("/", "pilot", "esc", "c", "enter")
	b.sees("approval asked: y / Y / n", "server harbour has trust: untrusted")
	b.press("enter").sees("the call waits for your approval")
	b.press("n").sees("blocked at approval", "denied by the person")
	b.press("c", "4", "c", "enter", "y").sees("✓ done", "SIMULATED")
	if got := string(b.m.inView().Flow.Result); !json.Valid([]byte(got)) || !strings.Contains(got, "simulated") {
		t.Errorf("result %s", got)
	}
}

func TestBatchPlan(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("/", "gale ; pilot", "esc", ",", "b", "b", ".", "b", "5", "p")
	b.sees("3 calls in 2 waves", "together", "alone", "server weather has supports_parallel_tool_calls")
	b.press("d").sees("2 calls in 2 waves").press("D").sees("No calls are queued").press("p")
}

func TestMouse(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(300)
	for id, r := range b.m.layout.panes {
		b.send(tea.MouseMsg{X: r.x + 2, Y: r.y + 2, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		if b.m.focus != id {
			t.Errorf("a click in pane %d focused %d", id, b.m.focus)
		}
		b.send(tea.MouseMsg{X: r.x + 2, Y: r.y + 2, Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown}).view()
	}
	b.press("?").send(tea.MouseMsg{X: 1, Y: 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	if b.m.sheet != nil {
		t.Error("a click did not close the help")
	}
	for x := -1; x < 161; x += 7 {
		for y := -1; y < 49; y += 3 {
			b.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}).view()
		}
	}
}

func TestCopy(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("1", "y", "2", "y", "3", "y", "4", "/", "berth", "esc", "y")
	if len(b.copied) != 4 || !strings.Contains(b.copied[0], "TIER 1") || b.copied[1] != b.m.snap.Assembly.Listing.Text ||
		!strings.Contains(b.copied[2], "saves") || b.copied[3] != b.m.snap.Queries[0].Hits[0].Name {
		t.Errorf("copied %q", b.copied)
	}
}

func TestExactCount(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("3", "z")
	next, cmd := b.m.Update(keyMsg("o"))
	b.m = next.(model)
	b.sees("o200k_base: counting")
	b.send(runCmd(cmd)...)
	b.sees("o200k_base: without")
	if e := b.m.snap.Exact; !e.Known || e.Bill.Saving != e.Bill.Eager-e.Bill.WithBridge || e.Bill.Eager <= 0 {
		t.Errorf("%+v", e)
	}
	b.press("o").lacks("o200k_base: without")
}

func TestScreens(t *testing.T) {
	for _, size := range [][2]int{{160, 48}, {120, 36}, {80, 24}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		for state, make := range map[string]func() *bench{
			"connecting": func() *bench {
				return newBench(t, termenv.Ascii, size[0], size[1]).send(eventsMsg{
					{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateConnecting, Progress: "initialize"},
					{Server: "weather", Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: "exit status 1 before initialize"},
				})
			},
			"nothing configured": func() *bench {
				b := newBench(t, termenv.Ascii, size[0], size[1])
				b.m.roster, b.m.notes = mcpconn.NewRoster(config.Config{}), nil
				b.m.assemble()
				return b
			},
			"giant": func() *bench {
				return newBench(t, termenv.Ascii, size[0], size[1]).answers(33000).press("4", "/", "container", "esc")
			},
			"full":    func() *bench { return newBench(t, termenv.Ascii, size[0], size[1]).answers(0) },
			"mixed":   func() *bench { return newBench(t, termenv.Ascii, size[0], size[1]).answers(0).answers(300).press("2") },
			"servers": func() *bench { return newBench(t, termenv.Ascii, size[0], size[1]).answers(0).press("s") },
			"palette": func() *bench { return newBench(t, termenv.Ascii, size[0], size[1]).answers(0).press(":", "set") },
			"help":    func() *bench { return newBench(t, termenv.Ascii, size[0], size[1]).answers(0).press("?") },
			"expected": func() *bench {
				return newBench(t, termenv.Ascii, size[0], size[1]).answers(0).send(pinMsg{"mcp_weather_sea_state"}).press("/", "berth", "esc")
			},
		} {
			t.Run(state+" at "+name, func(t *testing.T) { golden.RequireEqual(t, []byte(make().view())) })
		}
	}
	for name, c := range map[string]struct {
		profile termenv.Profile
		dark    bool
	}{"dark": {termenv.TrueColor, true}, "light": {termenv.TrueColor, false}, "sixteen colours": {termenv.ANSI, true}} {
		t.Run(name, func(t *testing.T) {
			b := newBenchOn(t, c.profile, c.dark, 120, 36).answers(300).send(pinMsg{"mcp_weather_sea_state"}).press("/", "berth", "esc", "1")
			golden.RequireEqual(t, []byte(b.view()))
		})
	}
}

func TestKeysAreUnambiguous(t *testing.T) {
	k := newKeyMap()
	global := map[string]string{}
	for _, s := range k.sections()[:3] {
		for _, b := range s.keys {
			for _, name := range b.Keys() {
				if other, taken := global[name]; taken && other != b.Help().Desc && !key.Matches(keyMsg(name), k.Page, k.Ends) {
					t.Errorf("%s is both %q and %q", name, other, b.Help().Desc)
				}
				global[name] = b.Help().Desc
			}
		}
	}
}
