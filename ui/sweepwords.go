package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/ui/display"
)

// words says what changes at the cursor and what gives its budget, in at most
// so many lines: what matters most first where there are few.
func (v *sweepView) words(width, most int) []string {
	t := v.theme
	brief := most < 4
	head := indented(t.accent, "▲ "+v.head(brief), width)
	changes := v.changes(width)
	settings := indented(t.text, v.settings(brief), width)
	var out []string
	if brief {
		out = slices.Concat(head, settings, changes)
	} else {
		out = slices.Concat(head, changes, settings)
	}
	if why := v.absent(); why != "" && !brief { // the title says it too
		note := indented(t.warn, why+" keeps the listing from being: this is what it would be", width)
		out = slices.Concat(head, note, out[len(head):])
	}
	if len(out) > most {
		out = out[:most]
		out[most-1] = ansi.Truncate(out[most-1], width-1, "") + "…"
	}
	return out
}

// head is the budget under the cursor and what the listing is from there on.
func (v *sweepView) head(brief bool) string {
	at := v.sweep.At(v.cursor)
	from := v.from[at]
	switch {
	case v.cursor > from:
		said := fmt.Sprintf("at %s: %s, as from %s on", plural(v.cursor, "token"), v.formWords(at), number(from))
		if at+1 < len(v.from) && !brief {
			said += fmt.Sprintf("; from %s on %s", number(v.from[at+1]), v.formWords(at+1))
		}
		return said
	case at == 0:
		return "from 0 tokens: " + v.formWords(at)
	case brief:
		return fmt.Sprintf("from %s: %s → %s", number(from), v.formAt(at-1), v.formAt(at))
	}
	return fmt.Sprintf("from %s on, the least budget for it: %s → %s", plural(from, "token"), v.formWords(at-1), v.formWords(at))
}

// formWords is the form of a band; where it is mixed, with how much of it is.
func (v *sweepView) formWords(band int) string {
	if v.sweep.Bands[band].Form != engine.FormMixed {
		return v.formAt(band)
	}
	n := 0
	for i := range v.sweep.Labels {
		if v.sweep.Mode(band, i) == engine.ModeSummary {
			n++
		}
	}
	return fmt.Sprintf("mixed (%d of %d summarised)", n, len(v.sweep.Labels))
}

// changes is which groups expand where the band under the cursor begins, a line
// for each kind of change.
func (v *sweepView) changes(width int) []string {
	at := v.sweep.At(v.cursor)
	if at == 0 {
		return nil
	}
	var kinds []string
	groups := map[string][]string{}
	for i, label := range v.sweep.Labels {
		old, now := v.sweep.Mode(at-1, i), v.sweep.Mode(at, i)
		if old == now {
			continue
		}
		kind := string(old) + " → " + string(now)
		if groups[kind] == nil {
			kinds = append(kinds, kind)
		}
		groups[kind] = append(groups[kind], label)
	}
	var out []string
	for _, kind := range kinds {
		said := "expand, " + kind + ": "
		out = append(out, " "+v.theme.muted.Render(said)+some(groups[kind], width-ansi.StringWidth(said)-2))
	}
	if len(out) == 0 {
		out = append(out, " "+v.theme.muted.Render("every group stays as it is: the text fits from here on"))
	}
	return out
}

// some names as many as there is room for, and counts the others.
func some(names []string, cells int) string {
	out := ""
	for i, name := range names {
		next := out + display.Clip(name, 24)
		rest := ""
		if i < len(names)-1 {
			rest = fmt.Sprintf(" and %s more", number(len(names)-i-1))
		}
		if i > 0 && ansi.StringWidth(next+rest) > cells {
			return strings.TrimSuffix(out, ", ") + fmt.Sprintf(" and %s more", number(len(names)-i))
		}
		out = next + ", "
	}
	return strings.TrimSuffix(out, ", ")
}

// settings is what gives the budget under the cursor at the present context
// length, or why nothing does.
func (v *sweepView) settings(brief bool) string {
	c := v.a.Config
	legs, obstacle := v.sweep.LegsFor(v.cursor)
	if obstacle != engine.ObstacleNone {
		return "no settings give it: " + obstacleText(c, obstacle)
	}
	limit, pct := "listing_max_tokens "+number(legs.ListingMaxTokens), "threshold_pct "+percent(legs.ThresholdPct)+" %"
	limitMoves, pctMoves := legs.ListingMaxTokens != c.ListingMaxTokens, legs.ThresholdPct != c.ThresholdPct
	if brief {
		return settingsInBrief(limit, pct, limitMoves, pctMoves)
	}
	if limitMoves {
		limit = fmt.Sprintf("listing_max_tokens %s → %s", number(c.ListingMaxTokens), number(legs.ListingMaxTokens))
	}
	if pctMoves {
		pct = fmt.Sprintf("threshold_pct %s %% → %s %%", percent(c.ThresholdPct), percent(legs.ThresholdPct))
	}
	result := budget.ForListing(c.ContextLength, legs.ThresholdPct, legs.ListingMaxTokens)
	pct += fmt.Sprintf(" of %s (its leg: %s)", contextName(c.ContextLength), number(result.PercentLeg))
	if c.ContextLength <= 0 {
		pct = fmt.Sprintf("the leg of threshold_pct %s, since the context is unknown", number(result.PercentLeg))
	}
	said := "in force: " + limit + ", " + pct
	switch {
	case limitMoves && pctMoves:
		said = "enter sets " + limit + " and " + pct
	case limitMoves:
		said = "enter sets " + limit + ", with " + pct
	case pctMoves:
		said = "enter sets " + pct + ", with " + limit
	}
	if legs.ThresholdPct > c.ThresholdPct {
		said += fmt.Sprintf("; threshold_pct binds: now its leg is only %s", number(v.a.Budget.PercentLeg))
	}
	if result.Tokens != v.cursor {
		said += fmt.Sprintf("; the budget comes to %s then, which lists the same", number(result.Tokens))
	}
	return said
}

// settingsInBrief is the settings in so few words that a narrow line holds them.
func settingsInBrief(limit, pct string, limitMoves, pctMoves bool) string {
	switch {
	case limitMoves && pctMoves:
		return limit + ", " + strings.TrimPrefix(pct, "threshold_pct ")
	case limitMoves:
		return "enter: " + limit
	case pctMoves:
		return "enter: " + pct
	}
	return "in force: " + strings.TrimPrefix(limit, "listing_max_tokens ") + ", " + strings.TrimPrefix(pct, "threshold_pct ")
}
