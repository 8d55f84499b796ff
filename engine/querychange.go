package engine

import (
	"cmp"
	"slices"
	"strings"
)

// QueryChange is a change of a query that brings a tool within the limit.
type QueryChange struct {
	Add   []string `json:"add,omitempty"`  // words of the tool's document to add
	Drop  []string `json:"drop,omitempty"` // words of the query to drop
	Query string   `json:"query"`          // the query as changed
	Rank  int      `json:"rank"`           // the tool's rank for it, found by searching again

	named bool // what is added is a word of the tool's name
}

// String says what to do, for a person: "add merge, drop user".
func (c QueryChange) String() string {
	var parts []string
	if len(c.Add) > 0 {
		parts = append(parts, "add "+strings.Join(c.Add, " "))
	}
	if len(c.Drop) > 0 {
		parts = append(parts, "drop "+strings.Join(c.Drop, " "))
	}
	return strings.Join(parts, ", ")
}

// maxPairs is how many words, the best alone, are tried in pairs.
const maxPairs = 12

// queryChanges returns the smallest changes that bring a tool within the limit
// of a query that does not: the best word to add and the best to drop, where
// one is enough; else the best change of two words; else the query that is the
// tool's wire name. Each was searched for.
func (a Assembly) queryChanges(r Result, doc int) []QueryChange {
	c := changer{a: a, tool: a.Deferred[doc].Name, result: r}
	drops := c.try(c.drops())
	adds := c.try(c.adds(a.document(doc)))
	if best := slices.Concat(c.best(drops), c.best(adds)); len(best) > 0 {
		return best
	}
	var pairs []QueryChange
	for i, first := range adds[:min(maxPairs, len(adds))] {
		for _, second := range adds[i+1 : max(i+1, min(maxPairs, len(adds)))] {
			pairs = append(pairs, QueryChange{Add: slices.Concat(first.Add, second.Add), Query: first.Query + " " + second.Add[0]})
		}
		for _, drop := range c.drops() {
			pairs = append(pairs, QueryChange{Add: first.Add, Drop: drop.Drop, Query: drop.Query + " " + first.Add[0]})
		}
	}
	if best := c.best(c.try(pairs)); len(best) > 0 {
		return best
	}
	return c.best(c.try([]QueryChange{{Add: []string{c.tool}, Drop: rawTokens(r.Tokens), Query: c.tool}}))
}

// changer tries changes of one query for one tool.
type changer struct {
	a      Assembly
	tool   string
	result Result
}

// try searches for each change and returns those that find the tool: those
// within the limit first, of these the words of its name, which say best what
// is meant, and then by rank.
func (c changer) try(changes []QueryChange) []QueryChange {
	var found []QueryChange
	for _, change := range changes {
		if hit, ok := c.a.Rank(change.Query, c.tool); ok {
			change.Rank = hit.Rank
			found = append(found, change)
		}
	}
	order := func(q QueryChange) int {
		switch {
		case q.Rank > c.result.Limit:
			return 2
		case !q.named:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(found, func(x, y QueryChange) int {
		return cmp.Or(cmp.Compare(order(x), order(y)), cmp.Compare(x.Rank, y.Rank))
	})
	return found
}

// best returns the first change where it brings the tool within the limit.
func (c changer) best(found []QueryChange) []QueryChange {
	if len(found) == 0 || found[0].Rank > c.result.Limit {
		return nil
	}
	return found[:1]
}

// drops returns the query less each of its words.
func (c changer) drops() []QueryChange {
	words := rawTokens(c.result.Tokens)
	if len(words) < 2 {
		return nil
	}
	var changes []QueryChange
	for i, word := range words {
		rest := slices.Concat(words[:i], words[i+1:])
		changes = append(changes, QueryChange{Drop: []string{word}, Query: strings.Join(rest, " ")})
	}
	return changes
}

// adds returns the query with each word of the tool's document that is not in
// it.
func (c changer) adds(d document) []QueryChange {
	var changes []QueryChange
	for i, t := range d.words {
		if slices.ContainsFunc(c.result.Tokens, func(q QueryToken) bool { return q.Stem == t.Stem }) {
			continue
		}
		word := strings.ToLower(t.Raw)
		changes = append(changes, QueryChange{Add: []string{word}, Query: strings.TrimSpace(c.result.Query + " " + word), named: i < d.named})
	}
	return changes
}

func rawTokens(tokens []QueryToken) []string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Raw
	}
	return words
}
