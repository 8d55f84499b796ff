package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"toolscope/budget"
)

func changes(d Diff) string {
	var all []string
	for _, c := range d.Changes {
		all = append(all, fmt.Sprintf("%s %s %s", c.Part, c.Name, c.What))
	}
	return strings.Join(all, "; ")
}

func TestCompare(t *testing.T) {
	base := func() (Session, Config) {
		c := catalogOf(map[string]int{"alpha": 3, "beta": 40}, 12)
		c.Core = tools("first", "second")
		return Session{Catalog: c}, Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000}
	}
	tests := []struct {
		name   string
		change func(*Session, *Config)
		want   string
	}{
		{"nothing", func(*Session, *Config) {}, ""},
		{"a setting without effect", func(_ *Session, c *Config) { c.ListingMaxTokens = 5000 }, ""},
		{"a budget", func(_ *Session, c *Config) { c.ListingMaxTokens = 220 }, "framing  form full → mixed; listing alpha full → names; listing beta full → summary"},
		{"a server out of scope", func(s *Session, _ *Config) { s.Scope.Disabled = []string{"beta"} }, "deferred count  43 → 3; listing beta no longer listed"},
		{"one tool more", func(s *Session, _ *Config) {
			s.Catalog.Servers[0].Tools = append(s.Catalog.Servers[0].Tools, tools("zz")...)
		},
			"deferred count  43 → 44; listing alpha 3 → 4 tools"},
		{"a core tool gone", func(s *Session, _ *Config) { s.Catalog.Core = s.Catalog.Core[1:] }, "visible tool first removed"},
		{"core tools in another order", func(s *Session, _ *Config) { s.Catalog.Core = tools("second", "first") }, "visible tool first moved; visible tool second moved"},
		{"a core tool described anew", func(s *Session, _ *Config) {
			s.Catalog.Core = []Tool{{Name: "first", Description: "x"}, {Name: "second", Schema: json.RawMessage(`{"a":1}`)}}
		}, "description first changed; schema second changed"},
		{"the bridge off", func(_ *Session, c *Config) { c.Enabled = Off }, "43 visible tools added; visible tool  the bridge tools went"},
	}
	for _, test := range tests {
		s, c := base()
		before := Assemble(s, c)
		test.change(&s, &c)
		after := Assemble(s, c)
		d := Compare(before, after)
		got := changes(d)
		if added := strings.Count(got, " added"); added > 1 {
			got = fmt.Sprintf("%d visible tools added; %s", added, got[strings.LastIndex(got, "added; ")+len("added; "):])
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		checkDiff(t, before, after, d)
	}
}

// checkDiff holds a difference against the bytes of the two arrays.
func checkDiff(t *testing.T, before, after Assembly, d Diff) {
	t.Helper()
	old, now := []rune(string(before.ToolsJSON())), []rune(string(after.ToolsJSON()))
	same := 0
	for same < len(old) && same < len(now) && old[same] == now[same] {
		same++
	}
	if changed := string(old) != string(now); d.Changed != changed || (before.Hash() != after.Hash()) != changed || changed != (len(d.Changes) > 0) {
		t.Fatalf("changed is %v, the bytes say %v: %+v", d.Changed, changed, d)
	}
	if !d.Changed {
		same = len(now) + 3 // whole
	}
	if d.KeptTokens != same/4 || d.KeptTokens+d.LostTokens != budget.Estimate(len(now)) {
		t.Fatalf("kept %d, lost %d of %d characters, %d of them kept", d.KeptTokens, d.LostTokens, len(now), same)
	}
}

func TestCompareOnRandomCatalogs(t *testing.T) {
	g := newGenerator(3)
	for range 60 {
		s := Session{Catalog: g.catalog(40+g.IntN(200), 1+g.IntN(6))}
		before := Assemble(s, g.config())
		if g.IntN(2) == 0 {
			s.Scope.Disabled = []string{"mcp-" + s.Catalog.Servers[0].Name}
		}
		after := Assemble(s, g.config())
		checkDiff(t, before, after, Compare(before, after))
		checkDiff(t, after, after, Compare(after, after))
	}
}

// The zero assembly and one of tools without names compare without harm.
func TestCompareOddities(t *testing.T) {
	d := AssembleDefinitions([]Definition{{Name: "a"}, {Name: "a"}, {Name: "b"}}, nil, Config{ToolSearch: DefaultToolSearch()})
	e := AssembleDefinitions([]Definition{{Name: "b"}, {Name: "a"}}, nil, Config{ToolSearch: DefaultToolSearch()})
	if !Compare(d, e).Changed || !Compare(e, d).Changed || Compare(Assembly{}, Assembly{}).Changed {
		t.Error("the comparison is wrong")
	}
}
