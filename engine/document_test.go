package engine

import (
	"slices"
	"strings"
	"testing"
)

// A document as it is told is the one that is searched: its length and every
// count are those of the index.
func TestDocumentIsTheIndexed(t *testing.T) {
	g := newGenerator(23)
	for range 8 {
		a := Assemble(Session{Catalog: g.catalog(1+g.IntN(80), 1+g.IntN(6))}, g.config())
		for i, d := range a.Deferred {
			got, ok := a.Document(d.Name)
			if !ok || got.Length != int(a.Index.lengths[i]) {
				t.Fatalf("%s: %d tokens, %v; the index has %d", d.Name, got.Length, ok, a.Index.lengths[i])
			}
			sum, seen := 0, map[string]bool{}
			for _, token := range got.Tokens {
				if seen[token.Stem] {
					t.Fatalf("%s: %s stands there twice", d.Name, token.Stem)
				}
				seen[token.Stem] = true
				sum += token.TF
				hit, ok := a.Rank(token.Raw, d.Name)
				if !ok || !hit.Exact && hit.Terms[0].TF != token.TF {
					t.Fatalf("%s: %s stands there %d times, a search for it counts %+v", d.Name, token.Raw, token.TF, hit.Terms)
				}
			}
			if sum != got.Length {
				t.Fatalf("%s: the counts come to %d, the length is %d", d.Name, sum, got.Length)
			}
		}
	}
}

func TestDocument(t *testing.T) {
	a := assembleDefault(t, whyCatalog(t))
	got, ok := a.Document("mcp_hub_listUsers")
	var words []string
	for _, token := range got.Tokens {
		words = append(words, token.Raw+"="+token.Stem)
	}
	if want := "hub=hub listUsers=listus Everyone=everyon with=with an=an account=account"; !ok || strings.Join(words, " ") != want {
		t.Errorf("got %v, want %s", words, want)
	}
	for _, name := range []string{"", "listUsers", "read_file", BridgeSearch} {
		if got, ok := a.Document(name); ok {
			t.Errorf("%q: %+v where no deferred tool has the name", name, got)
		}
	}
	if _, ok := (Assembly{}).Document("mcp_hub_listUsers"); ok {
		t.Error("the zero assembly has a document")
	}
}

// Every line told of a tool stands in the listing as it is told.
func TestListingLine(t *testing.T) {
	g := newGenerator(29)
	met := map[Mode]bool{}
	for range 60 {
		c := g.config()
		c.ListingMaxTokens = 200 + g.IntN(2000)
		a := Assemble(Session{Catalog: g.catalog(20+g.IntN(60), 1+g.IntN(6))}, c)
		lines := strings.Split(a.Listing.Text, "\n")
		for _, d := range a.Deferred {
			line, mode := a.ListingLine(d.Name)
			met[mode] = true
			i := slices.IndexFunc(a.Groups, func(g Group) bool { return g.Label == d.Label })
			if mode != a.Groups[i].Mode {
				t.Fatalf("%s: %s, its group is %s", d.Name, mode, a.Groups[i].Mode)
			}
			switch mode {
			case ModeNone:
				if line != "" || a.Listing.Text != "" {
					t.Fatalf("%s: %q is told of the listing %q", d.Name, line, a.Listing.Text)
				}
			case ModeNames:
				if line != d.Name || !slices.ContainsFunc(lines, func(l string) bool { return slices.Contains(strings.Split(l, ", "), line) }) {
					t.Fatalf("%s: %q is in no line of\n%s", d.Name, line, a.Listing.Text)
				}
			default:
				if !slices.Contains(lines, line) || (mode == ModeFull) != strings.HasPrefix(line, "- "+d.Name) {
					t.Fatalf("%s: %q (%s) is no line of\n%s", d.Name, line, mode, a.Listing.Text)
				}
			}
		}
	}
	for _, mode := range []Mode{ModeFull, ModeNames, ModeSummary, ModeNone} {
		if !met[mode] {
			t.Errorf("no tool was %s", mode)
		}
	}
	if line, mode := (Assembly{}).ListingLine("x"); line != "" || mode != "" {
		t.Errorf("of no tool it tells %q, %s", line, mode)
	}
}

// The hits below the limit go on where those within it end, whatever the limit.
func TestSearchBelow(t *testing.T) {
	g := newGenerator(31)
	for range 10 {
		c := g.config()
		c.SearchDefaultLimit, c.MaxSearchLimit = 5, 25
		a := Assemble(Session{Catalog: g.catalog(1+g.IntN(200), 1+g.IntN(8))}, c)
		for range 20 {
			query := g.phrase(1+g.IntN(4), " ")
			if g.IntN(3) == 0 {
				query = a.Deferred[g.IntN(len(a.Deferred))].Name
			}
			limit, below := 1+g.IntN(25), g.IntN(40)
			within, got := a.Search(query, limit), a.SearchBelow(query, limit, below)
			if within.Below != nil || hitNames(got) != hitNames(within) || got.Total != within.Total {
				t.Fatalf("%q: %s within the limit, of %d; without those below %s, of %d", query, hitNames(got), got.Total, hitNames(within), within.Total)
			}
			if want := max(0, min(below, got.Total-limit)); len(got.Below) != want {
				t.Fatalf("%q: %d of %d below the limit of %d, want %d", query, len(got.Below), got.Total, limit, want)
			}
			for i, hit := range got.Below {
				ranked, ok := a.Rank(query, hit.Name)
				if !ok || hit.Rank != limit+i+1 || ranked.Rank != hit.Rank || ranked.Score != hit.Score || len(ranked.Terms) != len(hit.Terms) {
					t.Fatalf("%q: %+v below the limit, Rank gives %+v", query, hit, ranked)
				}
			}
		}
	}
	a := assembleDefault(t, whyCatalog(t))
	if got := a.SearchBelow("branch", 2, -1); len(got.Hits) != 2 || got.Below != nil {
		t.Errorf("below a negative number of places: %+v", got)
	}
}
