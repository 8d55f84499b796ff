package engine

// Switch is a three-way setting. Auto is On today, and shown as what it is.
type Switch string

// The values of a [Switch].
const (
	Auto Switch = "auto"
	On   Switch = "on"
	Off  Switch = "off"
)

// ToolSearch is the effective configuration block tools.tool_search.
type ToolSearch struct {
	Enabled            Switch  `json:"enabled"`
	ThresholdPct       float64 `json:"threshold_pct"`        // percent of the context, 0–100
	SearchDefaultLimit int     `json:"search_default_limit"` // matches per query, 1–MaxSearchLimit
	MaxSearchLimit     int     `json:"max_search_limit"`     // 1–50
	Listing            Switch  `json:"listing"`
	ListingMaxTokens   int     `json:"listing_max_tokens"` // tokens, 200–60000
}

// Config is all that an assembly depends on besides the session's tools.
type Config struct {
	ToolSearch
	ContextLength int       // the model's context in tokens; 0: unknown
	ToolNames     NameStyle // "" is single
}

// Warning says that something given was not used as given: a key that was
// clamped, ignored or repaired, a tool that was shadowed or left out.
type Warning struct {
	Key     string `json:"key"`     // the setting's key, or the tool's wire name
	Given   string `json:"given"`   // the value given
	Used    string `json:"used"`    // the value in force; "" where ignored or left out
	Message string `json:"message"` // one sentence for a person
}
