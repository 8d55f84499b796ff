package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/mcpconn"
)

// fleet is a session of many servers of uneven size.
func fleet(tb testing.TB, servers, most int) *stage {
	s := newStage(tb)
	for i := range servers {
		var lines []string
		for j := range 3 + i*37%most {
			lines = append(lines, fmt.Sprintf("hold_%d_%s: Looks into hold %d of ship %d.", j, strings.Repeat("x", i%9), j, i))
		}
		s.ready(fmt.Sprintf("ship-%02d", i), lines...)
	}
	return s
}

// sweeping is a sheet of a snapshot, on which some keys were pressed after it
// was drawn.
func sweeping(s Snapshot, profile termenv.Profile, width, height int, keys ...string) *sweepView {
	v := newSweepView(queryTheme(profile))
	v.SetSnapshot(s)
	v.View(width, height)
	for _, k := range keys {
		v.HandleKey(keyMsg(k))
	}
	return v
}

// checkSheet holds every line of a sheet to the width of its frame.
func checkSheet(tb testing.TB, view string, width, height int) {
	tb.Helper()
	rows := strings.Split(view, "\n")
	if len(rows) > height {
		tb.Errorf("%d lines in %d:\n%s", len(rows), height, ansi.Strip(view))
	}
	for i, l := range rows {
		if w := ansi.StringWidth(l); w != width {
			tb.Errorf("line %d takes %d cells of %d: %q", i, w, width, ansi.Strip(l))
		}
	}
	if bad := hostileIn(view); bad != "" {
		tb.Errorf("the sheet has %s", bad)
	}
}

var sweepSizes = [][2]int{{158, 46}, {118, 33}, {78, 21}, {38, 8}, {38, 7}}

func TestSweepFrames(t *testing.T) {
	states := map[string]func() Snapshot{
		"mixed": func() Snapshot { return harbourTown(t, 3300).snapshot() },
		"off": func() Snapshot {
			return harbourTown(t, 300).tune(func(c *engine.Config) { c.Enabled = engine.Off }).snapshot()
		},
		"unknown": func() Snapshot {
			return harbourTown(t, 3300).tune(func(c *engine.Config) { c.ContextLength = 0 }).snapshot()
		},
		"over budget": func() Snapshot {
			return harbourTown(t, 300).tune(func(c *engine.Config) { c.ThresholdPct, c.Listing = 0.01, engine.On }).snapshot()
		},
		"fleet": func() Snapshot { return fleet(t, 60, 40).snapshot() },
		"empty": func() Snapshot { return newStage(t).core("run: Run a command.").snapshot() },
		"waiting": func() Snapshot {
			return newStage(t).absent("charts", mcpconn.StateConnecting, "initialize").snapshot()
		},
	}
	for state, make := range states {
		snap := make()
		for _, size := range sweepSizes {
			t.Run(fmt.Sprintf("%s at %dx%d", state, size[0], size[1]), func(t *testing.T) {
				v := sweeping(snap, termenv.Ascii, size[0], size[1], "right")
				view := v.View(size[0], size[1])
				checkSheet(t, view, size[0], size[1])
				golden.RequireEqual(t, []byte(view))
			})
		}
	}
	t.Run("colours", func(t *testing.T) {
		v := sweeping(harbourTown(t, 300).snapshot(), termenv.TrueColor, 78, 21, "right")
		golden.RequireEqual(t, []byte(v.View(78, 21)))
	})
}

// Every frame is as wide as it should be wherever the cursor is.
func TestSweepEverySize(t *testing.T) {
	for name, s := range map[string]Snapshot{"town": harbourTown(t, 33000).snapshot(), "fleet": fleet(t, 60, 40).snapshot(), "empty": newStage(t).snapshot()} {
		v := sweeping(s, termenv.TrueColor, 80, 20, "home")
		for i := range 24 {
			for _, size := range [][2]int{{158, 46}, {38, 8}, {38 + 5*i, 7 + i}} {
				checkSheet(t, v.View(size[0], size[1]), size[0], size[1])
			}
			v.HandleKey(keyMsg([]string{"right", "l", "down"}[i%3]))
		}
		if t.Failed() {
			t.Fatal(name)
		}
		for _, size := range [][2]int{{2, 2}, {10, 3}, {14, 4}, {20, 5}} {
			v.View(size[0], size[1])
		}
	}
}

// chartCells are the cells of a row of the chart, by its label.
func chartCells(tb testing.TB, v *sweepView, label string, width, height int) []rune {
	tb.Helper()
	for _, l := range strings.Split(ansi.Strip(v.View(width, height)), "\n") {
		if runes := []rune(l); strings.HasPrefix(l, "│ "+label+" ") {
			return runes[v.left : len(runes)-1]
		}
	}
	tb.Fatalf("no row %s:\n%s", label, ansi.Strip(v.View(width, height)))
	return nil
}

// Each threshold has a column of its own in which what changes there begins,
// and the modes drawn are those of assembling under the budget.
func TestSweepDrawsTheModes(t *testing.T) {
	const width, height = 158, 46
	stage := harbourTown(t, 300)
	v := sweeping(stage.snapshot(), termenv.Ascii, width, height)
	v.View(width, height)
	s := v.scale()
	letters := map[engine.Mode][2]rune{engine.ModeFull: {'F', '█'}, engine.ModeNames: {'N', '▓'}, engine.ModeSummary: {'Σ', '░'}, engine.ModeNone: {'·', '·'}}
	for column, tokens := range s.edges {
		b := stage.tune(func(c *engine.Config) {
			c.ContextLength, c.ThresholdPct, c.ListingMaxTokens = tokens, 100, 60000
			if tokens == 0 {
				c.ContextLength, c.ThresholdPct = 1, 0
			}
		}).snapshot().Assembly
		if b.Budget.Tokens != tokens {
			t.Fatalf("a budget of %d for %d", b.Budget.Tokens, tokens)
		}
		for _, g := range b.Groups {
			got := chartCells(t, v, g.Label, width, height)[column]
			if want := letters[g.Mode]; got != want[0] && got != want[1] && got != '┃' && got != '│' {
				t.Errorf("%s at %d tokens is drawn %c, want %s", g.Label, tokens, got, g.Mode)
			}
		}
	}
	for _, from := range v.from {
		if column, ok := s.column(from); !ok || !s.begins(column) || s.edges[column] != from {
			t.Errorf("the threshold %d does not begin at a column", from)
		}
	}
}

// A band of few budgets has more columns than those; they count as the first.
func TestScaleOfNarrowBands(t *testing.T) {
	from := []int{0, 5, 6, 8, 100}
	for _, columns := range []int{1, 3, 5, 6, 20, 200} {
		for around := range from {
			s := newScale(from, 150, columns, around)
			if len(s.edges) != columns || len(s.bands) != columns || !slices.IsSorted(s.edges) || !slices.Contains(s.bands, around) {
				t.Fatalf("%d columns around %d: %+v", columns, around, s)
			}
			for tokens := range 200 {
				at, ok := s.column(tokens)
				if want := tokens >= s.edges[0] && (s.after == 0 || tokens < s.end); ok != want {
					t.Errorf("%d columns around %d: %d lies on the chart %v, want %v", columns, around, tokens, ok, want)
				}
				if !ok {
					continue
				}
				if s.edges[at] > tokens || from[s.bands[at]] > tokens || s.bands[at]+1 < len(from) && from[s.bands[at]+1] <= tokens {
					t.Errorf("%d columns: %d is in column %d, from %d in band %d", columns, tokens, at, s.edges[at], s.bands[at])
				}
				if slices.Contains(from, tokens) && !s.begins(at) {
					t.Errorf("%d columns: the threshold %d is not where its band begins", columns, tokens)
				}
			}
		}
	}
	if s := newScale(nil, 1, 10, -1); len(s.edges) != 0 {
		t.Errorf("no bands: %+v", s)
	}
}

func TestSweepMarks(t *testing.T) {
	v := sweeping(harbourTown(t, 3300).snapshot(), termenv.Ascii, 158, 46, "end")
	view := v.View(158, 46)
	for _, want := range []string{"┃ now 4,000", "▲" + number(v.from[len(v.from)-1])} {
		if !strings.Contains(view, want) && !strings.Contains(view, strings.TrimPrefix(want, "▲")+"▲") {
			t.Errorf("the chart lacks %q:\n%s", want, view)
		}
	}
	now, _ := v.scale().column(4000)
	if c := chartCells(t, v, "form", 158, 46); c[now] != '┃' {
		t.Errorf("the present budget is drawn %c", c[now])
	}
	// Where there are more thresholds than columns, the present one can be
	// beyond an end, and all can be walked to.
	v = sweeping(fleet(t, 60, 40).tune(func(c *engine.Config) { c.ListingMaxTokens = 200 }).snapshot(), termenv.Ascii, 60, 20, "end")
	if view := v.View(60, 20); !strings.Contains(view, "◂ now 200") {
		t.Errorf("nothing says where the present budget is:\n%s", view)
	}
	for i := len(v.from) - 1; i >= 0; i-- {
		if v.cursor != v.from[i] {
			t.Fatalf("the cursor is at %d, want %d", v.cursor, v.from[i])
		}
		if view := v.View(60, 20); !strings.Contains(view, "▲"+number(v.cursor)) && !strings.Contains(view, number(v.cursor)+"▲") {
			t.Fatalf("the cursor at %d does not show:\n%s", v.cursor, view)
		}
		v.HandleKey(keyMsg("left"))
	}
}

func TestSweepWalks(t *testing.T) {
	v := sweeping(harbourTown(t, 3300).snapshot(), termenv.Ascii, 118, 33, "home")
	var walked []int
	for range len(v.from) + 2 {
		walked = append(walked, v.cursor)
		v.HandleKey(keyMsg("right"))
	}
	if got := slices.Compact(walked); !slices.Equal(got, v.from) {
		t.Errorf("walked %v, want %v", got, v.from)
	}
	// By columns each step is a step on the screen, and to the end and back.
	for _, keys := range [][2]string{{"home", "l"}, {"end", "h"}, {"home", "shift+right"}, {"end", "shift+left"}} {
		v.HandleKey(keyMsg(keys[0]))
		last, _ := v.scale().column(v.cursor)
		for steps := 0; ; steps++ {
			before := v.cursor
			v.HandleKey(keyMsg(keys[1]))
			at, ok := v.scale().column(v.cursor)
			if v.cursor == before {
				if ends := map[string]bool{"l": at > len(v.scale().edges)-3, "h": at == 0}; steps < 20 || !ends[strings.NewReplacer("shift+right", "l", "shift+left", "h").Replace(keys[1])] {
					t.Errorf("%s stops at column %d after %d steps", keys[1], at, steps)
				}
				break
			}
			if !ok || at == last {
				t.Fatalf("%s from %d to %d stays in column %d", keys[1], before, v.cursor, at)
			}
			last = at
		}
	}
	// From between two thresholds left goes to the near one.
	v.HandleKey(keyMsg("end"))
	v.HandleKey(keyMsg("l"))
	v.HandleKey(keyMsg("left"))
	if v.cursor != v.from[len(v.from)-1] {
		t.Errorf("left from beyond the highest threshold is at %d", v.cursor)
	}
}

func TestSweepScrolls(t *testing.T) {
	v := sweeping(fleet(t, 60, 40).snapshot(), termenv.Ascii, 78, 21, "home")
	first := v.sweep.Labels[0]
	has := func(label string) bool { return strings.Contains(v.View(78, 21), "│ "+label) }
	if !has(first) {
		t.Fatal("the first group does not show")
	}
	v.HandleKey(keyMsg("down"))
	if has(first) || !has(v.sweep.Labels[1]) {
		t.Error("down did not scroll by one")
	}
	v.HandleWheel(-3)
	if !has(first) {
		t.Error("the wheel did not scroll back")
	}
	for range 20 {
		v.HandleKey(keyMsg("pgdown"))
	}
	if last := v.sweep.Labels[59]; !has(last) {
		t.Error("the last group cannot be reached")
	}
	// Walking brings the group that changes into view.
	for range len(v.from) {
		v.HandleKey(keyMsg("right"))
		var changed []string
		at := v.sweep.At(v.cursor)
		for i, l := range v.sweep.Labels {
			if v.sweep.Mode(at-1, i) != v.sweep.Mode(at, i) {
				changed = append(changed, l)
			}
		}
		if len(changed) == 1 && !has(changed[0]) {
			t.Errorf("at %d %s changes, and is out of view", v.cursor, changed[0])
		}
	}
}

// What enter asks for gives the budget under the cursor, in one step of undo.
func TestSweepApplies(t *testing.T) {
	for _, context := range []int{200000, 32000, 1000} {
		b := newBench(t, termenv.Ascii, 160, 48).answers(600)
		b.send(setMsg{keyContextLength, fmt.Sprint(context)}, setMsg{engine.KeyThresholdPct, "2"})
		b.press("v", "end")
		for range len(b.m.snap.Assembly.Ladder) + 2 {
			v := b.m.sheet.(*sweepView)
			at, before, undo := v.sweep.At(v.cursor), b.m.cfg, len(b.m.undo)
			legs, obstacle := v.sweep.LegsFor(v.cursor)
			b.press("enter")
			now := b.m.snap.Assembly
			switch {
			case obstacle != engine.ObstacleNone:
				if b.m.cfg != before || !strings.Contains(b.m.status, obstacleText(before, obstacle)) {
					t.Errorf("context %d: at %d it said %q", context, v.cursor, b.m.status)
				}
			case b.m.cfg.ListingMaxTokens != legs.ListingMaxTokens || b.m.cfg.ThresholdPct != legs.ThresholdPct || v.sweep.At(now.Budget.Tokens) != at:
				t.Errorf("context %d: at %d: %+v, a budget of %d", context, v.cursor, b.m.cfg, now.Budget.Tokens)
			case b.m.cfg != before:
				if len(b.m.undo) != undo+1 {
					t.Errorf("%d steps of undo for one change", len(b.m.undo)-undo)
				}
				b.press("u")
				if b.m.cfg != before {
					t.Errorf("undo gives %+v, want %+v", b.m.cfg, before)
				}
			}
			if b.m.sheet == nil {
				t.Fatal("the sweep went away")
			}
			b.press("left")
		}
	}
}

func TestSweepBothKeysAreOneUndo(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(600)
	b.send(setMsg{engine.KeyThresholdPct, "1"}, setMsg{engine.KeyListingMaxTokens, "1500"})
	before, undo := b.m.cfg, len(b.m.undo)
	b.press("v", "end").sees("threshold_pct binds: now its leg is only 2,000", "enter sets listing_max_tokens 1,500 →")
	b.press("enter").sees("TIER 1 full", "in force: ")
	if b.m.cfg.ThresholdPct == before.ThresholdPct || b.m.cfg.ListingMaxTokens == before.ListingMaxTokens {
		t.Errorf("not both keys changed: %+v", b.m.cfg)
	}
	if len(b.m.undo) != undo+1 {
		t.Errorf("%d steps of undo", len(b.m.undo)-undo)
	}
	if b.press("u"); b.m.cfg != before {
		t.Errorf("undo gives %+v", b.m.cfg)
	}
	// An error in one of several changes nothing.
	b.send(setManyMsg{{engine.KeyListingMaxTokens, "777"}, {"no_such_key", "1"}})
	if b.m.cfg != before || b.m.status == "" {
		t.Errorf("%+v, said %q", b.m.cfg, b.m.status)
	}
}

func TestSweepWords(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*engine.Config)
		giant  int
		keys   []string
		want   []string
	}{
		"a collapse": {func(c *engine.Config) {}, 300, []string{"end", "left"},
			[]string{"the least budget for it: mixed (1 of 4 summarised) → names", "expand, summary → names: registry"}},
		"the percentage binds": {func(c *engine.Config) { c.ThresholdPct = 0.5 }, 300, []string{"end"},
			[]string{"names → full", "threshold_pct binds: now its leg is only 1,000"}},
		"out of reach": {func(c *engine.Config) {}, 3300, []string{"end"}, []string{"no settings give it: listing_max_tokens goes to 60,000 only"}},
		"more than the context": {func(c *engine.Config) { c.ContextLength = 1000 }, 300, []string{"end"},
			[]string{"no settings give it: threshold_pct binds: its leg is only 1,000 at 100 %"}},
		"unknown context": {func(c *engine.Config) { c.ContextLength = 0 }, 3300, []string{"end", "left"},
			[]string{"no settings give it: threshold_pct binds: its leg is only 10,000 while the context is unknown"}},
		"unknown, below the least cap": {func(c *engine.Config) { c.ContextLength = 0 }, 300, []string{"home"},
			[]string{"listing_max_tokens is 200 at least, and no percentage moves an unknown context"}},
		"unknown, within": {func(c *engine.Config) { c.ContextLength = 0 }, 300, []string{"end"},
			[]string{"with the leg of threshold_pct 10,000, since the context is unknown"}},
		"too coarse": {func(c *engine.Config) { c.ContextLength = 20000000 }, 300, []string{"home", "right"},
			[]string{"listing_max_tokens is 200 at least, and a step of threshold_pct, 0.01 %, is 2,000 tokens: too coarse"}},
		"from none": {func(c *engine.Config) {}, 300, []string{"home", "right"},
			[]string{"none → mixed (3 of 4 summarised)", "expand, none → summary: registry, harbour, weather", "expand, none → names: logbook"}},
		"coarse": {func(c *engine.Config) {}, 300, []string{"home", "right", "right"},
			[]string{"threshold_pct 5 % → 0.05 % of 200k (its leg: 100), with listing_max_tokens 4,000; the budget comes to 100 then, which lists the same"}},
		"none":    {func(c *engine.Config) {}, 300, []string{"home"}, []string{"from 0 tokens: none", "threshold_pct 5 % → 0 %"}},
		"between": {func(c *engine.Config) {}, 300, []string{"home", "right", "right", "right", "l"}, []string{"mixed (1 of 4 summarised), as from ", "; from "}},
		"enabled": {func(c *engine.Config) { c.Enabled = engine.Off }, 300, []string{"end"}, []string{"Sweep, enabled: off", "this is what it would be"}},
		"listing": {func(c *engine.Config) { c.Listing = engine.Off }, 300, []string{"end"}, []string{"Sweep, listing: off", "this is what it would be"}},
		"over":    {func(c *engine.Config) { c.Listing = engine.On }, 300, []string{"home"}, []string{"from 0 tokens: groups over budget"}},
	} {
		v := sweeping(harbourTown(t, c.giant).tune(c.change).snapshot(), termenv.Ascii, 158, 46, c.keys...)
		view := v.View(158, 46)
		for _, w := range c.want {
			if !strings.Contains(view, w) {
				t.Errorf("%s: the sheet lacks %q:\n%s", name, w, view)
			}
		}
	}
}

func TestSweepMouseAndCopy(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(300).press("v")
	b.view()
	v := b.m.sheet.(*sweepView)
	area := b.m.sheetArea()
	r := centred(v.View(area.w, area.h), area)
	click := func(x, y int) {
		b.send(tea.MouseMsg{X: r.x + x, Y: r.y + y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	for column, band := range v.scale().bands {
		click(v.left+column, 2)
		if v.cursor != v.from[band] {
			t.Errorf("a click in column %d is at %d, want %d", column, v.cursor, v.from[band])
		}
	}
	at := v.cursor
	click(v.left, v.rows+1)
	click(2, 2)
	if v.cursor != at {
		t.Error("a click beside the chart moved the cursor")
	}
	b.press("y")
	if len(b.copied) != 1 || b.copied[0] != SweepText(b.m.snap.Assembly) || !strings.Contains(b.copied[0], "registry → one line") {
		t.Errorf("copied %q", b.copied)
	}
	for _, k := range []string{"v", "q", "esc"} {
		if b.press(k); b.m.sheet != nil || b.m.quitting {
			t.Fatalf("%s did not close the sweep alone", k)
		}
		b.press("v")
	}
	b.press("]").sees("threshold_pct 5 % → 5.1 %").press("}").sees("listing_max_tokens 4,000 → 4,100").press("<").sees("context_length 200k → 128k")
}

// The sweep is computed anew with the tools and the settings, and with nothing
// else.
func TestSweepIsComputedOnce(t *testing.T) {
	stage := harbourTown(t, 300).tune(func(c *engine.Config) { c.Enabled = engine.Off })
	s := stage.snapshot()
	v := sweeping(s, termenv.Ascii, 118, 33)
	first := &v.sweep.Bands[0]
	s.Spinner = "⠹"
	v.SetSnapshot(s)
	v.View(118, 33)
	if &v.sweep.Bands[0] != first {
		t.Error("it is computed again for the same assembly")
	}
	highest := v.from[len(v.from)-1]
	v.SetSnapshot(stage.ready("lights", "switch_on: Light the beacon.").snapshot())
	if now := v.from[len(v.from)-1]; now <= highest || !slices.Contains(v.sweep.Labels, "lights") {
		t.Error("a new server does not show")
	}
	// The same tools under other settings share their index.
	s = stage.tune(func(c *engine.Config) { c.Enabled = engine.Auto }).snapshot()
	v.SetSnapshot(s)
	c := s.Assembly.Config
	c.ThresholdPct, c.Listing = 1, engine.On
	s.Assembly, _ = s.Assembly.Retune(c)
	v.SetSnapshot(s)
	if v.sweep.Config != c || !v.sweep.Bands[0].OverBudget {
		t.Error("it is that of other settings")
	}
	v.HandleKey(keyMsg("end"))
	v.SetSnapshot(newStage(t).snapshot())
	checkSheet(t, v.View(118, 33), 118, 33)
	if v.cursor != 0 {
		t.Errorf("the cursor is at %d of nothing", v.cursor)
	}
}

func TestSweepOfNothing(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48)
	b.m.session.Scope.Disabled = []string{"logbook"}
	b.m.assemble()
	b.press("v").sees("there is nothing to list", "O opens your own configuration")
	b.press("left", "right", "h", "l", "home", "end", "up", "down", "y").view()
	b.press("enter").sees("there is nothing to sweep yet")
	b.send(eventsMsg{{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateConnecting}}).sees("Waiting for 1 server")
	b.answers(0).sees("harbour", "┃ now 4,000")
}

// Pressing the jump keys walks through every listing there are settings for, up
// and down.
func TestJumps(t *testing.T) {
	for _, context := range []int{0, 1000, 200000, 20000000} {
		for _, start := range []engine.Legs{{ListingMaxTokens: 4000, ThresholdPct: 5}, {ListingMaxTokens: 60000, ThresholdPct: 0}, {ListingMaxTokens: 200, ThresholdPct: 100}} {
			for _, giant := range []int{0, 600} { // the small town has a threshold just below 200
				b := newBench(t, termenv.Ascii, 160, 48).answers(giant)
				b.send(setMsg{keyContextLength, fmt.Sprint(context)}, setManyMsg{
					{engine.KeyListingMaxTokens, fmt.Sprint(start.ListingMaxTokens)}, {engine.KeyThresholdPct, fmt.Sprint(start.ThresholdPct)}})
				name := fmt.Sprintf("context %d, %+v, %d tools more", context, start, giant)
				for _, key := range []string{"(", ")"} {
					jumpOn(t, b, name, key)
				}
			}
		}
	}
}

// jumpOn presses a jump key until it moves nothing, and checks each move.
func jumpOn(t *testing.T, b *bench, name, key string) {
	t.Helper()
	first := b.m.snap.Assembly.Sweep()
	seen := map[int]bool{}
	for range 40 {
		before := b.m.snap.Assembly
		b.press(key)
		now := b.m.snap.Assembly
		seen[first.At(now.Budget.Tokens)] = true
		if b.m.cfg == before.Config {
			if !strings.Contains(b.m.status, "threshold") {
				t.Errorf("%s: it stops and says %q", name, b.m.status)
			}
			break
		}
		if now.Budget.Tokens == before.Budget.Tokens || (now.Budget.Tokens > before.Budget.Tokens) != (key == ")") {
			t.Fatalf("%s: %s goes from %d to %d", name, key, before.Budget.Tokens, now.Budget.Tokens)
		}
		if now.Config.ThresholdPct != before.Config.ThresholdPct && !strings.Contains(b.m.status, "threshold_pct binds") && !strings.Contains(b.m.status, "so threshold_pct moves") {
			t.Errorf("%s: the percentage moved, and it said %q", name, b.m.status)
		}
	}
	from := first.At(budget.ForListing(first.Config.ContextLength, first.Config.ThresholdPct, first.Config.ListingMaxTokens).Tokens)
	for i, band := range first.Bands {
		_, obstacle := first.LegsFor(band.From)
		if ahead := i > from == (key == ")") && i != from; ahead && obstacle == engine.ObstacleNone && !seen[i] {
			t.Errorf("%s: %s does not come by the band from %d", name, key, band.From)
		}
	}
}

func TestJumpSays(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(600)
	steps := b.m.snap.Assembly.Thresholds()
	names, full := steps[1].Tokens, steps[0].Tokens
	b.press(")").sees(fmt.Sprintf("listing_max_tokens 4,000 → %s", number(names)), "names in "+number(names))
	b.press("(").press("(").sees("mixed in")
	b.send(setMsg{engine.KeyThresholdPct, "1"}, setMsg{engine.KeyListingMaxTokens, "60000"})
	need := b.m.snap.Assembly.NeedFor(names)
	b.press(")").sees(fmt.Sprintf("threshold_pct 1 %% → %s %%", percent(*need.ThresholdPct)), "threshold_pct binds: its leg was only 2,000")
	b.send(setMsg{engine.KeyListingMaxTokens, "2000"}, setMsg{engine.KeyThresholdPct, "1"})
	b.press(")").sees("threshold_pct 1 %", "listing_max_tokens 2,000 → "+number(names), "threshold_pct binds: its leg was only 2,000")
	b.press(")", ")").sees("no threshold above the budget of " + plural(full, "token"))
	b.press("E", "E").press(")").sees("there is no threshold to go to: tier 0")
	if b.m.snap.Assembly.Budget.BoundBy == budget.LegPercent && b.m.cfg.Enabled != engine.Off {
		t.Error("the settings moved at tier 0")
	}
}
