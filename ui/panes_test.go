package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

// The panes of the decision, in every state a session can be in, at the sizes
// they have on screens of 160×48, 120×36 and 80×24.
func TestPaneFrames(t *testing.T) {
	states := map[string]func() Snapshot{
		"full":  func() Snapshot { return harbourTown(t, 0).snapshot() },
		"empty": func() Snapshot { return newStage(t).snapshot() },
		"tier 0": func() Snapshot {
			return harbourTown(t, 0).tune(func(c *engine.Config) { c.Enabled = engine.Off }).snapshot()
		},
		"unknown": func() Snapshot {
			return harbourTown(t, 3300).configured(func(c *engine.Config) { c.ContextLength = 0 }).snapshot()
		},
		"none": func() Snapshot {
			return harbourTown(t, 0).tune(func(c *engine.Config) { c.ThresholdPct = 0 }).snapshot()
		},
		"over budget": func() Snapshot {
			return harbourTown(t, 3300).tune(func(c *engine.Config) { c.ThresholdPct, c.Listing = 0.001, engine.On }).snapshot()
		},
		"mixed, after": func() Snapshot {
			return harbourTown(t, 3300).tune(func(c *engine.Config) { c.ThresholdPct = 4 }).after(harbourTown(t, 0).snapshot())
		},
	}
	sizes := map[string][3][2]int{
		"160x48": {{52, 20}, {104, 20}, {52, 14}}, "120x36": {{44, 14}, {72, 14}, {44, 9}}, "80x24": {{78, 19}, {78, 19}, {78, 19}},
	}
	for state, make := range states {
		for size, inner := range sizes {
			t.Run(state+" at "+size, func(t *testing.T) {
				th := queryTheme(termenv.Ascii)
				var frames []string
				for i, p := range []pane{newTierPane(th), newListingPane(th), newBudgetPane(th)} {
					w, h := inner[i][0], inner[i][1]
					shown(p, make(), w, h)
					for _, l := range strings.Split(p.View(), "\n") {
						if ansi.StringWidth(l) > w {
							t.Errorf("a line of %d cells in a pane of %d: %q", ansi.StringWidth(l), w, l)
						}
					}
					name, note := p.Title()
					frames = append(frames, frame(th, paneID(i+1), name, note, p.Foot(), p.View(), w+2, h+2, true))
				}
				golden.RequireEqual(t, []byte(strings.Join(frames, "\n")))
			})
		}
	}
}

// The distance to the next form is true: the setting that is named brings it.
func TestDistancesAreTrue(t *testing.T) {
	s := harbourTown(t, 3300)
	a := s.snapshot().Assembly
	for _, step := range a.Thresholds() {
		need, ok := a.NeedForStep(step)
		if !ok {
			continue
		}
		b := harbourTown(t, 3300).tune(func(c *engine.Config) {
			c.ListingMaxTokens = max(c.ListingMaxTokens, *need.ListingMaxTokens)
			c.ThresholdPct = max(c.ThresholdPct, *need.ThresholdPct)
		}).snapshot().Assembly
		if b.Budget.Tokens < step.Tokens {
			t.Errorf("%s says %s, which makes a budget of %d", step.Form, needText(a, need), b.Budget.Tokens)
		}
		if said := needText(a, need); step.Tokens > a.Budget.Tokens && !strings.Contains(said, number(*need.ListingMaxTokens)) && !strings.Contains(said, fmt.Sprint(*need.ThresholdPct)) {
			t.Errorf("%s says %s", step.Form, said)
		}
	}
}
