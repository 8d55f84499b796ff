package engine

import (
	"sort"
	"strings"
)

// QueryToken is one token of a query and its weight in the catalog.
type QueryToken struct {
	Raw  string  `json:"raw"`  // as it stands in the query
	Stem string  `json:"stem"` // lower-cased and stemmed
	DF   int     `json:"df"`   // documents that contain the stem
	IDF  float64 `json:"idf"`
}

// TermScore is the part of a hit's score that one query token gave.
type TermScore struct {
	Stem  string  `json:"stem"`
	TF    int     `json:"tf"` // occurrences in the tool's document
	Score float64 `json:"score"`
}

// Hit is one tool that a query found.
type Hit struct {
	Rank  int         // from 1
	Name  string      // the wire name
	Score float64     // 0 where Exact
	Exact bool        // the query is this tool's wire name
	Terms []TermScore // one per query token, in query order; summed in that order they give Score, save for Exact and fallback hits
}

// Result is what one query found, with its explanation.
type Result struct {
	Query    string
	Limit    int
	Tokens   []QueryToken
	Fallback bool  // found by the substring of a wire name
	Total    int   // tools with a score, before the limit
	Hits     []Hit // at most Limit
	Below    []Hit // the best of those below the limit; only from [Assembly.SearchBelow]
}

// fallbackScore is the score of a tool found by a part of its wire name.
const fallbackScore = 0.1

// Search returns what a query finds among the deferred tools, best first. The
// limit is clamped to 1–max_search_limit; 0 is search_default_limit. The rules
// are the engine's specification, §6.
func (a Assembly) Search(query string, limit int) Result { return a.SearchBelow(query, limit, 0) }

// SearchBelow is Search, which also returns the hits that follow within the
// next below places, whatever max_search_limit is.
func (a Assembly) SearchBelow(query string, limit, below int) Result {
	r := a.index().rank(query)
	limit = a.searchLimit(limit)
	result := Result{Query: query, Limit: limit, Tokens: r.tokens, Fallback: r.fallback}
	places := limit + max(0, below)
	if r.exact >= 0 {
		places--
	}
	top := make([]int32, 0, min(places, len(r.scores)))
	for i, score := range r.scores {
		if score <= 0 || i == r.exact {
			continue
		}
		result.Total++
		top = keepBest(top, places, r.scores, int32(i))
	}
	if r.exact >= 0 {
		result.Total++
		top = append([]int32{int32(r.exact)}, top...)
	}
	for i, doc := range top {
		hit := a.index().hit(r, doc)
		hit.Rank = i + 1
		if i < limit {
			result.Hits = append(result.Hits, hit)
		} else {
			result.Below = append(result.Below, hit)
		}
	}
	return result
}

// Rank returns the hit of one tool, given by its wire name, for a query, also
// where its rank is beyond any limit. It is false where the query does not
// find the tool.
func (a Assembly) Rank(query, tool string) (Hit, bool) {
	doc := a.index().names.find(tool)
	if doc < 0 {
		return Hit{}, false
	}
	r := a.index().rank(query)
	place := r.place(doc)
	if place == 0 {
		return Hit{}, false
	}
	hit := a.index().hit(r, int32(doc))
	hit.Rank = place
	return hit, true
}

// index returns the index, an empty one for the zero Assembly.
func (a Assembly) index() *Index {
	if a.Index == nil {
		return &Index{}
	}
	return a.Index
}

// searchLimit returns the limit in force for one asked for.
func (a Assembly) searchLimit(limit int) int {
	if limit == 0 {
		limit = a.Config.SearchDefaultLimit
	}
	return max(1, min(limit, a.Config.MaxSearchLimit))
}

// keepBest puts a document in the list of the best so far, which is sorted by
// score and, among equals, in document order. Documents come in that order.
func keepBest(top []int32, limit int, scores []float64, doc int32) []int32 {
	if len(top) == limit {
		if limit == 0 || scores[top[limit-1]] >= scores[doc] {
			return top
		}
		top = top[:limit-1]
	}
	at := len(top)
	for at > 0 && scores[top[at-1]] < scores[doc] {
		at--
	}
	top = append(top, doc)
	copy(top[at+1:], top[at:])
	top[at] = doc
	return top
}

// ranking is every document's score for one query.
type ranking struct {
	tokens   []QueryToken
	terms    []int32   // of each token; -1 where no document has it
	scores   []float64 // by document; nil for a query without tokens
	exact    int       // the document whose wire name the query is, or -1
	fallback bool      // the scores are those of the substring step
}

// rank scores every document.
func (ix *Index) rank(query string) ranking {
	r := ranking{exact: -1}
	found := false
	for _, t := range Tokens(query) {
		q := QueryToken{Raw: t.Raw, Stem: t.Stem}
		term, ok := ix.term(t.Stem)
		if ok {
			q.DF, q.IDF = len(ix.list(term)), ix.idf[term]
			found = true
		} else {
			term = -1
			q.IDF = idf(ix.Documents(), 0)
		}
		r.tokens = append(r.tokens, q)
		r.terms = append(r.terms, term)
	}
	if len(r.tokens) == 0 {
		return r
	}
	r.scores = make([]float64, ix.Documents())
	r.exact = ix.names.exact(query)
	if !found {
		ix.names.containing(strings.TrimSpace(query), func(doc int) {
			r.scores[doc] = fallbackScore
			r.fallback = true
		})
		return r
	}
	for _, term := range r.terms {
		if term < 0 {
			continue
		}
		for _, p := range ix.list(term) {
			r.scores[p.doc] += ix.score(term, p.doc, p.tf)
		}
	}
	return r
}

// place returns the rank of a document, from 1; 0 where the query does not find
// it.
func (r ranking) place(doc int) int {
	if r.scores == nil || r.scores[doc] <= 0 && doc != r.exact {
		return 0
	}
	if doc == r.exact {
		return 1
	}
	place := 1
	for i, score := range r.scores {
		if i == r.exact || score > r.scores[doc] || score == r.scores[doc] && i < doc {
			place++
		}
	}
	return place
}

// hit explains one document's score.
func (ix *Index) hit(r ranking, doc int32) Hit {
	h := Hit{Name: ix.names.list[doc], Exact: int(doc) == r.exact}
	if !h.Exact {
		h.Score = r.scores[doc]
	}
	h.Terms = make([]TermScore, len(r.tokens))
	for i, term := range r.terms {
		h.Terms[i].Stem = r.tokens[i].Stem
		if term < 0 {
			continue
		}
		list := ix.list(term)
		at := sort.Search(len(list), func(j int) bool { return list[j].doc >= doc })
		if at < len(list) && list[at].doc == doc {
			h.Terms[i].TF = int(list[at].tf)
			h.Terms[i].Score = ix.score(term, doc, list[at].tf)
		}
	}
	return h
}
