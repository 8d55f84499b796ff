package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

// harbourQueries is a set for the harbour's tools: hits in several places, and
// misses for several reasons.
const harbourQueries = `list every berth => berth_list
order a pilot => pilot_order
warnings in force => mcp_weather_gale_warning, forecast
where was the vessel => vessel_track
weather => gale_warning
weather => sea_state
list customs forms => list_customs_form_0297
write into the log => entry_add
read a file => read_file
hoist the flag => crane_reserve
`

// withQueries gives a bench a set of queries, as text.
func (b *bench) withQueries(set string) *bench {
	b.tb.Helper()
	cases, err := engine.ParseCases("harbour.txt", []byte(set))
	if err != nil {
		b.tb.Fatal(err)
	}
	b.m.snap.Eval = Eval{File: "harbour.txt", Cases: cases, Busy: true}
	return b
}

// evaluates runs the evaluation that is due to its end.
func (b *bench) evaluates() *bench {
	b.tb.Helper()
	b.m.evaluation.of = evalOf{} // what was begun by a message was not run
	next, cmd := b.m.Update(evalTickMsg{})
	b.m = next.(model)
	return b.send(runCmd(cmd)...)
}

// evalBench is a bench that has evaluated the harbour's queries.
func evalBench(tb testing.TB, profile termenv.Profile, width, height, giant int) *bench {
	tb.Helper()
	b := newBench(tb, profile, width, height).withQueries(harbourQueries)
	b.answers(giant)
	return b.evaluates()
}

func TestEvalSheetFrames(t *testing.T) {
	for _, size := range [][2]int{{160, 48}, {120, 36}, {80, 24}, {40, 10}} {
		t.Run(fmt.Sprintf("opened at %dx%d", size[0], size[1]), func(t *testing.T) {
			b := evalBench(t, termenv.Ascii, size[0], size[1], 300).do("Q").do("j").do("j").do("j").do("j").do("j")
			golden.RequireEqual(t, []byte(b.view()))
		})
		t.Run(fmt.Sprintf("tuned at %dx%d", size[0], size[1]), func(t *testing.T) {
			b := evalBench(t, termenv.Ascii, size[0], size[1], 300).do("Q").do("j").do("j").do("j").do("j").do("j").do("S")
			golden.RequireEqual(t, []byte(b.view()))
		})
		t.Run(fmt.Sprintf("without a set at %dx%d", size[0], size[1]), func(t *testing.T) {
			golden.RequireEqual(t, []byte(newBench(t, termenv.Ascii, size[0], size[1]).answers(0).do("Q").view()))
		})
	}
	t.Run("own limits in colours", func(t *testing.T) {
		b := newBench(t, termenv.TrueColor, 120, 36).withQueries(`[{"query":"weather","want":"sea_state","limit":2},{"query":"berth","want":"berth_list"}]`).answers(0)
		golden.RequireEqual(t, []byte(b.evaluates().do("Q").do("N").view()))
	})
}

// Every line is as wide as the frame at any size, whatever the set says.
func TestEvalSheetEverySize(t *testing.T) {
	hostile := strings.Join([]string{"\x1b[2Jred \u202eevil => \x1b]0;x\x07", strings.Repeat("漢字 ", 90) + "=> " + strings.Repeat("長", 90), "weather => sea_state, gale_warning, forecast, nothing"}, "\n")
	for _, set := range []string{harbourQueries, hostile, strings.Repeat("weather => sea_state\n", 400)} {
		b := newBench(t, termenv.TrueColor, 160, 48).withQueries(set).answers(30)
		b.evaluates().do("Q")
		for i := range 30 {
			width, height := 38+4*i, 8+i
			checkSheet(t, b.m.sheet.View(width, height), width, min(height, 48))
			b.press([]string{"down", "pgdown", "G", "up", "N"}[i%5])
		}
		for _, size := range [][2]int{{2, 2}, {10, 3}, {14, 4}, {20, 5}} {
			b.m.sheet.View(size[0], size[1])
		}
		if t.Failed() {
			t.Fatalf("%.40q", set)
		}
	}
}

// The figures in the sheet and in pane 4 are those of the engine.
func TestEvalShowsTheMeasures(t *testing.T) {
	b := evalBench(t, termenv.Ascii, 160, 48, 300)
	e := b.m.snap.Assembly.Evaluate(b.m.snap.Eval.Cases, 0, b.m.session, b.m.roster.Absent())
	if e.Hits == 0 || e.Hits == len(e.Cases) || e.At1 == e.At3 {
		t.Fatalf("the set tells nothing apart: %+v", e)
	}
	b.press("4").sees(fmt.Sprintf("eval %d/%d hit@5", e.Hits, len(e.Cases)))
	b.do("Q").sees("Set of queries, harbour.txt", fmt.Sprintf("hit@1 %d/10 ", e.At1), fmt.Sprintf("hit@3 %d/10 ", e.At3), fmt.Sprintf("hit@5 %d/10 %.1f %%", e.Hits, 100*e.Share(e.Hits)), fmt.Sprintf("MRR %.3f", e.MRR))
	b.lacks("▲", "▼")
	for i, r := range e.Cases {
		if got := b.m.snap.Eval.Now.Cases[i]; got.Rank != r.Rank || got.Found != r.Found {
			t.Errorf("%s stands at %d, want %d", r.Query, got.Rank, r.Rank)
		}
		// The reasons are those of the case under the cursor.
		want := b.m.snap.Assembly.ExplainCase(r.Case, 0, b.m.session, b.m.roster.Absent())
		if got := b.m.snap.Eval.Why; got.Query != r.Query || got.Tool != want.Tool || len(got.Reasons) != len(want.Reasons) {
			t.Errorf("at %d it explains %q, %s", i, got.Query, got.Tool)
		}
		b.do("j")
	}
	if b.m.snap.Eval.At != len(e.Cases)-1 {
		t.Errorf("the cursor left the rows: %d", b.m.snap.Eval.At)
	}
	b.do("home").sees("› ✓          1  list every berth").do("y")
	if len(b.copied) != 1 || !strings.Contains(b.copied[0], "✗     –  hoist the flag => crane_reserve\n") {
		t.Errorf("copied %q", b.copied)
	}
}

// A change of a setting shows what it did; the next one starts from there, and
// keys that follow at once are one change.
func TestEvalShowsWhatAChangeDid(t *testing.T) {
	b := evalBench(t, termenv.Ascii, 160, 48, 300).do("Q")
	hits := b.m.snap.Eval.Now.Hits
	b.do("-").do("-").do("-").do("-")
	if b.m.cfg.SearchDefaultLimit != 1 || b.m.sheet == nil {
		t.Fatalf("the limit is %d", b.m.cfg.SearchDefaultLimit)
	}
	now := b.m.snap.Eval.Now.Hits
	if now >= hits {
		t.Fatalf("%d hits, then %d", hits, now)
	}
	b.sees("limit 5 → 1", fmt.Sprintf("hit@1 %d → %d/10", hits, now), "▼", "search_default_limit 2 → 1")
	b.do("-")
	if b.m.cfg.SearchDefaultLimit != 1 {
		t.Error("the limit went below 1")
	}
	b.now = b.now.Add(undoPause)
	b.do("]").sees("threshold_pct 5 % → 5.1 %").lacks("▼", "▲", "limit 5 →")
	// Both are undone from under the sheet.
	b.do("u").do("u").sees("limit 1 → 5", fmt.Sprintf("%d → %d/10", now, hits), "▲")
	if b.m.sheet == nil || b.m.cfg != b.m.original {
		t.Errorf("after undo: %+v", b.m.cfg)
	}
	b.do("esc").do("Q").lacks("▲", "▼")
}

// The keys that tune do so under the sheet, which stays; keys that go elsewhere
// do not.
func TestEvalSheetLetsTuningThrough(t *testing.T) {
	b := evalBench(t, termenv.Ascii, 160, 48, 300).do("Q")
	for _, key := range []string{"[", "]", "{", "}", "<", ">", "(", ")", "N", "L", "E", "S"} {
		cfg, scope := b.m.cfg, b.m.scope
		b.now = b.now.Add(2 * undoPause)
		if b.do(key); b.m.cfg == cfg && b.m.scope == scope {
			t.Errorf("%s changes nothing under the sheet", key)
		}
		if _, open := b.m.sheet.(*evalSheet); !open {
			t.Fatalf("%s took the sheet away", key)
		}
	}
	focus := b.m.focus
	for _, key := range []string{"1", "3", "tab", "z", "c", "s", "w", "R", "T", "v", "/"} {
		if b.do(key); b.m.focus != focus || b.m.zoom || b.m.typing() {
			t.Errorf("%s acts behind the sheet", key)
		}
		if _, open := b.m.sheet.(*evalSheet); !open {
			t.Fatalf("%s took the sheet away", key)
		}
	}
	for _, key := range []string{"q", "esc", "Q"} {
		if b.do(key); b.m.sheet != nil || b.m.quitting {
			t.Errorf("%s does not close the sheet", key)
		}
		b.do("Q")
	}
	// Without a set they tune, too.
	b = newBench(t, termenv.Ascii, 160, 48).answers(0).do("Q").do("]")
	if b.m.cfg == b.m.original || b.m.sheet == nil {
		t.Error("] does nothing under an empty sheet")
	}
	// The other sheets take every key, as ever.
	if b.do("esc").do("?").do("["); b.m.cfg.ThresholdPct != 5.1 {
		t.Error("[ tunes under the help")
	}
}

// A tuned listing shows in which form the model sees the wanted tools.
func TestEvalShowsTheListing(t *testing.T) {
	b := evalBench(t, termenv.Ascii, 160, 48, 20).do("Q")
	b.do("}").sees("listed by name 8/10", " full ")
	b.send(setMsg{engine.KeyListing, "off"}).view()
	b.sees("listed by name 8 → 0/10 ▼", " none ")
	b.send(setMsg{engine.KeyEnabled, "off"})
	b.evaluates().sees("tier 0: nothing is searched", "hit@5 7 → 0/10").lacks("listed by name")
}

// Enter puts the query and the tool into pane 4.
func TestEvalAsks(t *testing.T) {
	for _, tc := range []struct {
		set, query, pin string
		keys            []string
	}{
		{harbourQueries, "weather", "mcp_weather_sea_state", []string{"j", "j", "j", "j", "j"}},
		{harbourQueries, "read a file", "read_file", []string{"G", "k"}},
		{"sea ; state => sea_state", "sea , state", "mcp_weather_sea_state", nil},
		{"x\ty => no_such_tool", "x", "", nil},
	} {
		if tc.pin == "" {
			if _, err := engine.ParseCases("", []byte(tc.set)); err == nil {
				t.Error("a tab is in a query")
			}
			continue
		}
		b := newBench(t, termenv.Ascii, 160, 48).withQueries(tc.set).answers(300)
		b.evaluates().press("/").press("berth", "esc", "1").do("Q")
		for _, k := range tc.keys {
			b.do(k)
		}
		b.do("enter")
		if b.m.sheet != nil || b.m.focus != paneQuery || b.m.query != tc.query || b.m.pin != tc.pin || b.m.typing() {
			t.Errorf("%s: sheet %v, pane %d, query %q, expecting %q", tc.query, b.m.sheet, b.m.focus, b.m.query, b.m.pin)
		}
		if len(b.m.results) != 1 || b.m.results[0].Query != tc.query || len(b.m.snap.Pinned) != 1 {
			t.Errorf("%s: %d results", tc.query, len(b.m.results))
		}
		b.sees("> " + tc.query)
	}
}

// An evaluation of tools that have changed meanwhile is dropped, and the one
// that is under way gives way.
func TestEvalOfEarlierTools(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).withQueries(harbourQueries)
	next, first := b.m.Update(evalTickMsg{})
	b.m = next.(model)
	old := runCmd(first)
	b.do("Q").sees("10 cases, not evaluated yet").do("j")
	b.answers(30)
	if b.send(old...); b.m.snap.Eval.Known {
		t.Error("an evaluation of earlier tools counts")
	}
	ctx := b.m.evaluation.cancel
	if ctx == nil {
		t.Fatal("no evaluation of the present tools has begun")
	}
	next, second := b.m.Update(setMsg{engine.KeySearchDefaultLimit, "9"})
	b.m = next.(model)
	b.send(runCmd(second)...)
	if e := b.m.snap.Eval; !e.Known || e.Busy || e.Now.Limit != 9 {
		t.Errorf("known %v, busy %v, limit %d", e.Known, e.Busy, e.Now.Limit)
	}
	// A threshold moves no tool in a ranking.
	of := b.m.evaluation.of
	if b.press("]", "}"); b.m.evaluation.of != of || b.m.snap.Eval.Busy {
		t.Error("a threshold began another evaluation")
	}
	b.m.work.end()
	if b.press("N"); !b.m.snap.Eval.Busy {
		t.Error("other names are evaluated without another evaluation")
	}
}

// An evaluation that is cancelled says nothing.
func TestEvalIsCancelled(t *testing.T) {
	b := newBench(t, termenv.Ascii, 80, 24)
	ctx, cancel := context.WithCancel(t.Context())
	b.m.work = newWork(ctx)
	b.withQueries(harbourQueries)
	next, cmd := b.m.Update(evalTickMsg{})
	b.m = next.(model)
	cancel()
	if msgs := slices.DeleteFunc(runCmd(cmd), func(m tea.Msg) bool { return m == nil }); len(msgs) > 0 {
		t.Errorf("%v", msgs)
	}
}

// What servers bring later shows as a change; what they bring at start-up does
// not.
func TestEvalFollowsTheServers(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).withQueries(harbourQueries)
	b.evaluates().do("Q").sees("hit@5 1/10").lacks("▲")
	b.answers(30)
	b.evaluates().lacks("▲", "▼")
	hits := b.m.snap.Eval.Now.Hits
	b.send(toggleToolsetMsg{"mcp-harbour"})
	b.evaluates().sees(fmt.Sprintf("hit@5 %d → %d/10", hits, b.m.snap.Eval.Now.Hits), "▼")
	if v := ansi.Strip(b.view()); !strings.Contains(v, "1→–") {
		t.Errorf("no row says what it lost:\n%s", v)
	}
}

func TestEvalMouse(t *testing.T) {
	b := evalBench(t, termenv.Ascii, 160, 48, 30).do("Q")
	b.view()
	v := b.m.sheet.(*evalSheet)
	area := b.m.sheetArea()
	r := centred(v.View(area.w, area.h), area)
	click := func(y int) {
		b.send(tea.MouseMsg{X: r.x + 5, Y: r.y + y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	for i := range v.rows {
		click(v.first + i)
		if b.m.snap.Eval.At != i || b.m.snap.Eval.Why.Query != b.m.snap.Eval.Cases[i].Query {
			t.Errorf("a click on row %d is at %d", i, b.m.snap.Eval.At)
		}
	}
	if click(v.first - 1); b.m.snap.Eval.At != v.rows-1 {
		t.Error("a click on the head moves the cursor")
	}
	b.send(tea.MouseMsg{X: r.x + 5, Y: r.y + 5, Button: tea.MouseButtonWheelDown}).view()
	b.send(tea.MouseMsg{X: 0, Y: r.y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	if b.m.sheet != nil {
		t.Error("a click beside the sheet does not close it")
	}
}
