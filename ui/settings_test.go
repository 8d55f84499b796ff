package ui

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

func TestUndoAndRedo(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(40)
	b.press("U").sees("nothing to do again")
	b.press("]", "}").press("u").sees("undone: listing_max_tokens 4,100 → 4,000").press("u").sees("undone: threshold_pct")
	b.press("U").sees("done again: threshold_pct 5 % → 5.1 %").press("U").sees("done again: listing_max_tokens").press("U").sees("nothing to do again")
	b.press("u", "N").sees("tool_names").press("U").sees("nothing to do again")
	if c := b.m.cfg; c.ThresholdPct != 5.1 || c.ListingMaxTokens != 4000 || c.ToolNames != engine.NamesDouble {
		t.Errorf("the settings are %+v", c)
	}
}

// Every setting is stepped, typed and put back in the settings sheet.
func TestSettings(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(40).press("=")
	b.sees("threshold_pct", "max_search_limit", "8k 16k 32k", "TIER 1 full")
	b.press("right", "shift+right", "j", "left", "shift+left", "j", "right", "j", "right", "j", "left", "j", "right", "j", "right", "j", "left")
	c := b.m.cfg
	if c.ThresholdPct != 6.1 || c.ListingMaxTokens != 2900 || c.ContextLength != 256000 || c.Listing != engine.On || c.Enabled != engine.Off ||
		c.ToolNames != engine.NamesDouble || c.SearchDefaultLimit != 6 || c.MaxSearchLimit != 24 {
		t.Errorf("the settings are %+v", c)
	}
	b.press("k", "k", "k", "k", "k", "k", "k", "3", "backspace", "2.5", "enter").sees("threshold_pct")
	if b.m.cfg.ThresholdPct != 2.5 {
		t.Errorf("typed 2.5, threshold_pct is %v", b.m.cfg.ThresholdPct)
	}
	b.press("enter", "much", "enter").sees("threshold_pct", "much") // as the engine repairs it, and said
	b.press("enter", "7", "esc", "o")
	if b.m.cfg.ThresholdPct != 5 {
		t.Errorf("as configured it is 5, not %v", b.m.cfg.ThresholdPct)
	}
	b.press("O")
	b.m.cfg.ToolNames = ""
	if b.m.cfg != b.m.original {
		t.Errorf("all as configured: %+v, not %+v", b.m.cfg, b.m.original)
	}
	b.press("u", "esc")
	if b.m.cfg.ListingMaxTokens != 2900 || b.m.sheet != nil {
		t.Errorf("one undo takes all of it back: %+v", b.m.cfg)
	}
}

// Two settings stand side by side, and either can be in force.
func TestSides(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(300).press("B").sees("Two settings", "the tools array has the same bytes").press("esc")
	b.press("A").sees("kept as side A").press("/", "gale", "esc").send(setMsg{engine.KeyListingMaxTokens, "300"}).press("B")
	b.sees("A, kept", "B, in force", "≠ listing_max_tokens", "4000", "300", "≠ tier", "the query finds", "mcp_weather_gale_warning", "▲ a prompt cache keeps")
	b.press(" ")
	if b.m.cfg.ListingMaxTokens != 4000 || b.m.snap.Kept.Config.ListingMaxTokens != 300 {
		t.Errorf("swapped to %d, kept %d", b.m.cfg.ListingMaxTokens, b.m.snap.Kept.Config.ListingMaxTokens)
	}
	if tier := b.m.snap.Kept.Assembly.Form; tier == b.m.snap.Assembly.Form {
		t.Errorf("both sides are %s", tier)
	}
	b.press("u").sees("300")
	// The kept side goes along with the tools, under other names too.
	b.press("esc", "N")
	if a := b.m.snap.Kept.Assembly; !strings.HasPrefix(a.Deferred[len(a.Deferred)-1].Name, "mcp_") {
		t.Errorf("side A has %s", a.Deferred[len(a.Deferred)-1].Name)
	}
}

// The pointer moves the sliders, and what it sets is where it points.
func TestSliders(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(40)
	p := b.m.panes[paneTier].(*tierPane)
	r := b.m.layout.panes[paneTier]
	if len(p.tracks) != 3 {
		t.Fatalf("%d sliders", len(p.tracks))
	}
	for i := range p.tracks {
		for _, action := range []tea.MouseAction{tea.MouseActionPress, tea.MouseActionMotion} {
			for _, at := range []float64{0, 0.3, 1} {
				s := p.tracks[i]
				x := s.x + int(at*float64(s.len-1))
				b.send(tea.MouseMsg{X: r.x + 1 + x, Y: r.y + 1 + s.line, Action: action, Button: tea.MouseButtonLeft})
				line := []rune(strings.Split(b.view(), "\n")[r.y+1+p.tracks[i].line])
				off := slices.Index(line, '●') - (r.x + 1 + x)
				if near := map[bool]int{true: 1}[s.key == keyContextLength]; max(off, -off) > near { // the sizes lie apart
					t.Errorf("%s at %v: off by %d in %q", s.key, at, off, string(line[:60]))
				}
			}
		}
	}
	if c := b.m.cfg; c.ThresholdPct != 100 || c.ListingMaxTokens != maxListingTokens || c.ContextLength != 2000000 {
		t.Errorf("the settings are %+v", c)
	}
	b.send(tea.MouseMsg{X: 0, Y: 0, Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft}).view()
}
