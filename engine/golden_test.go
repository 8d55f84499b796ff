package engine

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golden is one file of computed values: a catalog and what comes of it.
type golden struct {
	Catalog    json.RawMessage  `json:"catalog"`
	Assemblies []goldenAssembly `json:"assemblies"`
	Search     goldenSearch     `json:"search"`
	Limited    goldenSearch     `json:"search_limit_2"`

	catalog Catalog
}

type goldenAssembly struct {
	ToolNames         NameStyle       `json:"tool_names"`
	ContextLength     *int            `json:"context_length"`
	ThresholdPct      float64         `json:"threshold_pct"`
	ListingMaxTokens  int             `json:"listing_max_tokens"`
	BudgetTokens      int             `json:"budget_tokens"`
	DeferredCount     int             `json:"deferred_count"`
	DeferredTokens    int             `json:"deferred_tokens"`
	VisibleCoreTokens int             `json:"visible_core_tokens"`
	Form              Form            `json:"form"`
	Tier              int             `json:"tier"`
	Modes             map[string]Mode `json:"modes"`
	ListingTokens     int             `json:"listing_tokens"`
	ListingChars      int             `json:"listing_chars"`
	ListingSHA256     string          `json:"listing_sha256"`
	Listing           *string         `json:"listing"`
}

type goldenSearch struct {
	Documents     int           `json:"documents"`
	AverageLength float64       `json:"average_length"`
	Queries       []goldenQuery `json:"queries"`
}

type goldenQuery struct {
	Query    string         `json:"query"`
	Limit    int            `json:"limit"`
	Tokens   []string       `json:"tokens"`
	DF       map[string]int `json:"df"`
	Fallback bool           `json:"fallback"`
	Matches  []struct {
		Name  string `json:"name"`
		Score any    `json:"score"` // a number, or "exact"
	} `json:"matches"`
}

// goldenNames are the files of golden values that have assemblies.
var goldenNames = []string{"small", "edge", "edge2", "mid", "giant", "giant-with-small"}

func readGolden(t testing.TB, name string) golden {
	t.Helper()
	var g golden
	if err := json.Unmarshal(readTestdata(t, name), &g); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if name == "giant-with-small" {
		// giant's cloudflare between small's linear and slack, core as in small.
		small, giant := readGolden(t, "small").catalog, readGolden(t, "giant").catalog
		g.catalog = Catalog{Servers: []Server{small.Servers[0], giant.Servers[0], small.Servers[2]}, Core: small.Core}
		return g
	}
	c, warnings, err := ReadCatalog(g.Catalog)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%s: %v, %v", name, err, warnings)
	}
	g.catalog = c
	return g
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	path := filepath.Join("testdata", name+".json")
	data, err := os.ReadFile(path)
	if err == nil {
		return data
	}
	data, err = os.ReadFile(path + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return data
}

func (g goldenAssembly) config() Config {
	c := Config{ToolSearch: DefaultToolSearch(), ToolNames: g.ToolNames}
	c.ThresholdPct, c.ListingMaxTokens = g.ThresholdPct, g.ListingMaxTokens
	if g.ContextLength != nil {
		c.ContextLength = *g.ContextLength
	}
	return c
}

func TestGoldenAssemblies(t *testing.T) {
	for _, name := range goldenNames {
		t.Run(name, func(t *testing.T) {
			g := readGolden(t, name)
			if len(g.Assemblies) == 0 {
				t.Fatal("no assemblies")
			}
			for _, want := range g.Assemblies {
				a := Assemble(Session{Catalog: g.catalog}, want.config())
				sum := ""
				if a.Listing.Text != "" {
					h := sha256.Sum256([]byte(a.Listing.Text))
					sum = hex.EncodeToString(h[:])
				}
				modes := map[string]Mode{}
				for _, group := range a.Groups {
					modes[group.Label] = group.Mode
				}
				check := func(what string, got, want any) {
					if got != want {
						t.Errorf("%+v: %s: got %v, want %v", a.Config, what, got, want)
					}
				}
				check("budget", a.Budget.Tokens, want.BudgetTokens)
				check("deferred", len(a.Deferred), want.DeferredCount)
				check("deferred tokens", a.DeferredTokens, want.DeferredTokens)
				check("visible tokens", a.VisibleTokens, want.VisibleCoreTokens)
				check("form", a.Form, want.Form)
				check("tier", a.Tier, want.Tier)
				check("listing tokens", a.Listing.Tokens, want.ListingTokens)
				check("listing characters", a.Listing.Chars, want.ListingChars)
				check("listing hash", sum, want.ListingSHA256)
				if want.Listing != nil {
					check("listing", a.Listing.Text, *want.Listing)
				}
				if !maps.Equal(modes, want.Modes) {
					t.Errorf("%+v: modes: got %v, want %v", a.Config, modes, want.Modes)
				}
				if i := a.Chosen(); i >= 0 {
					check("tokens of the step", a.Ladder[i].Tokens, want.ListingTokens)
				}
			}
		})
	}
}

func TestGoldenSearch(t *testing.T) {
	for _, name := range []string{"small", "edge", "edge2", "mid", "giant"} {
		g := readGolden(t, name)
		for _, style := range []NameStyle{NamesSingle, NamesDouble} {
			t.Run(name+" "+string(style), func(t *testing.T) {
				c := Config{ToolSearch: DefaultToolSearch(), ToolNames: style}
				a := Assemble(Session{Catalog: g.catalog}, c)
				for _, s := range []goldenSearch{g.Search, g.Limited} {
					if len(s.Queries) > 0 {
						checkSearch(t, a, s, style)
					}
				}
			})
		}
	}
}

func checkSearch(t *testing.T, a Assembly, s goldenSearch, style NameStyle) {
	t.Helper()
	if got := a.Index.Documents(); got != s.Documents {
		t.Errorf("documents: got %d, want %d", got, s.Documents)
	}
	if got := a.Index.AverageLength(); math.Abs(got-s.AverageLength) > 1e-9 {
		t.Errorf("average length: got %v, want %v", got, s.AverageLength)
	}
	for _, want := range s.Queries {
		query := want.Query
		if style == NamesDouble && len(want.Matches) > 0 && want.Matches[0].Score == "exact" {
			// The golden values are for single names: ask for the same tool.
			if name := doubled(a, want.Matches[0].Name); name != want.Matches[0].Name {
				query = name
			}
		}
		got := a.Search(query, want.Limit)
		var stems []string
		df := map[string]int{}
		for _, token := range got.Tokens {
			stems = append(stems, token.Stem)
			df[token.Stem] = token.DF
		}
		if strings.Join(stems, " ") != strings.Join(want.Tokens, " ") {
			t.Errorf("%q: tokens: got %v, want %v", query, stems, want.Tokens)
		}
		if !maps.Equal(df, want.DF) {
			t.Errorf("%q: df: got %v, want %v", query, df, want.DF)
		}
		if got.Fallback != want.Fallback {
			t.Errorf("%q: fallback: got %v", query, got.Fallback)
		}
		if len(got.Hits) != len(want.Matches) {
			t.Errorf("%q: got %d hits, want %d", query, len(got.Hits), len(want.Matches))
			continue
		}
		for i, m := range want.Matches {
			hit := got.Hits[i]
			name := m.Name
			if style == NamesDouble {
				name = doubled(a, name)
			}
			if hit.Name != name || hit.Rank != i+1 || hit.Exact != (m.Score == "exact") {
				t.Errorf("%q: hit %d: got %+v, want %v", query, i+1, hit, m)
			}
			if score, ok := m.Score.(float64); ok && math.Abs(hit.Score-score) > 1e-9 {
				t.Errorf("%q: %s: score: got %v, want %v", query, hit.Name, hit.Score, score)
			}
			if sum := sumTerms(hit); !hit.Exact && !got.Fallback && sum != hit.Score {
				t.Errorf("%q: %s: the terms come to %v, the score is %v", query, hit.Name, sum, hit.Score)
			}
			if ranked, ok := a.Rank(query, hit.Name); !ok || ranked.Rank != hit.Rank || ranked.Score != hit.Score {
				t.Errorf("%q: %s: Rank gives %+v, %v", query, hit.Name, ranked, ok)
			}
		}
	}
}

func sumTerms(h Hit) float64 {
	sum := 0.0
	for _, term := range h.Terms {
		sum += term.Score
	}
	return sum
}

// doubled returns the double wire name of a single one.
func doubled(a Assembly, single string) string {
	for _, d := range a.Deferred {
		if d.Source == SourceMCP && WireName(NamesSingle, d.Server, d.Tool.Name) == single {
			return d.Name
		}
	}
	return single
}

func TestGoldenText(t *testing.T) {
	var g struct {
		Short []struct {
			In  *string `json:"in"`
			Out string  `json:"out"`
		} `json:"short_descriptions"`
		Tokens []struct {
			In  string   `json:"in"`
			Out []string `json:"out"`
		} `json:"tokens"`
	}
	if err := json.Unmarshal(readTestdata(t, "text"), &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Short) == 0 || len(g.Tokens) == 0 {
		t.Fatal("nothing to compare")
	}
	for _, s := range g.Short {
		in := ""
		if s.In != nil {
			in = *s.In
		}
		if got := ShortDescription(in); got != s.Out {
			t.Errorf("ShortDescription(%q) = %q, want %q", in, got, s.Out)
		}
	}
	for _, s := range g.Tokens {
		var got []string
		for _, token := range Tokens(s.In) {
			got = append(got, token.Stem)
		}
		if strings.Join(got, " ") != strings.Join(s.Out, " ") {
			t.Errorf("Tokens(%q) = %v, want %v", s.In, got, s.Out)
		}
	}
}
