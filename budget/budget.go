// Package budget counts tokens: the engine's estimate, the listing budget and
// the context bill. It takes integers and returns integers; it knows nothing
// of tools, servers or screens.
package budget

// Estimate returns the tokens that a text of so many characters (Unicode code
// points, not bytes) is taken to cost: ceil(characters / 4). It is the
// engine's only ruler. A negative count is read as 0.
func Estimate(characters int) int {
	if characters <= 0 {
		return 0
	}
	return (characters + 3) / 4
}

// UnknownContextLeg is the percentage leg, in tokens, where the context length
// is unknown.
const UnknownContextLeg = 10000

// Leg names the configuration key whose leg of the listing budget binds.
type Leg string

// The two legs of the listing budget.
const (
	LegCap     Leg = "listing_max_tokens"
	LegPercent Leg = "threshold_pct"
)

// Listing is the listing budget and how it came about. All figures are tokens.
type Listing struct {
	Tokens     int `json:"tokens"`      // the smaller leg, never below 0
	PercentLeg int `json:"percent_leg"` // threshold_pct of the context length, truncated
	CapLeg     int `json:"cap_leg"`     // listing_max_tokens
	BoundBy    Leg `json:"bound_by"`    // the leg that binds; the cap where both are equal
}

// ForListing returns the listing budget of a context of contextLength tokens
// (0 or less: unknown), of which thresholdPct percent (0–100, fractions
// allowed) may go to the listing, capped at listingMaxTokens.
//
// The percentage leg is int(contextLength × (thresholdPct/100)) in float64,
// the division first: 8000 at 0.7 % gives 55, not 56.
func ForListing(contextLength int, thresholdPct float64, listingMaxTokens int) Listing {
	l := Listing{PercentLeg: UnknownContextLeg, CapLeg: listingMaxTokens, BoundBy: LegCap}
	if contextLength > 0 {
		l.PercentLeg = int(float64(contextLength) * (thresholdPct / 100))
	}
	l.Tokens = l.CapLeg
	if l.PercentLeg < l.CapLeg {
		l.Tokens, l.BoundBy = l.PercentLeg, LegPercent
	}
	l.Tokens = max(0, l.Tokens)
	return l
}
