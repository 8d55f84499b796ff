package engine

// Form is the form of the whole listing.
type Form string

// The forms, from the richest down.
const (
	FormFull   Form = "full"   // every tool with its short description
	FormNames  Form = "names"  // every tool by name
	FormMixed  Form = "mixed"  // some groups by name, some summarised
	FormGroups Form = "groups" // every group summarised
	FormNone   Form = "none"   // no listing
)

// Mode is the form of one group's block in the listing.
type Mode string

// The modes of a group.
const (
	ModeFull    Mode = "full"
	ModeNames   Mode = "names"
	ModeSummary Mode = "summary"
	ModeNone    Mode = "none"  // there is no listing
	ModeEager   Mode = "eager" // tier 0: the tools themselves are visible
)

// Step is one rung of the ladder.
type Step struct {
	Step      int    `json:"step"` // from 1
	Form      Form   `json:"form"`
	Collapsed string `json:"collapsed"` // the label this step summarised; "" for full and names
	Tokens    int    `json:"tokens"`
	Fits      bool   `json:"fits"`
}
