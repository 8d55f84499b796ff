package ui

import (
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/budget"
	"toolscope/engine"
)

// jumpMsg moves listing_max_tokens to the next value at which the listing
// changes, or threshold_pct where that binds.
type jumpMsg struct{ up bool }

// jump goes from threshold to threshold. The leg that binds is the one that
// moves; where it cannot bring the next threshold about, the other one moves
// too, or instead.
func (m model) jump(up bool) (tea.Model, tea.Cmd) {
	a := m.snap.Assembly
	if len(a.Ladder) == 0 {
		return m.say("there is no threshold to go to: " + noLadder(a))
	}
	legs, why := nextLegs(a, up)
	if why != "" {
		return m.say(why)
	}
	ask := setLegs(a.Config, legs)
	next, cmd := m.setMany(ask)
	now := next.(model)
	if legs.ThresholdPct != a.Config.ThresholdPct {
		now.status += " · " + percentMoved(a, up)
	}
	now.status += " · " + listingWord(now.snap.Assembly)
	return now, cmd
}

// nextLegs are the settings of the next threshold, or else why there are none.
func nextLegs(a engine.Assembly, up bool) (legs engine.Legs, why string) {
	c, b := a.Config, a.Budget
	legs = engine.Legs{ListingMaxTokens: c.ListingMaxTokens, ThresholdPct: c.ThresholdPct}
	found := false
	if b.BoundBy == budget.LegPercent {
		if legs.ThresholdPct, found = a.NextThresholdPct(c.ThresholdPct, up); found {
			return legs, ""
		}
	} else if legs.ListingMaxTokens, found = a.NextThresholdTokens(c.ListingMaxTokens, up); found {
		return legs, ""
	}
	why = "no threshold " + map[bool]string{true: "above", false: "below"}[up] + " the budget of " + plural(b.Tokens, "token")
	for tokens, ok := a.NextThreshold(b.Tokens, up); ok; tokens, ok = a.NextThreshold(tokens, up) {
		legs, obstacle := a.Sweep().LegsFor(tokens)
		if obstacle != engine.ObstacleNone {
			why = "the next threshold is " + plural(tokens, "token") + ": " + obstacleText(c, obstacle)
			continue
		}
		// Where a percentage is too coarse, the settings can be those of the
		// present budget.
		if budget.ForListing(c.ContextLength, legs.ThresholdPct, legs.ListingMaxTokens).Tokens != b.Tokens {
			return legs, ""
		}
	}
	return legs, why
}

// listingWord is the form of a listing and where its budget lies, in few words.
func listingWord(a engine.Assembly) string {
	return bandName(a.Form, a.OverBudget) + " in " + plural(a.Budget.Tokens, "token")
}

// bandName is a form for a person.
func bandName(form engine.Form, over bool) string {
	if over {
		return string(form) + " over budget"
	}
	return string(form)
}

// percentMoved says why threshold_pct had to move.
func percentMoved(a engine.Assembly, up bool) string {
	switch {
	case !up && a.Budget.BoundBy == budget.LegCap:
		return fmt.Sprintf("listing_max_tokens is %d at least, so threshold_pct moves", minListingTokens)
	case up:
		return "threshold_pct binds: its leg was only " + number(a.Budget.PercentLeg)
	}
	return "threshold_pct binds: its leg was " + number(a.Budget.PercentLeg)
}

// setLegs asks for the settings of which the legs differ from a configuration.
func setLegs(c engine.Config, l engine.Legs) setManyMsg {
	var ask setManyMsg
	if l.ListingMaxTokens != c.ListingMaxTokens {
		ask = append(ask, setMsg{engine.KeyListingMaxTokens, strconv.Itoa(l.ListingMaxTokens)})
	}
	if l.ThresholdPct != c.ThresholdPct {
		ask = append(ask, setMsg{engine.KeyThresholdPct, strconv.FormatFloat(l.ThresholdPct, 'f', -1, 64)})
	}
	return ask
}

// obstacleText says why no settings give a budget.
func obstacleText(c engine.Config, o engine.Obstacle) string {
	switch o {
	case engine.ObstacleCap:
		return "listing_max_tokens goes to " + number(maxListingTokens) + " only"
	case engine.ObstacleContext:
		return fmt.Sprintf("threshold_pct binds: its leg is only %s at 100 %%, the whole context", number(c.ContextLength))
	case engine.ObstacleUnknownContext:
		return fmt.Sprintf("threshold_pct binds: its leg is only %s while the context is unknown", number(budget.UnknownContextLeg))
	}
	if c.ContextLength <= 0 {
		return fmt.Sprintf("listing_max_tokens is %d at least, and no percentage moves an unknown context", minListingTokens)
	}
	return fmt.Sprintf("listing_max_tokens is %d at least, and a step of threshold_pct, 0.01 %%, is %s tokens: too coarse", minListingTokens, number(max(1, c.ContextLength/10000)))
}
