package engine

import (
	"slices"
	"unicode/utf8"

	"toolscope/budget"
)

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

// Assemble computes what a model is given for a session: the engine's
// specification, §4. It depends on nothing but its arguments.
func Assemble(s Session, c Config) Assembly {
	definitions, warnings := Definitions(s, c.ToolNames)
	return AssembleDefinitions(definitions, warnings, c)
}

// AssembleDefinitions is [Assemble] for definitions at hand, in any order.
// Bridge tools among them are taken out first, so that assembling the tools of
// an assembly gives the same assembly again. A definition of unknown source
// stays visible. The warnings are kept in the assembly.
func AssembleDefinitions(definitions []Definition, warnings []Warning, c Config) Assembly {
	visible, deferrable := split(definitions)
	return assemble(visible, deferrable, warnings, nil, c)
}

// Retune returns the assembly of the same tools under other settings: what
// [Assemble] would give, without the work that depends on the tools alone. It
// is false where the settings change the tools' names, and then no assembly.
func (a Assembly) Retune(c Config) (Assembly, bool) {
	if (c.ToolNames == NamesDouble) != (a.Config.ToolNames == NamesDouble) {
		return Assembly{}, false
	}
	visible, deferrable := split(a.Visible)
	if a.Activated {
		deferrable = a.Deferred
	}
	return assemble(visible, deferrable, a.Warnings, a.Index, c), true
}

// assemble computes an assembly of tools as [split] gives them. The index is
// that of the deferrable tools, nil or empty where there is none yet.
func assemble(visible, deferrable []Definition, warnings []Warning, index *Index, c Config) Assembly {
	a := Assembly{
		Config:        c,
		Form:          FormNone,
		Budget:        budget.ForListing(c.ContextLength, c.ThresholdPct, c.ListingMaxTokens),
		Warnings:      warnings,
		Visible:       visible,
		VisibleTokens: budget.Estimate(charsOf(visible)),
		Index:         &Index{},
	}
	groups := blocks(deferrable)
	if len(deferrable) == 0 || c.Enabled == Off {
		a.Visible = slices.Concat(visible, deferrable)
		a.VisibleTokens = budget.Estimate(charsOf(a.Visible))
		a.Groups = groupsOf(groups, func(int) Mode { return ModeEager })
		return a
	}

	a.Activated = true
	a.Deferred, a.DeferredTokens = deferrable, budget.Estimate(charsOf(deferrable))
	if c.Listing != Off {
		a.Ladder = ladder(groups, a.Budget.Tokens)
	}
	answer := a.Chosen()
	if answer < 0 && c.Listing == On {
		answer, a.OverBudget = len(a.Ladder)-1, true
	}
	modes := make([]Mode, len(groups))
	for i := range modes {
		modes[i] = ModeNone
	}
	if answer >= 0 {
		a.Form = a.Ladder[answer].Form
		modes = modesAt(a.Ladder[:answer+1], groups)
		text := manifest(deferrable, groups, modes)
		chars := utf8.RuneCountInString(text)
		a.Listing = Listing{Text: text, Tokens: budget.Estimate(chars), Chars: chars}
	}
	a.Tier = 2
	if a.Form == FormFull || a.Form == FormNames || a.Form == FormMixed {
		a.Tier = 1
	}
	a.Groups = groupsOf(groups, func(i int) Mode { return modes[i] })
	a.Bridges = bridges(len(deferrable), a.Form, a.Listing.Text)
	a.BridgeTokens = budget.Estimate(charsOf(a.Bridges))
	if index == nil || index.Documents() == 0 {
		index = newIndex(deferrable)
	}
	a.Index = index
	return a
}

// split parts definitions into the visible ones, in order, and the deferrable
// ones, sorted by wire name; all measured, bridges left out. Definitions that
// stand as [Definitions] gives them are not copied.
func split(definitions []Definition) (visible, deferrable []Definition) {
	first := slices.IndexFunc(definitions, func(d Definition) bool { return d.Source.Deferrable() })
	if first < 0 {
		first = len(definitions)
	}
	inPlace := true
	for i := range definitions {
		d := &definitions[i]
		inPlace = inPlace && d.chars > 0 && !IsBridge(d.Name) && d.Source.Deferrable() == (i >= first) &&
			(i <= first || definitions[i-1].Name <= d.Name)
	}
	if inPlace {
		return definitions[:first:first], definitions[first:len(definitions):len(definitions)]
	}
	for _, d := range definitions {
		switch {
		case IsBridge(d.Name):
		case d.Source.Deferrable():
			deferrable = append(deferrable, d.measured())
		default:
			visible = append(visible, d.measured())
		}
	}
	sortByName(deferrable)
	return visible, deferrable
}

// charsOf returns the characters of measured definitions, in all.
func charsOf(definitions []Definition) int {
	n := 0
	for i := range definitions {
		n += definitions[i].chars
	}
	return n
}

// Chosen returns the index in the ladder of the first step that fits, which is
// the form of the listing, or -1 where none does or there is no ladder.
func (a Assembly) Chosen() int {
	for i, s := range a.Ladder {
		if s.Fits {
			return i
		}
	}
	return -1
}

// Tools returns the tools array the model is given: the visible tools, then
// the bridges.
func (a Assembly) Tools() []Definition {
	return append(a.Visible[:len(a.Visible):len(a.Visible)], a.Bridges...)
}

// UnusedBudget returns the tokens of the listing budget that the listing
// leaves: 0 where there is no listing or it is over budget.
func (a Assembly) UnusedBudget() int {
	if a.Form == FormNone {
		return 0
	}
	return max(0, a.Budget.Tokens-a.Listing.Tokens)
}

// modesAt returns each group's mode after the steps of a ladder so far.
func modesAt(steps []Step, groups []block) []Mode {
	collapsed := make(map[string]bool, len(steps))
	mode := ModeNames
	if len(steps) == 1 {
		mode = ModeFull
	}
	for _, s := range steps[min(2, len(steps)):] {
		collapsed[s.Collapsed] = true
	}
	modes := make([]Mode, len(groups))
	for i, g := range groups {
		modes[i] = mode
		if collapsed[g.label] {
			modes[i] = ModeSummary
		}
	}
	return modes
}

func groupsOf(blocks []block, mode func(int) Mode) []Group {
	groups := make([]Group, len(blocks))
	for i, b := range blocks {
		groups[i] = Group{
			Label:  b.label,
			Source: b.source,
			Tools:  len(b.tools),
			Mode:   mode(i),
			Tokens: FormTokens{
				Full:    budget.Estimate(b.chars.full),
				Names:   budget.Estimate(b.chars.names),
				Summary: budget.Estimate(b.chars.summary),
			},
		}
	}
	return groups
}
