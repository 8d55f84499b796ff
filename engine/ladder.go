package engine

import (
	"cmp"
	"slices"

	"toolscope/budget"
)

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

// ladder returns every step from full down to all summaries, whether or not an
// earlier one fits. Only sums are kept: nothing is rendered.
func ladder(blocks []block, listingBudget int) []Step {
	steps := make([]Step, 0, 2+len(blocks))
	add := func(form Form, collapsed string, chars int) {
		tokens := budget.Estimate(chars)
		steps = append(steps, Step{Step: len(steps) + 1, Form: form, Collapsed: collapsed, Tokens: tokens, Fits: tokens <= listingBudget})
	}
	full, names := manifestHeaderChars, manifestHeaderChars
	for _, b := range blocks {
		full += 1 + b.chars.full
		names += 1 + b.chars.names
	}
	add(FormFull, "", full)
	add(FormNames, "", names)
	now := names
	for i, b := range collapseOrder(blocks) {
		now += b.chars.summary - b.chars.names
		form := FormMixed
		if i == len(blocks)-1 {
			form = FormGroups
		}
		add(form, b.label, now)
	}
	return steps
}

// collapseOrder returns the blocks in the order the ladder summarises them:
// the longest names block first, ties by label.
func collapseOrder(blocks []block) []block {
	order := slices.Clone(blocks)
	slices.SortStableFunc(order, func(a, b block) int {
		if c := cmp.Compare(b.chars.names, a.chars.names); c != 0 {
			return c
		}
		return cmp.Compare(a.label, b.label)
	})
	return order
}
