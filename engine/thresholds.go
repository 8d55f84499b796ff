package engine

import (
	"math"

	"toolscope/budget"
)

// Threshold is the least listing budget, in tokens, at which a step of the
// ladder becomes the answer. Reachable is false for a step that can never be
// the answer, since an earlier one costs no more.
type Threshold struct {
	Tokens    int
	Form      Form
	Collapsed string
	Reachable bool
}

// Need is what it takes to bring the listing budget to a number of tokens.
// A leg that would have to leave its range has no value.
type Need struct {
	Tokens           int      // the budget needed
	ListingMaxTokens *int     // the least value that reaches it, 200–60000
	ThresholdPct     *float64 // the least value of two decimals that reaches it, 0–100; nil too where the context is unknown
}

// Thresholds returns, for each step of the ladder in order, the least budget
// at which it is the answer. It is empty where there is no ladder.
func (a Assembly) Thresholds() []Threshold {
	all := make([]Threshold, len(a.Ladder))
	least := math.MaxInt
	for i, s := range a.Ladder {
		all[i] = Threshold{Tokens: s.Tokens, Form: s.Form, Collapsed: s.Collapsed, Reachable: s.Tokens < least}
		least = min(least, s.Tokens)
	}
	return all
}

// NeedFor returns what each leg of the listing budget must be for the budget
// to come to so many tokens. Both legs must hold: a leg that already does is
// given by its least value all the same.
func (a Assembly) NeedFor(tokens int) Need {
	n := Need{Tokens: tokens}
	if tokens <= listingMaxTokensMax {
		least := max(tokens, listingMaxTokensMin)
		n.ListingMaxTokens = &least
	}
	if pct, ok := leastPercent(a.Config.ContextLength, tokens); ok {
		n.ThresholdPct = &pct
	}
	return n
}

// NeedForStep is [Assembly.NeedFor] for a step of the ladder, and whether the
// step has a threshold at all: it must be reachable, and its budget within
// 60,000 tokens and 100 % of the context. Where the context is unknown, the
// percentage leg is a constant that no percentage moves.
func (a Assembly) NeedForStep(t Threshold) (Need, bool) {
	n := a.NeedFor(t.Tokens)
	return n, t.Reachable && a.attainable(n)
}

// attainable reports whether both legs can reach a need.
func (a Assembly) attainable(n Need) bool {
	if n.ListingMaxTokens == nil {
		return false
	}
	if a.Config.ContextLength <= 0 {
		return n.Tokens <= budget.UnknownContextLeg
	}
	return n.ThresholdPct != nil
}

// leastPercent returns the smallest percentage of two decimals whose truncated
// part of the context is so many tokens.
func leastPercent(contextLength, tokens int) (float64, bool) {
	if contextLength <= 0 {
		return 0, false
	}
	reaches := func(hundredths int) bool {
		return budget.ForListing(contextLength, float64(hundredths)/100, math.MaxInt).PercentLeg >= tokens
	}
	// The estimate may be off by one in either direction, as floats go.
	h := int(math.Ceil(float64(tokens) / float64(contextLength) * 100 * 100))
	for h > 0 && reaches(h-1) {
		h--
	}
	for h <= 100*100 && !reaches(h) {
		h++
	}
	if h > 100*100 {
		return 0, false
	}
	return float64(h) / 100, true
}

// NeedToList returns what it takes to have a group's tools listed by name, and
// whether anything does: a group that is unknown, that no reachable step lists,
// or whose step needs a budget beyond the range of a leg, cannot be listed.
func (a Assembly) NeedToList(label string) (Need, bool) {
	collapse := -1
	for i, s := range a.Ladder {
		if s.Collapsed == label && i >= 2 {
			collapse = i
		}
	}
	if collapse < 0 {
		return Need{}, false
	}
	tokens := -1
	for _, t := range a.Thresholds()[:collapse] {
		if t.Reachable {
			tokens = t.Tokens // they only fall from one reachable step to the next
		}
	}
	n := a.NeedFor(tokens)
	return n, a.attainable(n)
}
