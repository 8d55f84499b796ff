package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestEvaluate(t *testing.T) {
	session := Session{Catalog: whyCatalog(t), Scope: Scope{Disabled: []string{"mcp-hidden"}}}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	absent := []AbsentTools{{Server: "mail", State: "failed", Reason: "exit status 1"}}
	// The shorter documents come before merge_branch, in the order of their names.
	const branches = "branch_drop, branch_get, branch_lock, branch_new, branch_open"
	tests := []struct {
		query, want string
		rank        int
		tool        string
		misses      string // tool: kinds of the reasons; …
		absent      string
	}{
		{"merge branch", "mcp_hub_merge_branch", 1, "mcp_hub_merge_branch", "", ""},
		{"merge branch", "merge_branch", 1, "mcp_hub_merge_branch", "", ""},
		{"branch", branches, 1, "mcp_hub_branch_drop", "", ""},
		{"branch", "branch_open, branch_lock", 3, "mcp_hub_branch_lock", "", ""},
		{"branch", "branch_open", 5, "mcp_hub_branch_open", "", ""},
		{"branch", "merge_branch", 6, "mcp_hub_merge_branch", "mcp_hub_merge_branch beyond_limit shorter_documents", ""},
		{"branch", "jot, merge_branch", 6, "mcp_hub_merge_branch", "mcp_hub_merge_branch beyond_limit shorter_documents; jot not_in_tool:branch", ""},
		{"users branch", "listUsers", 0, "", "mcp_hub_listUsers camel_case:users not_in_tool:branch", ""},
		{"stuse", "mcp_hub_listUsers", 1, "mcp_hub_listUsers", "", ""},
		{"write", "jott, jot", 1, "jot", "", "jott unknown"},
		{"write", "jott", 0, "", "", "jott unknown"},
		{"write", "read_file, mcp_mail_send, secret_door, tool_call", 0, "", "",
			"read_file not_deferred shadowed; mcp_mail_send not_connected; secret_door out_of_scope; tool_call bridge"},
		{"日本", "jot, mcp_hub_jot", 0, "", "jot non_latin:日本 no_tokens", "mcp_hub_jot unknown"},
		{"write", "jot, jot", 1, "jot", "", ""},
	}
	var cases []Case
	for _, test := range tests {
		cases = append(cases, Case{Query: test.query, Want: strings.Split(test.want, ", ")})
	}
	e := a.Evaluate(cases, 0, session, absent)
	for i, test := range tests {
		c := e.Cases[i]
		if c.Rank != test.rank || c.Tool != test.tool || c.Found != (test.rank > 0 && test.rank <= 5) || whys(c.Misses) != test.misses || whys(c.Absent) != test.absent {
			t.Errorf("%q, %s: got %v, number %d, %s; misses %s; absent %s", test.query, test.want, c.Found, c.Rank, c.Tool, whys(c.Misses), whys(c.Absent))
		}
	}
	if hint := e.Cases[10].Absent[0].Reasons[0]; !slices.Equal(hint.Tools, []string{"jot"}) {
		t.Errorf("for jott, %v is offered", hint.Tools)
	}
	// Six in the first place, one in the third, one in the fifth.
	mrr := (6 + 1./3 + 1./5) / float64(len(tests))
	if e.Limit != 5 || e.At1 != 6 || e.At3 != 7 || e.Hits != 8 || e.Absent != 4 || math.Abs(e.MRR-mrr) > 1e-12 {
		t.Errorf("limit %d: %d, %d, %d, MRR %g, absent %d; want MRR %g", e.Limit, e.At1, e.At3, e.Hits, e.MRR, e.Absent, mrr)
	}
	if got := e.Share(7); got != 0.5 {
		t.Errorf("7 of %d is %g", len(tests), got)
	}

	// With a limit of 2 the third place is a miss, for every measure.
	e = a.Evaluate(cases, 2, session, absent)
	if c := e.Cases[3]; c.Found || c.Rank != 3 || whys(c.Misses) != "mcp_hub_branch_lock beyond_limit; mcp_hub_branch_open beyond_limit" {
		t.Errorf("%+v", c)
	}
	if e.Limit != 2 || e.At1 != 6 || e.At3 != 6 || e.Hits != 6 || math.Abs(e.MRR-6/float64(len(tests))) > 1e-12 {
		t.Errorf("limit %d: %d, %d, %d, MRR %g", e.Limit, e.At1, e.At3, e.Hits, e.MRR)
	}
}

// A case may have a limit of its own, which is held to the highest there may be.
func TestEvaluateOwnLimits(t *testing.T) {
	session := Session{Catalog: whyCatalog(t)}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	for _, test := range []struct {
		own, common int
		found       bool
	}{{0, 0, false}, {0, 6, true}, {5, 25, false}, {6, 1, true}, {25, 0, true}, {1 << 30, 0, true}} {
		c := Case{Query: "branch", Want: []string{"merge_branch"}, Limit: test.own}
		e := a.Evaluate([]Case{c}, test.common, session, nil)
		r := e.Cases[0]
		if r.Rank != 6 || r.Found != test.found || e.Hits != map[bool]int{true: 1}[test.found] || len(r.Misses) == e.Hits {
			t.Errorf("own limit %d, common %d: %+v, want found %v", test.own, test.common, r, test.found)
		}
		if want := map[bool]string{false: "hit@" + strconv.Itoa(e.Limit), true: "hit@limit"}[test.own > 0]; e.AtLimit() != want {
			t.Errorf("own limit %d: it is called %s", test.own, e.AtLimit())
		}
		if !r.Found && r.Misses[0].Limit != min(max(test.own, 5), 25) {
			t.Errorf("own limit %d: its reasons are of a limit of %d", test.own, r.Misses[0].Limit)
		}
	}
	c := Case{Query: "branch", Want: []string{"merge_branch"}, Limit: 3}
	a.Config.MaxSearchLimit = 5
	if c.Limit = 25; a.PlaceCase(c, 0).Found {
		t.Error("a limit over max_search_limit is not held to it")
	}
}

// A name that several servers have stands for the tool of each; a wire name
// stands for its tool alone, also where it is another's own name.
func TestEvaluateSharedNames(t *testing.T) {
	tools := func(names ...string) (list []Tool) {
		for _, n := range names {
			list = append(list, Tool{Name: n, Description: "Make one."})
		}
		return list
	}
	session := Session{Catalog: Catalog{
		Servers: []Server{{Name: "a", Tools: tools("create", "jot")}, {Name: "b", Tools: tools("create")}},
		Plugins: []Toolset{{Name: "notes", Tools: tools("jot")}},
	}}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	e := a.Evaluate([]Case{
		{Query: "mcp_b_create", Want: []string{"create"}},
		{Query: "mcp_a_create", Want: []string{"create"}},
		{Query: "mcp_a_jot", Want: []string{"jot"}},
	}, 0, session, nil)
	for i, want := range []string{"1 mcp_b_create", "1 mcp_a_create", "2 jot"} {
		if c := e.Cases[i]; !slices.Equal(strings.Fields(want), []string{strconv.Itoa(c.Rank), c.Tool}) {
			t.Errorf("%s: number %d, %s; want %s", c.Query, c.Rank, c.Tool, want)
		}
	}
}

// A set holds under both styles of tool_names.
func TestEvaluateOtherNames(t *testing.T) {
	session := Session{Catalog: whyCatalog(t)}
	for style, other := range map[NameStyle]string{NamesSingle: "mcp__hub__merge_branch", NamesDouble: "mcp_hub_merge_branch"} {
		a := Assemble(session, Config{ToolSearch: DefaultToolSearch(), ToolNames: style})
		own := WireName(style, "hub", "merge_branch")
		e := a.Evaluate([]Case{{Query: "merge branch", Want: []string{other}}, {Query: "zebra", Want: []string{other, "mcp_hub__merge_branch"}}}, 0, session, nil)
		if r := e.Cases[0]; !r.Found || r.Tool != own || len(r.Absent) > 0 {
			t.Errorf("%s: %+v", style, r)
		}
		if r := e.Cases[1]; r.Found || len(r.Misses) != 1 || r.Misses[0].Tool != own || whys(r.Absent) != "mcp_hub__merge_branch unknown" {
			t.Errorf("%s: %+v", style, r)
		}
	}
}

// The tool that is explained is the best placed one, else one that could be
// found, else what was asked for.
func TestExplainCase(t *testing.T) {
	session := Session{Catalog: whyCatalog(t)}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	for _, test := range []struct {
		query, want string
		limit       int
		says        string
		labels      string
	}{
		{"branch", "merge_branch, branch_open", 0, "mcp_hub_branch_open matched:branch", "hub"},
		{"branch", "merge_branch", 0, "mcp_hub_merge_branch beyond_limit shorter_documents", "hub"},
		{"branch", "merge_branch", 6, "mcp_hub_merge_branch matched:branch", "hub"},
		{"branch", "jott, jot, merge_branch", 0, "mcp_hub_merge_branch beyond_limit shorter_documents", "notes hub"},
		{"zebra", "jott, jot", 0, "jot not_in_catalog:zebra", "notes"},
		{"write", "jott", 0, "jott unknown", ""},
	} {
		c := Case{Query: test.query, Want: strings.Split(test.want, ", "), Limit: test.limit}
		if got := whys([]Why{a.ExplainCase(c, 0, session, nil)}); got != test.says {
			t.Errorf("%q, %s, limit %d: %s; want %s", test.query, test.want, test.limit, got, test.says)
		}
		if got := strings.Join(a.PlaceCase(c, 0).Labels, " "); got != test.labels {
			t.Errorf("%s: the labels are %s, want %s", test.want, got, test.labels)
		}
	}
}

func TestEvaluateNothing(t *testing.T) {
	if e := (Assembly{}).Evaluate(nil, 0, Session{}, nil); e.MRR != 0 || e.Share(0) != 0 || len(e.Cases) != 0 {
		t.Errorf("%+v", e)
	}
	session := Session{Catalog: whyCatalog(t)}
	config := Config{ToolSearch: DefaultToolSearch()}
	config.Enabled = Off
	e := Assemble(session, config).Evaluate([]Case{{Query: "note", Want: []string{"jot"}}}, 0, session, nil)
	if e.Hits != 0 || e.Absent != 1 || whys(e.Cases[0].Absent) != "jot not_deferred" {
		t.Errorf("at tier 0: %+v", e)
	}
}

// The measures are what one gets by going through the matches of tool_search.
func TestEvaluateIsTrue(t *testing.T) {
	g := newGenerator(11)
	session := Session{Catalog: g.catalog(300, 5)}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	var cases []Case
	for range 200 {
		c := Case{Query: g.phrase(1+g.IntN(3), " ")}
		hits := a.Search(c.Query, 25).Hits
		for range 1 + g.IntN(3) {
			if len(hits) > 0 && g.IntN(3) > 0 {
				c.Want = append(c.Want, hits[g.IntN(len(hits))].Name)
			} else {
				c.Want = append(c.Want, a.Deferred[g.IntN(len(a.Deferred))].Name)
			}
		}
		cases = append(cases, c)
	}
	for _, limit := range []int{1, 2, 3, 5, 25} {
		e := a.Evaluate(cases, limit, session, nil)
		var at [26]int // cases by the place of their first wanted tool
		sum := 0.0
		for i, c := range cases {
			matches := a.SearchAnswer([]string{c.Query}, limit).Results[0].Matches
			place := 1 + slices.IndexFunc(matches, func(name string) bool { return slices.Contains(c.Want, name) })
			at[place]++
			if place > 0 {
				sum += 1 / float64(place)
			}
			r := e.Cases[i]
			if p := a.PlaceCase(c, limit); p.Found != r.Found || p.Rank != r.Rank || p.Tool != r.Tool || len(p.Misses) > 0 {
				t.Fatalf("placed it is %+v, evaluated %+v", p, r)
			}
			if r.Found != (place > 0) || r.Found && (r.Rank != place || r.Tool != matches[place-1] || len(r.Misses) > 0) {
				t.Fatalf("limit %d, %+v: number %d, found %v; it is number %d of %v", limit, c, r.Rank, r.Found, place, matches)
			}
			if !r.Found && (len(r.Misses) == 0 || r.Rank > 0 && r.Rank <= limit) {
				t.Fatalf("limit %d, %+v: number %d is no miss, or has no reason", limit, c, r.Rank)
			}
			for j := 1; j < len(r.Misses); j++ {
				if x, y := r.Misses[j-1].Rank, r.Misses[j].Rank; x == 0 && y > 0 || y > 0 && y < x {
					t.Fatalf("limit %d, %+v: the better placed come first, got %d before %d", limit, c, x, y)
				}
			}
		}
		at3 := 0
		for _, n := range at[1 : min(3, limit)+1] {
			at3 += n
		}
		if e.At1 != at[1] || e.At3 != at3 || e.Hits != len(cases)-at[0] || math.Abs(e.MRR-sum/200) > 1e-12 || at[0] == 0 || at[1] == 0 {
			t.Fatalf("limit %d: %d, %d, %d, MRR %g; the places are %v", limit, e.At1, e.At3, e.Hits, e.MRR, at)
		}
	}
}

// whys is, for each, the tool and the kinds of its reasons.
func whys(list []Why) string {
	var all []string
	for _, w := range list {
		all = append(all, w.Tool+" "+kinds(w))
	}
	return strings.Join(all, "; ")
}
