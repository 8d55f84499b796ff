package ui

import (
	"strconv"
	"strings"
	"text/tabwriter"

	"toolscope/engine"
	"toolscope/ui/display"
)

// SweepText returns every step of the ladder with the least listing budget at
// which it is the answer, and the settings that reach it, as text for a person:
// the richest form first, one line each, safe to print. Where there is no
// ladder it is one line that says why.
func SweepText(a engine.Assembly) string {
	if len(a.Ladder) == 0 {
		return noLadder(a) + "\n"
	}
	var out strings.Builder
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...string) { t.Write([]byte(strings.Join(cells, "\t") + "\n")) }
	row("form", "from tokens", "listing_max_tokens", "threshold_pct", "  collapse")
	for i, step := range a.Thresholds() {
		tokens, limit, pct, note := "never", "–", "–", ""
		if need, ok := a.NeedForStep(step); ok {
			tokens, limit = strconv.Itoa(step.Tokens), strconv.Itoa(*need.ListingMaxTokens)
			if need.ThresholdPct != nil {
				pct = strconv.FormatFloat(*need.ThresholdPct, 'f', 2, 64)
			}
		}
		if step.Collapsed != "" {
			note = display.Text(step.Collapsed) + " → one line"
		}
		if i == a.Chosen() {
			note += "  ← now"
		}
		row(string(step.Form), tokens, limit, pct, "  "+note)
	}
	t.Flush()
	return out.String()
}

// noLadder says why an assembly has no ladder.
func noLadder(a engine.Assembly) string {
	if a.Activated {
		return "listing: off, so there is no ladder"
	}
	return "tier 0: nothing is deferred, so there is no listing to fit"
}
