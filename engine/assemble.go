package engine

import "toolscope/budget"

// Assembly is what the model is given for one session under one
// configuration, with everything that led to it.
type Assembly struct {
	Config     Config
	Tier       int  // 0: no bridge; 1: bridge with tool names; 2: bridge without
	Form       Form // of the listing
	Activated  bool // the bridge is there (tier 1 or 2)
	OverBudget bool // listing: on embedded a text that does not fit
	Budget     budget.Listing
	Warnings   []Warning // of names: collisions, long names, bridge names

	Visible        []Definition // stay as they are: core first, then (tier 0) the deferrable ones
	VisibleTokens  int          // without the bridges
	Deferred       []Definition // behind the bridge, sorted by wire name; empty at tier 0
	DeferredTokens int          // what their definitions would cost, on wire names
	Bridges        []Definition // the three bridge tools; none at tier 0
	BridgeTokens   int          // includes the listing

	Listing Listing
	Ladder  []Step  // the trace; none at tier 0 or with listing: off
	Groups  []Group // one per label of a deferrable tool, sorted by label; at every tier

	Index *Index // the searchable catalog of the deferred tools
}

// Listing is the manifest embedded in tool_search's description.
type Listing struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	Chars  int    `json:"chars"` // Unicode code points
}

// Group is the tools under one label and what listing them costs.
type Group struct {
	Label  string
	Source Source // SourceMCP where servers and plugins share the label
	Tools  int
	Mode   Mode
	Tokens FormTokens // of the group's own block alone, without the joining newline
}

// FormTokens is the cost of one group's block in each form, in tokens.
type FormTokens struct {
	Full    int `json:"full"`
	Names   int `json:"names"`
	Summary int `json:"summary"`
}
