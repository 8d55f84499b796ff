package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"toolscope/budget"
)

// sweepCases are catalogs and settings of every kind that a sweep depends on.
func sweepCases(t *testing.T) map[string]Assembly {
	t.Helper()
	all := map[string]Assembly{}
	for _, name := range goldenNames {
		session := Session{Catalog: readGolden(t, name).catalog}
		for _, context := range []int{0, 2000, 8192, 200000, 2000000} {
			for _, listing := range []Switch{Auto, On} {
				c := Config{ToolSearch: DefaultToolSearch(), ContextLength: context}
				c.Listing = listing
				all[fmt.Sprintf("%s, context %d, listing %s", name, context, listing)] = Assemble(session, c)
			}
		}
	}
	g := newGenerator(7)
	for i := range 20 {
		c := g.config()
		c.ThresholdPct = float64(g.IntN(10001)) / 100
		all[fmt.Sprintf("random %d", i)] = Assemble(Session{Catalog: g.catalog(1+g.IntN(200), 1+g.IntN(30))}, c)
	}
	return all
}

// firstFit is the step that is the answer for a budget, by trying each.
func firstFit(a Assembly, tokens int) int {
	return slices.IndexFunc(a.Ladder, func(s Step) bool { return s.Tokens <= tokens })
}

// A sweep says of every budget what assembling under it says.
func TestSweepAgainstAssemblies(t *testing.T) {
	for name, a := range sweepCases(t) {
		s := a.Sweep()
		if s.Bands[0].From != 0 {
			t.Fatalf("%s: it begins at %d", name, s.Bands[0].From)
		}
		check := func(tokens int) {
			if tokens < 0 || tokens > 60000 {
				return
			}
			// A context a hundred times the budget, of which one percent is taken.
			c := a.Config
			c.ContextLength, c.ThresholdPct, c.ListingMaxTokens = tokens*100, 1, 60000
			if tokens == 0 {
				c.ContextLength, c.ThresholdPct = 1, 0
			}
			b, _ := a.Retune(c)
			if b.Budget.Tokens != tokens {
				return // as floats go
			}
			at := s.At(tokens)
			if band := s.Bands[at]; band.Form != b.Form || band.OverBudget != b.OverBudget {
				t.Errorf("%s: at %d: %+v, want %s, over budget %v", name, tokens, band, b.Form, b.OverBudget)
			}
			for _, g := range b.Groups {
				if got := s.Mode(at, slices.Index(s.Labels, g.Label)); got != g.Mode {
					t.Errorf("%s: at %d: %s is %s, want %s", name, tokens, g.Label, got, g.Mode)
				}
			}
		}
		for _, band := range s.Bands {
			check(band.From - 1)
			check(band.From)
			check(band.From + 1)
		}
	}
}

// Of steps that cost the same the first is the answer, so that the others have
// no band.
func TestSweepOfEqualSteps(t *testing.T) {
	a := Assembly{Ladder: []Step{{Tokens: 90, Form: FormFull}, {Tokens: 40, Form: FormNames}, {Tokens: 40, Form: FormMixed, Collapsed: "a"}, {Tokens: 30, Form: FormGroups, Collapsed: "b"}}}
	s := a.Sweep()
	var got []string
	for _, b := range s.Bands {
		got = append(got, fmt.Sprint(b.From, " ", b.Form))
	}
	if want := []string{"0 none", "30 groups", "40 names", "90 full"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Where there is no ladder a sweep is that of a listing.
func TestSweepWithoutLadder(t *testing.T) {
	session := Session{Catalog: readGolden(t, "small").catalog}
	c := Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000}
	want := Assemble(session, c).Sweep()
	for _, change := range []func(*Config){func(c *Config) { c.Enabled = Off }, func(c *Config) { c.Listing = Off }, func(c *Config) { c.Enabled, c.Listing = Off, Off }} {
		other := c
		change(&other)
		if got := Assemble(session, other).Sweep(); !slices.Equal(got.Bands, want.Bands) || !slices.Equal(got.Labels, want.Labels) {
			t.Errorf("enabled %s, listing %s: %+v, want %+v", other.Enabled, other.Listing, got, want)
		}
	}
	none := Assemble(Session{Catalog: Catalog{Core: session.Catalog.Core}}, c).Sweep()
	if len(none.Bands) > 0 || none.At(100) != -1 {
		t.Errorf("core tools alone have a sweep: %+v", none)
	}
}

// Walking from one next threshold to the other finds what trying every value
// finds, in either direction.
func TestNextThresholds(t *testing.T) {
	for name, a := range sweepCases(t) {
		c := a.Config
		answer := func(limit int, pct float64) int {
			return firstFit(a, budget.ForListing(c.ContextLength, pct, limit).Tokens)
		}
		highest := 0
		for _, s := range a.Ladder {
			highest = max(highest, s.Tokens)
		}
		var budgets, limits []int
		var percents []float64
		for b := 0; b <= highest; b++ {
			if b == 0 || firstFit(a, b) != firstFit(a, b-1) {
				budgets = append(budgets, b)
			}
		}
		for l := 200; l <= 60000; l++ {
			if l == 200 || answer(l, c.ThresholdPct) != answer(l-1, c.ThresholdPct) {
				limits = append(limits, l)
			}
		}
		for h := 0; h <= 10000; h++ {
			if h == 0 || answer(c.ListingMaxTokens, float64(h)/100) != answer(c.ListingMaxTokens, float64(h-1)/100) {
				percents = append(percents, float64(h)/100)
			}
		}
		if c.ContextLength <= 0 {
			percents = nil
		}
		walkBoth(t, name+": budget", a.NextThreshold, -1, math.MaxInt, budgets)
		walkBoth(t, name+": listing_max_tokens", a.NextThresholdTokens, -1, math.MaxInt, limits)
		walkBoth(t, name+": threshold_pct", a.NextThresholdPct, -1, 101, percents)
		// From between two of them the nearest on the side is the answer.
		for i, l := range limits[1:] {
			if down, ok := a.NextThresholdTokens(l-1, false); l-1 > limits[i] && (!ok || down != limits[i]) {
				t.Errorf("%s: below %d: %d, want %d", name, l-1, down, limits[i])
			}
			if up, ok := a.NextThresholdTokens(l-1, true); !ok || up != l {
				t.Errorf("%s: above %d: %d, want %d", name, l-1, up, l)
			}
		}
	}
}

func walkBoth[T int | float64](t *testing.T, name string, next func(T, bool) (T, bool), low, high T, want []T) {
	t.Helper()
	var up, down []T
	for at, ok := next(low, true); ok; at, ok = next(at, true) {
		up = append(up, at)
	}
	for at, ok := next(high, false); ok; at, ok = next(at, false) {
		down = append(down, at)
	}
	slices.Reverse(down)
	if !slices.Equal(up, want) {
		t.Errorf("%s: up %v, want %v", name, up, want)
	}
	if !slices.Equal(down, want) {
		t.Errorf("%s: down %v, want %v", name, down, want)
	}
}

func TestNoNextThreshold(t *testing.T) {
	for _, change := range []func(*Config){func(c *Config) { c.Enabled = Off }, func(c *Config) { c.Listing = Off }} {
		c := Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000}
		change(&c)
		a := Assemble(Session{Catalog: readGolden(t, "small").catalog}, c)
		for _, up := range []bool{true, false} {
			_, b := a.NextThreshold(500, up)
			_, l := a.NextThresholdTokens(500, up)
			_, p := a.NextThresholdPct(5, up)
			if b || l || p {
				t.Errorf("enabled %s, listing %s: there is a next threshold without a ladder", c.Enabled, c.Listing)
			}
		}
	}
}

// The settings for a budget give that budget, or its listing where two decimals
// are too coarse; and an obstacle is one.
func TestLegsFor(t *testing.T) {
	for name, a := range sweepCases(t) {
		s := a.Sweep()
		c := s.Config
		for _, from := range s.Bands {
			for _, tokens := range []int{from.From, from.From + 1, from.From + 137} {
				legs, obstacle := s.LegsFor(tokens)
				got := budget.ForListing(c.ContextLength, legs.ThresholdPct, legs.ListingMaxTokens).Tokens
				possible := false // by some percentage, with the cap that suits it best
				for h := 0; h <= 10000 && !possible; h++ {
					leg := budget.ForListing(c.ContextLength, float64(h)/100, 60000).PercentLeg
					possible = leg >= tokens && (tokens >= 200 && tokens <= 60000 || s.At(min(leg, 60000)) == s.At(tokens) && tokens < 200 && leg <= c.ListingMaxTokens)
				}
				switch {
				case obstacle == ObstacleNone && got == tokens:
				case obstacle == ObstacleNone && (tokens >= 200 || got < tokens || s.At(got) != s.At(tokens)):
					t.Errorf("%s: %d tokens: %+v give %d", name, tokens, legs, got)
				case obstacle != ObstacleNone && possible:
					t.Errorf("%s: %d tokens: obstacle %d, but there are settings", name, tokens, obstacle)
				case obstacle != ObstacleNone && legs != (Legs{c.ListingMaxTokens, c.ThresholdPct}):
					t.Errorf("%s: %d tokens: settings change in spite of an obstacle", name, tokens)
				}
				if legs.ListingMaxTokens < 200 || legs.ListingMaxTokens > 60000 || legs.ThresholdPct < 0 || legs.ThresholdPct > 100 {
					t.Errorf("%s: %d tokens: %+v are out of range", name, tokens, legs)
				}
			}
		}
	}
}

func TestLegsForCases(t *testing.T) {
	sweep := func(context int, pct float64, limit int) Sweep {
		s := Sweep{Bands: []Band{{From: 0}, {From: 106}, {From: 1190}, {From: 70000}}}
		s.Config = Config{ToolSearch: DefaultToolSearch(), ContextLength: context}
		s.Config.ThresholdPct, s.Config.ListingMaxTokens = pct, limit
		return s
	}
	for _, c := range []struct {
		name     string
		sweep    Sweep
		tokens   int
		want     Legs
		obstacle Obstacle
	}{
		{"what it is already", sweep(200000, 5, 4000), 4000, Legs{4000, 5}, ObstacleNone},
		{"the cap down", sweep(200000, 5, 4000), 1190, Legs{1190, 5}, ObstacleNone},
		{"the cap up", sweep(200000, 5, 4000), 10000, Legs{10000, 5}, ObstacleNone},
		{"the percentage alone, where it is exact", sweep(200000, 1, 4000), 3000, Legs{4000, 1.5}, ObstacleNone},
		{"both", sweep(200000, 1, 4000), 3001, Legs{3001, 1.51}, ObstacleNone},
		{"both up", sweep(200000, 1, 2000), 20000, Legs{20000, 10}, ObstacleNone},
		{"the cap, below a percentage that binds", sweep(200000, 1, 4000), 1190, Legs{1190, 1}, ObstacleNone},
		{"nothing", sweep(200000, 5, 4000), 0, Legs{4000, 0}, ObstacleNone},
		{"below the least cap, coarse", sweep(200000, 5, 4000), 106, Legs{4000, 0.06}, ObstacleNone},
		{"above the most", sweep(2000000, 5, 4000), 70000, Legs{4000, 5}, ObstacleCap},
		{"more than the context", sweep(8000, 5, 4000), 8001, Legs{4000, 5}, ObstacleContext},
		{"more than a tiny context", sweep(100, 5, 4000), 106, Legs{4000, 5}, ObstacleContext},
		{"more than an unknown context", sweep(0, 5, 4000), 10001, Legs{4000, 5}, ObstacleUnknownContext},
		{"within an unknown context", sweep(0, 5, 4000), 10000, Legs{10000, 5}, ObstacleNone},
		{"below the least cap, unknown", sweep(0, 5, 4000), 106, Legs{4000, 5}, ObstacleFloor},
	} {
		if got, obstacle := c.sweep.LegsFor(c.tokens); got != c.want || obstacle != c.obstacle {
			t.Errorf("%s: %+v, obstacle %d; want %+v, obstacle %d", c.name, got, obstacle, c.want, c.obstacle)
		}
	}
	// One hundredth of a percent jumps over a whole band.
	s := sweep(20000000, 5, 4000)
	if legs, obstacle := s.LegsFor(106); obstacle != ObstacleFloor {
		t.Errorf("a step of 2,000 tokens meets 106–1,189 with %+v", legs)
	}
}
