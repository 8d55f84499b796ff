package engine

import (
	"fmt"
	"math"
	"testing"

	"toolscope/budget"
)

// The thresholds are what trying every budget finds.
func TestThresholdsAgainstEveryBudget(t *testing.T) {
	for _, name := range goldenNames {
		a := assembleDefault(t, readGolden(t, name).catalog)
		least := map[int]int{} // step → least budget at which it is the answer
		for tokens := 0; tokens <= a.Ladder[0].Tokens; tokens++ {
			for i, s := range a.Ladder {
				if s.Tokens <= tokens {
					if _, ok := least[i]; !ok {
						least[i] = tokens
					}
					break
				}
			}
		}
		for i, got := range a.Thresholds() {
			tokens, ok := least[i]
			if got.Reachable != ok || ok && got.Tokens != tokens {
				t.Errorf("%s: step %d: got %+v, want %d, %v", name, i+1, got, tokens, ok)
			}
			if got.Form != a.Ladder[i].Form || got.Collapsed != a.Ladder[i].Collapsed {
				t.Errorf("%s: step %d: got %+v", name, i+1, got)
			}
		}
	}
}

func TestNeedFor(t *testing.T) {
	for _, context := range []int{0, -5, 1, 55, 1000, 8000, 12345, 100000, 200000, 1000000, 2000000} {
		a := Assembly{Config: Config{ContextLength: context}}
		for _, tokens := range []int{0, 1, 54, 55, 56, 199, 200, 201, 3999, 4000, 9999, 10000, 10001, 59999, 60000, 60001, 76011} {
			n := a.NeedFor(tokens)
			name := fmt.Sprintf("%d tokens of %d", tokens, context)
			if n.Tokens != tokens || (n.ListingMaxTokens == nil) != (tokens > 60000) {
				t.Errorf("%s: %+v", name, n)
			}
			if n.ListingMaxTokens != nil && *n.ListingMaxTokens != max(200, tokens) {
				t.Errorf("%s: listing_max_tokens %d", name, *n.ListingMaxTokens)
			}
			if context <= 0 {
				if n.ThresholdPct != nil {
					t.Errorf("%s: a percentage of an unknown context", name)
				}
				continue
			}
			least := -1
			for h := 0; h <= 10000; h++ {
				if budget.ForListing(context, float64(h)/100, 1<<40).Tokens >= tokens {
					least = h
					break
				}
			}
			switch {
			case (n.ThresholdPct == nil) != (least < 0):
				t.Errorf("%s: threshold_pct %v, want %d hundredths", name, n.ThresholdPct, least)
			case least >= 0 && *n.ThresholdPct != float64(least)/100:
				t.Errorf("%s: threshold_pct %v, want %v", name, *n.ThresholdPct, float64(least)/100)
			}
		}
	}
}

// What NeedToList asks for does list the group, and one token less does not.
func TestNeedToList(t *testing.T) {
	for _, name := range goldenNames {
		g := readGolden(t, name)
		for _, context := range []int{0, 2000, 200000, 2000000} {
			c := Config{ToolSearch: DefaultToolSearch(), ContextLength: context}
			c.ListingMaxTokens, c.ThresholdPct = 200, 0.01
			session := Session{Catalog: g.catalog}
			a := Assemble(session, c)
			listed := func(label string, c Config) bool {
				b, _ := a.Retune(c)
				for _, group := range b.Groups {
					if group.Label == label {
						return group.Mode == ModeFull || group.Mode == ModeNames
					}
				}
				return false
			}
			for _, group := range a.Groups {
				need, ok := a.NeedToList(group.Label)
				wide := c
				wide.ListingMaxTokens, wide.ThresholdPct = 60000, 100
				if can := listed(group.Label, wide); can != ok {
					t.Errorf("%s: %s in a context of %d: can be listed %v, NeedToList says %v", name, group.Label, context, can, ok)
				}
				if !ok {
					continue
				}
				wide.ListingMaxTokens = *need.ListingMaxTokens
				if !listed(group.Label, wide) {
					t.Errorf("%s: %s: listing_max_tokens %d does not list it", name, group.Label, *need.ListingMaxTokens)
				}
				if wide.ListingMaxTokens--; need.Tokens > 200 && listed(group.Label, wide) {
					t.Errorf("%s: %s: listing_max_tokens %d lists it too", name, group.Label, wide.ListingMaxTokens)
				}
				if need.ThresholdPct == nil {
					continue
				}
				wide.ListingMaxTokens, wide.ThresholdPct = 60000, *need.ThresholdPct
				if !listed(group.Label, wide) {
					t.Errorf("%s: %s: threshold_pct %v does not list it", name, group.Label, wide.ThresholdPct)
				}
				if wide.ThresholdPct = math.Round(*need.ThresholdPct*100-1) / 100; listed(group.Label, wide) {
					t.Errorf("%s: %s: threshold_pct %v lists it too", name, group.Label, wide.ThresholdPct)
				}
			}
			if _, ok := a.NeedToList("no such group"); ok {
				t.Errorf("%s: a group that is not there can be listed", name)
			}
		}
	}
	for _, change := range []func(*Config){func(c *Config) { c.Enabled = Off }, func(c *Config) { c.Listing = Off }} {
		c := Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000}
		change(&c)
		a := Assemble(Session{Catalog: readGolden(t, "small").catalog}, c)
		if _, ok := a.NeedToList("github"); ok || len(a.Thresholds()) > 0 {
			t.Error("there are thresholds without a ladder")
		}
	}
}

func TestUnusedBudget(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "giant-with-small").catalog)
	if got, want := a.UnusedBudget(), 4000-106; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	c := a.Config
	c.Listing, c.ThresholdPct = On, 0
	if over, _ := a.Retune(c); over.UnusedBudget() != 0 || !over.OverBudget {
		t.Errorf("over budget: %d unused", over.UnusedBudget())
	}
}
