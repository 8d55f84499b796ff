package engine

import (
	"math"
	"slices"

	"toolscope/budget"
)

// Sweep is the listing under every budget there can be, for one set of tools:
// what an assembly says of its own budget, said of all of them.
type Sweep struct {
	Config Config   // of the assembly
	Labels []string // of the groups, in the order in which they collapse
	Bands  []Band   // from the budget 0 up; none where there is nothing to list
}

// Band is a run of budgets that give the same listing. It ends where the next
// one begins.
type Band struct {
	From       int  // the least budget, in tokens
	Form       Form // of the listing
	OverBudget bool // listing: on embeds a text that does not fit

	step int // index in the ladder of the answer; -1 for no listing
}

// Sweep returns the listing under every budget. Where the assembly has no
// ladder, because enabled or listing is off, it is that of enabled: on and
// listing: auto.
func (a Assembly) Sweep() Sweep {
	s := Sweep{Config: a.Config}
	steps := a.Ladder
	if len(steps) == 0 {
		_, deferrable := split(a.Visible)
		if a.Activated {
			deferrable = a.Deferred
		}
		if len(deferrable) == 0 {
			return s
		}
		steps = ladder(blocks(deferrable), a.Budget.Tokens)
	}
	for _, step := range steps[2:] {
		s.Labels = append(s.Labels, step.Collapsed)
	}
	bottom := Band{Form: FormNone, step: -1}
	if a.Config.Listing == On {
		last := len(steps) - 1
		bottom = Band{Form: steps[last].Form, OverBudget: true, step: last}
	}
	least := math.MaxInt
	for i, step := range steps {
		if step.Tokens < least {
			least = step.Tokens
			s.Bands = append(s.Bands, Band{From: step.Tokens, Form: step.Form, step: i})
		}
	}
	s.Bands = append(s.Bands, bottom)
	slices.Reverse(s.Bands)
	return s
}

// At returns the index of the band that a budget lies in, or -1 where there is
// none.
func (s Sweep) At(tokens int) int {
	for i := range s.Bands {
		if s.Bands[i].From > tokens {
			return max(0, i-1)
		}
	}
	return len(s.Bands) - 1
}

// Mode returns the mode that a group has in a band, both by their indexes.
func (s Sweep) Mode(band, label int) Mode {
	switch step := s.Bands[band].step; {
	case step < 0:
		return ModeNone
	case step == 0:
		return ModeFull
	case label <= step-2:
		return ModeSummary
	}
	return ModeNames
}

// Legs are the settings that make the two legs of the listing budget.
type Legs struct {
	ListingMaxTokens int     // tokens
	ThresholdPct     float64 // percent of the context
}

// Obstacle is why no settings bring the listing budget to a number of tokens.
type Obstacle int

// The obstacles.
const (
	ObstacleNone           Obstacle = iota
	ObstacleCap                     // listing_max_tokens does not go so high
	ObstacleContext                 // the whole context is less
	ObstacleUnknownContext          // the context is unknown, and the percentage leg a constant that is less
	ObstacleFloor                   // listing_max_tokens does not go so low, and no percentage brings it about
)

// LegsFor returns the settings that bring the listing budget to so many tokens
// at the present context length. They differ from the present ones in as few
// keys as can be. Below the least value of listing_max_tokens the percentage
// alone decides, and where two decimals are too coarse for the very budget the
// settings give one that is larger but gives the same listing.
func (s Sweep) LegsFor(tokens int) (Legs, Obstacle) {
	c := s.Config
	now := Legs{c.ListingMaxTokens, c.ThresholdPct}
	result := func(l Legs) int { return budget.ForListing(c.ContextLength, l.ThresholdPct, l.ListingMaxTokens).Tokens }
	if result(now) == tokens {
		return now, ObstacleNone
	}
	if tokens > listingMaxTokensMax {
		return now, ObstacleCap
	}
	pct, known := leastPercent(c.ContextLength, tokens)
	if !known {
		pct = now.ThresholdPct
	}
	if tokens >= listingMaxTokensMin {
		for _, l := range []Legs{{tokens, now.ThresholdPct}, {now.ListingMaxTokens, pct}, {tokens, pct}} {
			if result(l) == tokens {
				return l, ObstacleNone
			}
		}
		if c.ContextLength <= 0 {
			return now, ObstacleUnknownContext
		}
		return now, ObstacleContext
	}
	if l := (Legs{now.ListingMaxTokens, pct}); known && s.At(result(l)) == s.At(tokens) {
		return l, ObstacleNone
	}
	if c.ContextLength > 0 && !known {
		return now, ObstacleContext
	}
	return now, ObstacleFloor
}
