package engine

// NextThreshold returns the nearest listing budget, in tokens, above or below
// another at which the listing becomes a different one, 0 being the lowest. It
// is false where there is none, also where there is no ladder.
func (a Assembly) NextThreshold(tokens int, up bool) (int, bool) {
	n := closest[int]{from: tokens, up: up}
	if len(a.Ladder) > 0 {
		n.offer(0)
	}
	for _, t := range a.Thresholds() {
		if t.Reachable {
			n.offer(t.Tokens)
		}
	}
	return n.best, n.found
}

// NextThresholdTokens returns the nearest value of listing_max_tokens above or
// below another at which the listing becomes a different one, threshold_pct
// being what it is; the least value of the key, 200, is the lowest. Above the
// percentage leg there is none: no value of this key changes the budget there.
// It is false where there is none, also where there is no ladder.
func (a Assembly) NextThresholdTokens(listingMaxTokens int, up bool) (int, bool) {
	n := closest[int]{from: listingMaxTokens, up: up}
	if len(a.Ladder) > 0 {
		n.offer(listingMaxTokensMin)
	}
	for _, t := range a.Thresholds() {
		if t.Reachable && t.Tokens > listingMaxTokensMin && t.Tokens <= min(listingMaxTokensMax, a.Budget.PercentLeg) {
			n.offer(t.Tokens)
		}
	}
	return n.best, n.found
}

// NextThresholdPct returns the nearest value of threshold_pct, of two decimals,
// above or below another at which the listing becomes a different one,
// listing_max_tokens being what it is; 0 is the lowest. It is false where there
// is none, also where there is no ladder or the context is unknown.
func (a Assembly) NextThresholdPct(thresholdPct float64, up bool) (float64, bool) {
	n := closest[float64]{from: thresholdPct, up: up}
	if a.Config.ContextLength <= 0 {
		return 0, false
	}
	if len(a.Ladder) > 0 {
		n.offer(0)
	}
	for _, t := range a.Thresholds() {
		if !t.Reachable || t.Tokens > a.Config.ListingMaxTokens {
			continue
		}
		if pct, ok := leastPercent(a.Config.ContextLength, t.Tokens); ok {
			n.offer(pct)
		}
	}
	return n.best, n.found
}

// closest keeps, of the values it is offered, the nearest on one side of
// another.
type closest[T int | float64] struct {
	from  T
	up    bool
	best  T
	found bool
}

func (n *closest[T]) offer(v T) {
	if n.up && v > n.from && (!n.found || v < n.best) || !n.up && v < n.from && (!n.found || v > n.best) {
		n.best, n.found = v, true
	}
}
