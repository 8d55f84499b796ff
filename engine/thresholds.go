package engine

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
