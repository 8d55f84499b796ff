package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

const callExample = `{"name":"mcp_harbour_create_issue","arguments":{"repo":"tides","title":"Gauge 7 reads low","labels":"bug, sensor"}}`

// callFlow is a call of so many stages.
func callFlow(tb testing.TB, bridge string, steps int) Snapshot {
	tb.Helper()
	s := querySnapshot(tb, "")
	s.Call.Flow = engine.Begin(json.RawMessage(bridge), engine.Runners{})
	for range steps {
		s.Call.Flow = s.Call.Flow.Step(s.Assembly)
	}
	return s
}

// callPaneAt is a pane that was given the call stage by stage, as it is in use.
func callPaneAt(tb testing.TB, profile termenv.Profile, bridge string, steps, width, height int) *callPane {
	tb.Helper()
	p := newCallPane(queryTheme(profile))
	p.SetSize(width, height)
	p.SetSnapshot(querySnapshot(tb, ""))
	for i := range steps + 1 {
		p.SetSnapshot(callFlow(tb, bridge, i))
	}
	return p
}

func TestCallFrames(t *testing.T) {
	for _, tc := range []struct {
		name          string
		bridge        string
		steps         int
		width, height int
		keys          []string
	}{
		{"begun at 160x48", callExample, 0, 158, 6, nil},
		{"unwrapped at 160x48", callExample, 2, 158, 6, nil},
		{"unwrapped at 120x36", callExample, 2, 118, 5, nil},
		{"unwrapped at 80x24", callExample, 2, 78, 19, nil},
		{"dispatched at 160x48", callExample, 8, 158, 6, nil},
		{"dispatched at 80x24", callExample, 8, 78, 19, nil},
		{"done at 160x48", callExample, 10, 158, 6, nil},
		{"done at 120x36", callExample, 10, 118, 5, []string{",", ","}},
		{"done, zoomed", callExample, 10, 158, 43, []string{"left", "left"}},
		{"blocked at scope", `{"name":"create_issue","arguments":{}}`, 3, 158, 6, nil},
		{"blocked at scope at 80x24", `{"name":"create_issue","arguments":{}}`, 3, 78, 19, nil},
		{"not reached", `{"name":"create_issue","arguments":{}}`, 3, 158, 6, []string{"right"}},
		{"blocked at parse", `{"name":`, 1, 118, 5, nil},
		{"to come", callExample, 2, 158, 6, []string{"right", "right", "right"}},
		{"empty at 160x48", "", -1, 158, 6, nil},
		{"empty at 120x36", "", -1, 118, 5, nil},
		{"typing from nothing", "", -1, 158, 6, []string{"e"}},
		{"typing a mistake", `{"name":"mcp_harbour_create_isue"`, 1, 118, 5, []string{"e", "}"}},
		{"least", callExample, 4, 10, 3, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := callPaneAt(t, termenv.Ascii, tc.bridge, tc.steps, tc.width, tc.height)
			queryKeys(p, tc.keys...)
			view := p.View()
			queryEveryCell(t, view, tc.width, tc.height)
			_, note := p.Title()
			golden.RequireEqual(t, note+"\n"+view)
		})
	}
}

func TestCallColours(t *testing.T) {
	p := callPaneAt(t, termenv.TrueColor, callExample, 8, 158, 6)
	golden.RequireEqual(t, p.View())
}

func TestCallKeys(t *testing.T) {
	p := callPaneAt(t, termenv.Ascii, callExample, 2, 158, 6)
	for k, want := range map[string]tea.Msg{" ": flowStepMsg{}, "n": flowStepMsg{}, "enter": flowRunMsg{}, "r": flowRunMsg{}} {
		if msg, handled := p.HandleKey(queryKey(k)); !handled || msg != want {
			t.Errorf("%q gave %#v, %v", k, msg, handled)
		}
	}
	want := copyMsg{"the output of unwrap", string(p.snap.Call.Flow.Stages[1].Output)}
	if msg := queryKeys(p, "y"); msg != want {
		t.Errorf("y gave %v, want %v", msg, want)
	}
	if msg := queryKeys(p, ".", "y"); msg != (copyMsg{"the call", callExample}) {
		t.Errorf("y on a stage without output gave %v", msg)
	}
	queryKeys(p, ",", ",", ",")
	if p.cursor != 0 {
		t.Errorf(", leads to stage %d", p.cursor)
	}
	for range 20 {
		queryKeys(p, "right")
	}
	if p.cursor != 9 {
		t.Errorf("→ leads to stage %d", p.cursor)
	}
	for _, k := range []string{"q", "z", "?", "esc", "c"} {
		if msg, handled := p.HandleKey(queryKey(k)); handled {
			t.Errorf("%q is taken, with %v", k, msg)
		}
	}
	empty := callPaneAt(t, termenv.Ascii, "", -1, 158, 6)
	for _, k := range []string{" ", "n", "y", "left", "down", "r"} {
		if msg, handled := empty.HandleKey(queryKey(k)); handled {
			t.Errorf("without a call %q is taken, with %v", k, msg)
		}
	}
}

// TestCallFollows keeps the stage in view that ran last.
func TestCallFollows(t *testing.T) {
	p := callPaneAt(t, termenv.Ascii, callExample, 0, 158, 6)
	for i := 1; i <= 10; i++ {
		p.SetSnapshot(callFlow(t, callExample, i))
		if p.cursor != i-1 {
			t.Errorf("after %d stages shows stage %d", i, p.cursor)
		}
	}
	queryKeys(p, "left", "left", "left")
	p.SetSnapshot(callFlow(t, callExample, 10))
	if p.cursor != 6 {
		t.Errorf("a snapshot of the same call moves the cursor to %d", p.cursor)
	}
	p.SetSnapshot(callFlow(t, callExample, 0))
	if p.cursor != 0 {
		t.Errorf("a new call begins with the cursor on %d", p.cursor)
	}
	p.SetSnapshot(callFlow(t, callExample, 10))
	if got := p.snap.Call.Flow.Stages[p.cursor].Name; got != engine.StageDispatch {
		t.Errorf("after a run to the end shows %s", got)
	}
	p.SetSnapshot(callFlow(t, `{"name":"nope"}`, 10))
	if got := p.snap.Call.Flow.Stages[p.cursor].Name; got != engine.StageScope {
		t.Errorf("after a block shows %s", got)
	}
	p.SetSnapshot(Snapshot{})
	queryEveryCell(t, p.View(), 158, 6)
}

func TestCallTyping(t *testing.T) {
	p := callPaneAt(t, termenv.Ascii, "", -1, 158, 6)
	queryKeys(p, "e")
	if !p.Typing() {
		t.Fatal("e does not start typing")
	}
	for _, r := range "mcp_post_list_channels" {
		if msg, handled := p.HandleKey(queryKey(string(r))); !handled || msg != nil {
			t.Fatalf("%c gave %v, %v", r, msg, handled)
		}
	}
	if !strings.Contains(p.View(), "scope ✓ passed") {
		t.Errorf("does not say that the tool is there:\n%s", p.View())
	}
	queryKeys(p, "esc")
	if p.Typing() {
		t.Fatal("esc does not leave")
	}
	queryKeys(p, "e")
	const want = `{"name":"mcp_post_list_channels","arguments":{}}`
	if p.field.text() != want {
		t.Errorf("what was typed is gone: %q", p.field.text())
	}
	if msg := queryKeys(p, "enter"); msg != (callJSONMsg{want}) || p.Typing() {
		t.Errorf("enter gave %v", msg)
	}
	p.SetSnapshot(callFlow(t, callExample, 3))
	queryKeys(p, "e")
	if p.field.text() != callExample {
		t.Errorf("e opens %q, not the call in view", p.field.text())
	}
	p.SetFocus(false)
	if p.Typing() {
		t.Error("types without the focus")
	}
}

func TestCallPaste(t *testing.T) {
	p := callPaneAt(t, termenv.Ascii, "", -1, 80, 8)
	queryKeys(p, "e", "ctrl+u", "end", "ctrl+u")
	p.HandleKey(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune("{\n  \"name\": \"mcp_post_list_channels\",\n  \"arguments\": {}\n}\n")})
	if msg := queryKeys(p, "enter"); msg != (callJSONMsg{`{ "name": "mcp_post_list_channels", "arguments": {} }`}) {
		t.Errorf("a pretty-printed call was sent as %v", msg)
	}
}

func TestCallClick(t *testing.T) {
	for _, size := range [][2]int{{158, 6}, {118, 5}, {78, 19}} {
		p := callPaneAt(t, termenv.Ascii, callExample, 4, size[0], size[1])
		for i, stage := range p.snap.Call.Flow.Stages {
			for y, l := range strings.Split(p.View(), "\n")[:1+len(p.trackLines())] {
				if at := strings.Index(l, string(stage.Name)+" "); y > 0 && at >= 0 {
					p.HandleClick(len([]rune(l[:at])), y)
				}
			}
			if p.cursor != i {
				t.Errorf("%v: a click on %s shows stage %d", size, stage.Name, p.cursor)
			}
		}
		p.HandleClick(-1, -1)
		p.HandleClick(1000, 1000)
	}
}

// TestCallOutcomes has a word and a mark for every outcome.
func TestCallOutcomes(t *testing.T) {
	theme := queryTheme(termenv.Ascii)
	for _, tc := range []struct {
		outcome engine.Outcome
		next    bool
		want    string
	}{
		{engine.OutcomePassed, false, "✓ passed"},
		{engine.OutcomeChanged, false, "± changed"},
		{engine.OutcomeBlocked, false, "✗ blocked"},
		{engine.OutcomeSkipped, false, "– skipped"},
		{engine.OutcomeNotReached, false, "· not reached"},
		{engine.OutcomePending, true, "● next"},
		{engine.OutcomePending, false, "○ to come"},
	} {
		m := outcome(theme, engine.Stage{Outcome: tc.outcome}, tc.next)
		if got := m.glyph + " " + m.word; got != tc.want {
			t.Errorf("%q is %q, want %q", tc.outcome, got, tc.want)
		}
	}
}

// TestCallScroll reads a long answer to its end.
func TestCallScroll(t *testing.T) {
	s := callFlow(t, callExample, 8)
	var lines []string
	for range 40 {
		lines = append(lines, "word")
	}
	raw, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	s.Call.Flow.Stages[7].Output = raw
	p := newCallPane(queryTheme(termenv.Ascii))
	p.SetSize(158, 43)
	p.SetSnapshot(s)
	p.SetSize(78, 19)
	if !strings.Contains(p.Foot(), "↓ ") {
		t.Errorf("does not say that there is more:\n%s", p.Foot())
	}
	queryKeys(p, "G")
	if view := p.View(); strings.Contains(p.Foot(), "↓ ") || !strings.Contains(view, "]") {
		t.Errorf("G does not lead to the end:\n%s", view)
	}
	queryKeys(p, "g")
	if p.top != 0 {
		t.Errorf("g leads to line %d", p.top)
	}
}

func TestCallSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("renders some thousand frames")
	}
	evil := "mcp_\x1b[2J\u202e" + strings.Repeat("日本", 40)
	hostile := callFlow(t, `{"name":"`+strings.Repeat("x", 1<<20)+`","arguments":{"a":"\u001b[2J\u202e`+strings.Repeat("日本", 1<<16)+`"}}`, 0)
	for range 3 {
		hostile.Call.Flow = hostile.Call.Flow.Step(hostile.Assembly)
	}
	live := callFlow(t, callExample, 10)
	live.Call.Flow.Tool = evil
	for i := range live.Call.Flow.Stages {
		s := &live.Call.Flow.Stages[i]
		s.Reason, s.Duration = evil, 1200*time.Microsecond
		s.Output = json.RawMessage("{\"a\":\"\u202e\U000e0041\",\"b\":\x1b[2J not JSON")
	}
	states := map[string]Snapshot{
		"zero": {}, "begun": callFlow(t, callExample, 0), "on its way": callFlow(t, callExample, 5), "done": callFlow(t, callExample, 10),
		"blocked": callFlow(t, `[1]`, 1), "hostile": hostile, "hostile results": live,
	}
	sizes := [][2]int{{0, 0}, {1, 1}, {10, 3}, {3, 10}, {17, 4}, {24, 5}, {30, 8}, {50, 12}, {78, 19}, {118, 5}, {158, 6}, {158, 43}, {300, 3}}
	for name, snap := range states {
		t.Run(name, func(t *testing.T) {
			for _, size := range sizes {
				p := newCallPane(queryTheme(termenv.TrueColor))
				p.SetSize(size[0], size[1])
				p.SetSnapshot(snap)
				for _, keys := range [][]string{nil, {"left"}, {"G"}, {"right", "right"}, {"e"}, {"x", "home", "left"}, {"esc", "down"}} {
					queryKeys(p, keys...)
					queryEveryCell(t, p.View(), size[0], size[1])
					p.Title()
				}
			}
		})
	}
}
