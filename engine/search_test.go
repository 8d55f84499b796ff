package engine

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"
)

// scan ranks the definitions as the formula reads, document by document: the
// straight way to the same ranking. An exact name is left to the caller.
func scan(deferred []Definition, query string) (names []string, scores []float64) {
	documents := make([][]string, len(deferred))
	df := map[string]int{}
	total := 0
	for i, d := range deferred {
		name := d.Name
		if d.Source == SourceMCP {
			name = strings.TrimPrefix(strings.TrimPrefix(name, "mcp__"), "mcp_")
		}
		name = strings.NewReplacer("_", " ", ".", " ", ":", " ", "-", " ").Replace(name)
		parts := []string{name}
		known := false
		for _, word := range strings.Fields(name) {
			known = known || word == d.Label
		}
		if !known {
			parts = append(parts, d.Label)
		}
		parts = append(parts, d.Tool.Description)
		parts = append(parts, d.Tool.facts.properties...)
		seen := map[string]bool{}
		for _, token := range Tokens(strings.Join(parts, " ")) {
			documents[i] = append(documents[i], token.Stem)
			if !seen[token.Stem] {
				seen[token.Stem] = true
				df[token.Stem]++
			}
		}
		total += len(documents[i])
	}
	average := float64(total) / float64(len(deferred))
	order := make([]int, 0, len(deferred))
	all := make([]float64, len(deferred))
	for i, document := range documents {
		for _, token := range Tokens(query) {
			tf := 0
			for _, s := range document {
				if s == token.Stem {
					tf++
				}
			}
			if tf == 0 {
				continue
			}
			n := float64(df[token.Stem])
			idf := math.Log(1 + (float64(len(deferred))-n+0.5)/(n+0.5))
			all[i] += idf * float64(tf) * (1.5 + 1) / (float64(tf) + 1.5*(1-0.75+0.75*float64(len(document))/math.Max(average, 1)))
		}
		if all[i] > 0 {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return all[order[i]] > all[order[j]] })
	for _, i := range order {
		names = append(names, deferred[i].Name)
		scores = append(scores, all[i])
	}
	return names, scores
}

func TestSearchAgainstScan(t *testing.T) {
	g := newGenerator(11)
	for range 25 {
		c := g.config()
		c.MaxSearchLimit = 50
		a := Assemble(Session{Catalog: g.catalog(1+g.IntN(200), 1+g.IntN(8))}, c)
		for range 20 {
			query := g.phrase(1+g.IntN(5), []string{" ", "_", " the ", "-X-"}[g.IntN(4)])
			names, scores := scan(a.Deferred, query)
			limit := 1 + g.IntN(50)
			got := a.Search(query, limit)
			if got.Fallback || got.Total != len(names) || len(got.Hits) != min(limit, len(names)) {
				if len(names) > 0 {
					t.Fatalf("%q: got %d of %d hits, want %d", query, len(got.Hits), got.Total, len(names))
				}
				continue
			}
			for i, hit := range got.Hits {
				if hit.Name != names[i] || math.Abs(hit.Score-scores[i]) > 1e-12 || hit.Rank != i+1 {
					t.Fatalf("%q: hit %d: got %s %v, want %s %v", query, i+1, hit.Name, hit.Score, names[i], scores[i])
				}
				if sum := sumTerms(hit); sum != hit.Score {
					t.Fatalf("%q: %s: the terms come to %v, the score is %v", query, hit.Name, sum, hit.Score)
				}
			}
			for i := 0; i < len(names); i += 1 + len(names)/7 {
				if hit, ok := a.Rank(query, names[i]); !ok || hit.Rank != i+1 || math.Abs(hit.Score-scores[i]) > 1e-12 {
					t.Fatalf("%q: %s: got rank %d, %v, want %d", query, names[i], hit.Rank, ok, i+1)
				}
			}
		}
	}
}

func hitNames(r Result) string {
	var names []string
	for _, h := range r.Hits {
		name := h.Name
		if h.Exact {
			name += "!"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func TestSearchCorners(t *testing.T) {
	catalog := Catalog{
		Servers: []Server{
			{Name: "hub", Tools: tools("github_list", "List_All", "a")},
			{Name: "日本", Tools: tools("東京")},
		},
		Plugins: []Toolset{{Name: "p", Tools: tools("Weird Name", "weird name", "ünïcode", "日本語", "café")}},
	}
	c := Config{ToolSearch: DefaultToolSearch()}
	a := Assemble(Session{Catalog: catalog}, c)
	// Deferred: Weird Name, café, mcp_____ (日本/東京), mcp_hub_List_All, mcp_hub_a, mcp_hub_github_list, weird name, ünïcode, 日本語.
	tests := []struct {
		query    string
		limit    int
		want     string
		fallback bool
	}{
		{"", 0, "", false},
		{" \t\n", 0, "", false},
		{"日本語", 0, "", false},                // equals a name, but has no token
		{"mcp______", 0, "mcp______!", true}, // the only tool whose name is in no document
		{"MCP_HUB_list_all", 0, "mcp_hub_List_All! mcp_hub_github_list mcp_hub_a", false},
		{" mcp_hub_List_All\n", 2, "mcp_hub_List_All! mcp_hub_github_list", false},
		{"mcp_hub_List_All", 1, "mcp_hub_List_All!", false},
		{"weird name", 0, "weird name! Weird Name", false},
		{"Weird Name", 0, "Weird Name! weird name", false},
		{"WEIRD NAME", 0, "Weird Name! weird name", false},
		{"CAFÉ", 0, "café!", false},
		{"ITHUB", 0, "mcp_hub_github_list", true},
		{"  ithub  ", 0, "mcp_hub_github_list", true},
		{"eird nam", 0, "Weird Name weird name", true},
		{"eird  nam", 0, "", false},
		{"cp_", 2, "mcp______ mcp_hub_List_All", true},
		{"ithub zzz", 0, "", false},
	}
	for _, test := range tests {
		r := a.Search(test.query, test.limit)
		if got := hitNames(r); got != test.want || r.Fallback != test.fallback {
			t.Errorf("%q: got %q, fallback %v, want %q, %v", test.query, got, r.Fallback, test.want, test.fallback)
		}
		for i, h := range r.Hits {
			if h.Exact && (h.Rank != 1 || h.Score != 0) || r.Fallback && !h.Exact && h.Score != 0.1 || len(h.Terms) != len(r.Tokens) {
				t.Errorf("%q: hit %+v", test.query, h)
			}
			if ranked, ok := a.Rank(test.query, h.Name); !ok || fmt.Sprint(ranked) != fmt.Sprint(h) {
				t.Errorf("%q: hit %d: Rank gives %+v", test.query, i+1, ranked)
			}
		}
	}
	if r := a.Search("cp_", 1); r.Total != 4 {
		t.Errorf("total before the limit: %d", r.Total)
	}
	if _, ok := a.Rank("list", "no_such_tool"); ok {
		t.Error("a tool that is not there has a rank")
	}
	if _, ok := a.Rank("日本語", "日本語"); ok {
		t.Error("a query without tokens ranks a tool")
	}
}

func TestSearchLimit(t *testing.T) {
	g := newGenerator(2)
	c := Config{ToolSearch: DefaultToolSearch()}
	c.SearchDefaultLimit, c.MaxSearchLimit = 7, 9
	a := Assemble(Session{Catalog: g.catalog(300, 2)}, c)
	for limit, want := range map[int]int{0: 7, -1: 1, 1: 1, 8: 8, 9: 9, 10: 9, 1000: 9} {
		r := a.Search("list create the", limit)
		if len(r.Hits) != want || r.Limit != want || r.Total <= 9 {
			t.Errorf("limit %d: got %d hits of %d, want %d", limit, len(r.Hits), r.Total, want)
		}
	}
}

func TestSearchWithoutTools(t *testing.T) {
	for _, a := range []Assembly{{}, assembleDefault(t, Catalog{}), assembleDefault(t, Catalog{Core: tools("list")})} {
		r := a.Search("list issues", 5)
		if len(r.Hits) > 0 || r.Total > 0 || len(r.Tokens) != 2 || r.Tokens[0].DF != 0 {
			t.Errorf("got %+v", r)
		}
		if _, ok := a.Rank("list", "list"); ok {
			t.Error("a visible tool is ranked")
		}
	}
}

func TestTokensAsTheyStand(t *testing.T) {
	// The Kelvin sign and the dotted capital I are no ASCII, though their lower
	// case is or has some.
	var got []string
	for _, token := range Tokens("\u212aelvin İstanbul FLYING x1y2 0042") {
		got = append(got, token.Raw+":"+token.Stem)
	}
	if s := strings.Join(got, " "); s != "elvin:elvin stanbul:stanbul FLYING:fli x1y2:x1y2 0042:0042" {
		t.Errorf("got %s", s)
	}
}
