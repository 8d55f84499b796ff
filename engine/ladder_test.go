package engine

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"toolscope/budget"
)

// rendered is one rung of the ladder, rendered whole: the straight way to the
// same figures.
type rendered struct {
	form      Form
	collapsed string
	text      string
}

// renderLadder renders the listing at every step from its definition.
func renderLadder(deferred []Definition) []rendered {
	byLabel := map[string][]Definition{}
	for _, d := range deferred {
		byLabel[d.Label] = append(byLabel[d.Label], d)
	}
	var labels []string
	for label := range byLabel {
		labels = append(labels, label)
	}
	sort.Strings(labels)
	namesBlock := func(label string) string {
		var names []string
		for _, d := range byLabel[label] {
			names = append(names, d.Name)
		}
		return fmt.Sprintf("%s tools (%d):\n%s", label, len(names), strings.Join(names, ", "))
	}
	fullBlock := func(label string) string {
		lines := []string{fmt.Sprintf("%s tools (%d):", label, len(byLabel[label]))}
		for _, d := range byLabel[label] {
			line := "- " + d.Name
			if short := ShortDescription(d.Tool.Description); short != "" {
				line += ": " + short
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n")
	}
	render := func(block func(label string) string) string {
		lines := []string{"Tools kept behind the bridge (schema from `tool_describe`, calls by `tool_call`):"}
		for _, label := range labels {
			lines = append(lines, block(label))
		}
		return strings.Join(lines, "\n")
	}
	steps := []rendered{{FormFull, "", render(fullBlock)}, {FormNames, "", render(namesBlock)}}
	order := append([]string{}, labels...)
	sort.SliceStable(order, func(i, j int) bool {
		return utf8.RuneCountInString(namesBlock(order[i])) > utf8.RuneCountInString(namesBlock(order[j]))
	})
	collapsed := map[string]bool{}
	for i, label := range order {
		collapsed[label] = true
		form := FormMixed
		if i == len(order)-1 {
			form = FormGroups
		}
		steps = append(steps, rendered{form, label, render(func(label string) string {
			if collapsed[label] {
				return fmt.Sprintf("%s (%d tools — too many to list; find them by `tool_search`)", label, len(byLabel[label]))
			}
			return namesBlock(label)
		})})
	}
	return steps
}

// checkAssembly checks an assembly against the ladder rendered whole.
func checkAssembly(t *testing.T, a Assembly) {
	t.Helper()
	steps := renderLadder(a.Deferred)
	if len(a.Ladder) != len(steps) {
		t.Fatalf("got %d steps, want %d", len(a.Ladder), len(steps))
	}
	answer := -1
	for i, want := range steps {
		tokens := budget.Estimate(utf8.RuneCountInString(want.text))
		fits := tokens <= a.Budget.Tokens
		if got := a.Ladder[i]; got != (Step{Step: i + 1, Form: want.form, Collapsed: want.collapsed, Tokens: tokens, Fits: fits}) {
			t.Errorf("step %d: got %+v, want %s %q %d %v", i+1, got, want.form, want.collapsed, tokens, fits)
		}
		if fits && answer < 0 {
			answer = i
		}
	}
	if got := a.Chosen(); got != answer {
		t.Errorf("chosen: got %d, want %d", got, answer)
	}
	over := answer < 0 && a.Config.Listing == On
	if over {
		answer = len(steps) - 1
	}
	if a.OverBudget != over {
		t.Errorf("over budget: got %v", a.OverBudget)
	}
	form, text := FormNone, ""
	if answer >= 0 {
		form, text = steps[answer].form, steps[answer].text
	}
	if a.Form != form || a.Listing.Text != text || a.Listing.Chars != utf8.RuneCountInString(text) || a.Listing.Tokens != budget.Estimate(a.Listing.Chars) {
		t.Errorf("got form %s and\n%s\nwant %s and\n%s", a.Form, a.Listing.Text, form, text)
	}
	if !strings.HasSuffix(a.Bridges[0].Tool.Description, text) {
		t.Error("the listing is not in tool_search's description")
	}
	checkListedOnce(t, a)
}

// checkListedOnce checks that every deferred tool is listed, or its group
// summarised, exactly once.
func checkListedOnce(t *testing.T, a Assembly) {
	t.Helper()
	if a.Form == FormNone {
		return
	}
	count := map[string]int{}
	for _, line := range strings.Split(a.Listing.Text, "\n")[1:] {
		if name, ok := strings.CutPrefix(line, "- "); ok {
			name, _, _ = strings.Cut(name, ": ")
			count[name]++
			continue
		}
		for _, name := range strings.Split(line, ", ") {
			count[name]++
		}
	}
	modes := map[string]Mode{}
	total := 0
	for _, g := range a.Groups {
		modes[g.Label] = g.Mode
		total += g.Tools
		summary := fmt.Sprintf("%s (%d tools — too many to list; find them by `tool_search`)", g.Label, g.Tools)
		if want := g.Mode == ModeSummary; (count[summary] == 1) != want {
			t.Errorf("group %s in mode %s: summarised %d times", g.Label, g.Mode, count[summary])
		}
	}
	if total != len(a.Deferred) {
		t.Errorf("the groups have %d tools, %d are deferred", total, len(a.Deferred))
	}
	for _, d := range a.Deferred {
		listed := modes[d.Label] == ModeFull || modes[d.Label] == ModeNames
		if listed != (count[d.Name] == 1) {
			t.Errorf("%s of group %s in mode %s: listed %d times", d.Name, d.Label, modes[d.Label], count[d.Name])
		}
	}
}

func TestLadderAgainstRendering(t *testing.T) {
	g := newGenerator(7)
	for range 60 {
		a := Assemble(Session{Catalog: g.catalog(1+g.IntN(120), 1+g.IntN(12))}, g.config())
		checkAssembly(t, a)
	}
	for _, name := range []string{"small", "edge", "edge2", "mid"} {
		g := readGolden(t, name)
		for _, want := range g.Assemblies {
			checkAssembly(t, Assemble(Session{Catalog: g.catalog}, want.config()))
		}
	}
}

// catalogOf returns a catalog of servers with so many tools each, whose names
// have a given length.
func catalogOf(servers map[string]int, nameLength int) Catalog {
	var labels []string
	for name := range servers {
		labels = append(labels, name)
	}
	sort.Strings(labels)
	var c Catalog
	for _, name := range labels {
		s := Server{Name: name}
		for i := range servers[name] {
			s.Tools = append(s.Tools, tools(fmt.Sprintf("%0*d", nameLength, i))...)
		}
		c.Servers = append(c.Servers, s)
	}
	return c
}

func TestTiers(t *testing.T) {
	two := catalogOf(map[string]int{"a": 3, "b": 3}, 8)
	core := Catalog{Core: tools("terminal", "read_file")}
	config := func(change func(*Config)) Config {
		c := Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000}
		change(&c)
		return c
	}
	tests := []struct {
		name    string
		catalog Catalog
		config  Config
		tier    int
		form    Form
		steps   int
		mode    Mode
	}{
		{"nothing at all", Catalog{}, config(func(*Config) {}), 0, FormNone, 0, ""},
		{"core only", core, config(func(*Config) {}), 0, FormNone, 0, ""},
		{"full", two, config(func(*Config) {}), 1, FormFull, 4, ModeFull},
		{"enabled on", two, config(func(c *Config) { c.Enabled = On }), 1, FormFull, 4, ModeFull},
		{"disabled", two, config(func(c *Config) { c.Enabled = Off }), 0, FormNone, 0, ModeEager},
		{"listing off", two, config(func(c *Config) { c.Listing = Off }), 2, FormNone, 0, ModeNone},
		{"no budget", two, config(func(c *Config) { c.ThresholdPct = 0 }), 2, FormNone, 4, ModeNone},
		{"no budget, listing on", two, config(func(c *Config) { c.ThresholdPct = 0; c.Listing = On }), 2, FormGroups, 4, ModeSummary},
		{"unknown context", two, config(func(c *Config) { c.ContextLength = 0; c.ThresholdPct = 0 }), 1, FormFull, 4, ModeFull},
		{"negative context", two, config(func(c *Config) { c.ContextLength = -1 }), 1, FormFull, 4, ModeFull},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := Assemble(Session{Catalog: test.catalog}, test.config)
			if a.Tier != test.tier || a.Form != test.form || len(a.Ladder) != test.steps || a.Activated != (test.tier > 0) {
				t.Errorf("got tier %d, form %s, %d steps, activated %v", a.Tier, a.Form, len(a.Ladder), a.Activated)
			}
			for _, g := range a.Groups {
				if g.Mode != test.mode || g.Tokens.Full == 0 || g.Tokens.Names == 0 || g.Tokens.Summary == 0 {
					t.Errorf("group: %+v", g)
				}
			}
			if test.mode != "" && len(a.Groups) != 2 {
				t.Errorf("got %d groups", len(a.Groups))
			}
			if a.Activated != (len(a.Bridges) == 3) || a.Activated != (a.BridgeTokens > 0) || a.Activated != (len(a.Deferred) > 0) {
				t.Errorf("got %d bridges of %d tokens, %d deferred", len(a.Bridges), a.BridgeTokens, len(a.Deferred))
			}
			if a.OverBudget != (test.name == "no budget, listing on") {
				t.Errorf("over budget: %v", a.OverBudget)
			}
		})
	}
}

func TestLadderCorners(t *testing.T) {
	// A summary that costs more than the names it stands for is done and stands
	// in the trace, but can never be the answer.
	a := Assemble(Session{Catalog: catalogOf(map[string]int{"a": 1, "b": 2, "c": 40}, 6)}, Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000})
	last := a.Ladder[len(a.Ladder)-1]
	before := a.Ladder[len(a.Ladder)-2]
	if last.Form != FormGroups || last.Collapsed != "a" || last.Tokens <= before.Tokens {
		t.Errorf("the last step: %+v after %+v", last, before)
	}
	reachable := a.Thresholds()
	if reachable[len(reachable)-1].Reachable || !reachable[2].Reachable {
		t.Errorf("thresholds: %+v", reachable)
	}
	// Ties are collapsed by label.
	a = Assemble(Session{Catalog: catalogOf(map[string]int{"tie-b": 5, "tie-a": 5, "tie-c": 5}, 9)}, Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000})
	var order []string
	for _, s := range a.Ladder[2:] {
		order = append(order, s.Collapsed)
	}
	if got := strings.Join(order, " "); got != "tie-a tie-b tie-c" {
		t.Errorf("collapse order: %s", got)
	}
	// The length that counts is in characters, header line included.
	long := catalogOf(map[string]int{"日本語日本語": 1, "ascii-label-x": 1}, 10)
	a = Assemble(Session{Catalog: long}, Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000})
	if got := a.Ladder[2].Collapsed; got != "ascii-label-x" {
		t.Errorf("collapsed first: %s", got)
	}
	// Two toolsets with one label share one block, whose source is the server's.
	shared := Catalog{Servers: []Server{{Name: "x", Tools: tools("b")}}, Plugins: []Toolset{{Name: "x", Tools: tools("a")}, {Name: "", Tools: tools("c")}, {Name: "mcp-", Tools: tools("d")}}}
	a = Assemble(Session{Catalog: shared}, Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000})
	if len(a.Groups) != 2 || a.Groups[1].Label != "x" || a.Groups[1].Tools != 2 || a.Groups[1].Source != SourceMCP || a.Groups[0].Label != "other" || a.Groups[0].Source != SourcePlugin {
		t.Errorf("groups: %+v", a.Groups)
	}
	if want := "other tools (2):\n- c\n- d\nx tools (2):\n- a\n- mcp_x_b"; !strings.HasSuffix(a.Listing.Text, want) {
		t.Errorf("listing: %s", a.Listing.Text)
	}
}

func TestAssembleIsIdempotent(t *testing.T) {
	g := newGenerator(3)
	for range 20 {
		c := g.config()
		a := Assemble(Session{Catalog: g.catalog(50, 4)}, c)
		again := AssembleDefinitions(append(a.Tools(), a.Deferred...), a.Warnings, c)
		if !reflect.DeepEqual(a, again) {
			t.Fatal("assembling an assembly's tools gives another assembly")
		}
		shuffled := append(append([]Definition{}, a.Deferred...), a.Tools()...)
		g.Shuffle(len(a.Deferred), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := AssembleDefinitions(shuffled, a.Warnings, c); !reflect.DeepEqual(a, again) {
			t.Fatal("the order of the deferrable definitions matters")
		}
	}
}

func TestUnknownOriginStaysVisible(t *testing.T) {
	definitions := []Definition{
		{Name: "b", Tool: Tool{Name: "b"}, Source: SourceMCP, Toolset: "mcp-s", Label: "s", Server: "s"},
		{Name: "strange", Tool: Tool{Name: "strange", Description: "who knows"}},
		{Name: "tool_search", Tool: Tool{Name: "tool_search"}},
		{Name: "core", Tool: Tool{Name: "core"}, Source: SourceCore},
	}
	a := AssembleDefinitions(definitions, nil, Config{ToolSearch: DefaultToolSearch()})
	if got := namesOf(a.Tools()); got != "strange core tool_search tool_describe tool_call" {
		t.Errorf("tools: %s", got)
	}
	if got := namesOf(a.Deferred); got != "b" || a.DeferredTokens == 0 {
		t.Errorf("deferred: %s", got)
	}
}

func TestRetune(t *testing.T) {
	g := newGenerator(5)
	session := Session{Catalog: g.catalog(80, 6)}
	a := Assemble(session, g.config())
	for range 60 {
		c := g.config()
		c.Enabled = []Switch{Auto, Off}[g.IntN(2)]
		c.Listing = []Switch{Auto, On, Off}[g.IntN(3)]
		want := Assemble(session, c)
		got, ok := a.Retune(c)
		if ok != (c.ToolNames == a.Config.ToolNames) {
			t.Fatalf("retuned: %v", ok)
		}
		if ok && !reflect.DeepEqual(got, want) {
			t.Fatal("retuning gives another assembly than assembling")
		}
		a = want
	}
}

func TestBridgesSayWhatTheListingLets(t *testing.T) {
	c := catalogOf(map[string]int{"a": 30, "b": 300}, 30)
	seen := map[Form]string{}
	for _, cap := range []int{60000, 5000, 600, 200} {
		for _, listing := range []Switch{Auto, On, Off} {
			for _, pct := range []float64{0, 100} {
				config := Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000}
				config.ListingMaxTokens, config.Listing, config.ThresholdPct = cap, listing, pct
				a := Assemble(Session{Catalog: c}, config)
				head, _, _ := strings.Cut(a.Bridges[0].Tool.Description, "\n")
				seen[a.Form] = head
				for _, b := range a.Bridges {
					if !strings.Contains(b.Tool.Description, "330 tools") {
						t.Errorf("%s does not say how many tools are deferred", b.Name)
					}
					if c, err := Canonical(b.JSON()); err != nil || string(c) != string(b.JSON()) {
						t.Errorf("%s: not canonical: %v", b.Name, err)
					}
				}
			}
		}
	}
	for form, want := range map[Form]string{FormFull: "straight to tool_describe", FormNames: "straight to tool_describe", FormMixed: "search for those", FormGroups: "do not claim", FormNone: "do not claim"} {
		if head, ok := seen[form]; form != FormNames && !ok || ok && !strings.Contains(head, want) {
			t.Errorf("%s: %q", form, head)
		}
	}
}
