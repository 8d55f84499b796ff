package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// ReasonKind says what sort of reason it is that a query finds a tool where it
// does, or does not find it.
type ReasonKind string

// Why a tool is found.
const (
	ReasonExact    ReasonKind = "exact_name" // the query is its wire name
	ReasonFallback ReasonKind = "fallback"   // its wire name contains the query
	ReasonMatched  ReasonKind = "matched"    // a token of the query is in its document
)

// Why a tool is not found, or not within the limit.
const (
	ReasonNoTokens     ReasonKind = "no_tokens"         // the query has no token at all
	ReasonNonLatin     ReasonKind = "non_latin"         // a part of the query is in letters that are in no token
	ReasonNotInCatalog ReasonKind = "not_in_catalog"    // a token is in no document
	ReasonNotInTool    ReasonKind = "not_in_tool"       // a token is in others' documents, not in this tool's
	ReasonCamelCase    ReasonKind = "camel_case"        // it is a part of a camelCase word, which is one token
	ReasonInsideWord   ReasonKind = "inside_word"       // it is a part of a longer token
	ReasonBeyondLimit  ReasonKind = "beyond_limit"      // found, but below the limit
	ReasonShorter      ReasonKind = "shorter_documents" // tools above it would be below it, were their documents as long
)

// Why a tool is not searched at all.
const (
	ReasonBridge      ReasonKind = "bridge"       // it is a bridge tool
	ReasonNotDeferred ReasonKind = "not_deferred" // it is in the tool list as it is
	ReasonOutOfScope  ReasonKind = "out_of_scope" // the session does not see its toolset
	ReasonShadowed    ReasonKind = "shadowed"     // another tool has its wire name
	ReasonFiltered    ReasonKind = "filtered_out" // include/exclude leaves it out
	ReasonNotReady    ReasonKind = "not_connected"
	ReasonUnknown     ReasonKind = "unknown" // no server, plugin or core tool has this name
)

// Reason is one reason with its evidence.
type Reason struct {
	Kind    ReasonKind `json:"kind"`
	Message string     `json:"message"`         // one sentence for a person
	Token   string     `json:"token,omitempty"` // of the query, as it stands there
	Stem    string     `json:"stem,omitempty"`
	DF      int        `json:"df,omitempty"`     // tools whose documents have the token
	Word    string     `json:"word,omitempty"`   // of the tool's document
	Tools   []string   `json:"tools,omitempty"`  // wire names: those above it, or those meant perhaps
	Server  string     `json:"server,omitempty"` // whose tool it is
	Gap     float64    `json:"gap,omitempty"`    // score that is wanting to the last place within the limit
}

// Why answers why a query finds a tool, or why not.
type Why struct {
	Query   string        `json:"query"`
	Tool    string        `json:"tool"` // the wire name, or what was asked for where there is no such tool
	Limit   int           `json:"limit"`
	Found   bool          `json:"found"` // within the limit
	Rank    int           `json:"rank"`  // from 1; 0 where the query does not find it at all
	Score   float64       `json:"score"`
	Reasons []Reason      `json:"reasons"` // in the order a person would check them; never empty
	Changes []QueryChange `json:"changes"` // smallest changes of the query that bring the tool within the limit; none where it is, or nothing does
}

// AbsentTools says which of a server's tools are not in the catalog, and why.
type AbsentTools struct {
	Server   string
	State    string   // "off", "connecting", "failed"; "" where the server is ready
	Reason   string   // why it failed
	Filtered []string // own names that include/exclude leaves out
}

// Why answers why a query finds a tool where it does, or why not, and what
// change of the query would find it. The tool is given by its wire name, or by
// its own name where that is no other's wire name. A limit of 0 is
// search_default_limit. The session is the one the assembly is of; absent tells
// of the servers whose tools are not in its catalog.
func (a Assembly) Why(query, tool string, limit int, session Session, absent []AbsentTools) Why {
	w := Why{Query: query, Tool: strings.TrimSpace(tool), Limit: a.searchLimit(limit), Reasons: []Reason{}, Changes: []QueryChange{}}
	doc := a.index().names.find(w.Tool)
	if doc < 0 {
		doc = a.ownName(w.Tool)
	}
	if doc < 0 {
		w.Reasons = a.notSearched(w.Tool, session, absent)
		return w
	}
	d := &a.Deferred[doc]
	w.Tool = d.Name
	result := a.Search(query, limit)
	hit, ok := a.Rank(query, d.Name)
	if ok {
		w.Rank, w.Score, w.Found = hit.Rank, hit.Score, hit.Rank <= w.Limit
	}
	if w.Found {
		w.Reasons = found(result, hit)
	} else {
		w.Reasons = a.notFound(result, hit, doc)
		w.Changes = a.queryChanges(result, doc)
	}
	w.Reasons = append(w.Reasons, a.losers(d.Name)...)
	return w
}

// ownName returns the only deferred tool with an own name, or -1.
func (a Assembly) ownName(name string) int {
	at := -1
	for i := range a.Deferred {
		if a.Deferred[i].Tool.Name != name {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// found says why a hit is one.
func found(r Result, h Hit) []Reason {
	if h.Exact {
		return []Reason{{Kind: ReasonExact, Message: "the query is its wire name, so it comes first"}}
	}
	if r.Fallback {
		return []Reason{{Kind: ReasonFallback, Message: "no word of the query is in any document, and its wire name contains the query"}}
	}
	var reasons []Reason
	for i, t := range h.Terms {
		if t.TF == 0 {
			continue
		}
		token := r.Tokens[i]
		reasons = append(reasons, Reason{
			Kind: ReasonMatched, Token: token.Raw, Stem: token.Stem, DF: token.DF,
			Message: fmt.Sprintf("“%s” stands %s in its document and gives %.2f of its %.2f", token.Raw, times(t.TF), t.Score, h.Score),
		})
	}
	return reasons
}

// notFound says why a deferred tool is not within the limit. The hit is zero
// where the query does not find it at all.
func (a Assembly) notFound(r Result, h Hit, doc int) []Reason {
	reasons := nonLatin(r)
	if len(r.Tokens) == 0 {
		return append(reasons, Reason{Kind: ReasonNoTokens, Message: "the query has no token: a token is a run of Latin letters and digits"})
	}
	document := a.document(doc)
	told := map[string]bool{}
	for i, token := range r.Tokens {
		if told[token.Stem] || h.Rank > 0 && len(h.Terms) > i && h.Terms[i].TF > 0 || document.has(token.Stem) {
			continue
		}
		told[token.Stem] = true
		reasons = append(reasons, document.lacks(token, a.index().Documents()))
	}
	if h.Rank == 0 {
		return reasons
	}
	last := r.Hits[len(r.Hits)-1]
	beyond := Reason{
		Kind: ReasonBeyondLimit, Gap: last.Score - h.Score, Tools: wireNames(r.Hits),
		Message: fmt.Sprintf("it is number %d with %.2f; the last within the limit of %d has %.2f", h.Rank, h.Score, r.Limit, last.Score),
	}
	if last.Exact {
		beyond.Gap = 0
		beyond.Message = fmt.Sprintf("it is number %d, and the limit is %d", h.Rank, r.Limit)
	}
	reasons = append(reasons, beyond)
	if shorter := a.shorter(r, h, doc); len(shorter) > 0 && !r.Fallback {
		reasons = append(reasons, Reason{
			Kind: ReasonShorter, Tools: shorter,
			Message: fmt.Sprintf("its document has %d tokens, the mean is %.0f: with a document as short as theirs it would be above %s", a.Index.lengths[doc], a.Index.average, andOthers(shorter)),
		})
	}
	return reasons
}

// shorter returns the hits that would be below a tool, were its document as
// short as theirs.
func (a Assembly) shorter(r Result, h Hit, doc int) []string {
	var names []string
	for _, above := range r.Hits {
		other := int32(a.Index.names.find(above.Name))
		if above.Exact || a.Index.lengths[other] >= a.Index.lengths[doc] {
			continue
		}
		score := 0.0
		for _, t := range h.Terms {
			if term, ok := a.Index.term(t.Stem); ok && t.TF > 0 {
				score += a.Index.score(term, other, int32(t.TF))
			}
		}
		if score > above.Score {
			names = append(names, above.Name)
		}
	}
	return names
}

// nonLatin names the words of a query that are in no token for their letters.
func nonLatin(r Result) []Reason {
	var reasons []Reason
	for word := range strings.FieldsSeq(r.Query) {
		if strings.IndexFunc(word, func(c rune) bool { return c > unicode.MaxASCII && unicode.IsLetter(c) }) >= 0 {
			reasons = append(reasons, Reason{
				Kind: ReasonNonLatin, Token: word,
				Message: fmt.Sprintf("“%s” has letters outside A–Z, which are in no token", word),
			})
		}
	}
	return reasons
}

// notSearched says why a name is none of the deferred tools.
func (a Assembly) notSearched(name string, session Session, absent []AbsentTools) []Reason {
	one := func(kind ReasonKind, server, message string) []Reason {
		return append([]Reason{{Kind: kind, Server: server, Message: message}}, a.losers(name)...)
	}
	if IsBridge(name) {
		return one(ReasonBridge, "", name+" is a bridge tool: the model has it in its tool list")
	}
	for _, d := range a.Visible {
		switch {
		case d.Name != name && d.Tool.Name != name:
		case !a.Activated && d.Source.Deferrable():
			return one(ReasonNotDeferred, d.Server, "nothing is deferred at tier 0: "+d.Name+" is in the tool list as it is")
		default:
			return one(ReasonNotDeferred, d.Server, fmt.Sprintf("%s is a %s tool and never deferred: the model calls it directly", d.Name, cmp.Or(string(d.Source), "visible")))
		}
	}
	for _, w := range a.Warnings {
		if w.Used != w.Key && w.Used != "" && strings.HasPrefix(w.Given, fmt.Sprintf("tool %q of ", name)) {
			return one(ReasonShadowed, "", w.Message)
		}
	}
	for _, s := range absent {
		for _, own := range s.Filtered {
			if own == name || WireName(a.Config.ToolNames, s.Server, own) == name {
				return one(ReasonFiltered, s.Server, fmt.Sprintf("server %s lists %s, and tools.include/exclude leaves it out", s.Server, own))
			}
		}
	}
	if d, ok := outside(name, a.Config.ToolNames, session); ok {
		return one(ReasonOutOfScope, d.Server, fmt.Sprintf("%s is of toolset %s, which this session does not see", d.Name, d.Toolset))
	}
	if s, ok := a.serverOf(name, absent); ok {
		message := fmt.Sprintf("server %s is %s, so none of its tools are here", s.Server, s.State)
		if s.Reason != "" {
			message += ": " + s.Reason
		}
		return one(ReasonNotReady, s.Server, message)
	}
	r := Reason{Kind: ReasonUnknown, Message: "no tool of this session has the name " + name, Tools: a.near(name)}
	if len(r.Tools) > 0 {
		r.Message += ": did you mean " + strings.Join(r.Tools, " or ") + "?"
	}
	return []Reason{r}
}

// outside returns the tool of a name among those the session does not see.
func outside(name string, style NameStyle, session Session) (Definition, bool) {
	scope := session.Scope
	session.Scope = Scope{}
	all, _ := Definitions(session, style)
	i := slices.IndexFunc(all, func(d Definition) bool {
		return (d.Name == name || d.Tool.Name == name) && !scope.Allows(d.Toolset)
	})
	if i < 0 {
		return Definition{}, false
	}
	return all[i], true
}

// serverOf returns the server that is not ready whose wire names begin as a
// name does: the one with the longest name.
func (a Assembly) serverOf(name string, absent []AbsentTools) (AbsentTools, bool) {
	var best AbsentTools
	for _, s := range absent {
		if s.State != "" && strings.HasPrefix(name, WireName(a.Config.ToolNames, s.Server, "")) && len(s.Server) > len(best.Server) {
			best = s
		}
	}
	return best, best.Server != ""
}

// losers tells of the tools that a tool's wire name keeps out.
func (a Assembly) losers(name string) []Reason {
	var reasons []Reason
	for _, w := range a.Warnings {
		if w.Key == name && w.Used != name && w.Used != "" {
			reasons = append(reasons, Reason{Kind: ReasonShadowed, Message: w.Message})
		}
	}
	return reasons
}

func (d document) has(stem string) bool {
	return slices.ContainsFunc(d.words, func(t Token) bool { return t.Stem == stem })
}

// lacks says why a token of a query is not in the document.
func (d document) lacks(token QueryToken, documents int) Reason {
	r := Reason{Token: token.Raw, Stem: token.Stem, DF: token.DF}
	for _, w := range d.words {
		for _, part := range camelParts(w.Raw) {
			if stemWord(strings.ToLower(part)) == token.Stem {
				r.Kind, r.Word = ReasonCamelCase, w.Raw
				r.Message = fmt.Sprintf("“%s” is in its document only as a part of “%s”, which is one token: camelCase is not taken apart", token.Raw, w.Raw)
				return r
			}
		}
	}
	lower := strings.ToLower(token.Raw)
	for _, w := range d.words {
		if len(lower) >= minInside && strings.Contains(strings.ToLower(w.Raw), lower) {
			r.Kind, r.Word = ReasonInsideWord, w.Raw
			r.Message = fmt.Sprintf("“%s” is in its document only inside the longer token “%s”", token.Raw, w.Raw)
			return r
		}
	}
	near := ""
	for _, w := range d.words {
		if len(lower) >= minInside && oneEdit(strings.ToLower(w.Raw), lower) {
			near = fmt.Sprintf(" (“%s” is, one letter away)", w.Raw)
			r.Word = w.Raw
			break
		}
	}
	if token.DF == 0 {
		r.Kind = ReasonNotInCatalog
		r.Message = fmt.Sprintf("“%s” (stem %s) is in no tool's document%s", token.Raw, token.Stem, near)
		return r
	}
	r.Kind = ReasonNotInTool
	r.Message = fmt.Sprintf("“%s” (stem %s) is in %d of %d documents, not in this tool's%s", token.Raw, token.Stem, token.DF, documents, near)
	return r
}

// minInside is the least length of a token that is looked for inside others:
// shorter ones are inside many words by chance.
const minInside = 3

// camelParts returns the parts of a camelCase word, none where it is not one:
// "listUsersV2" gives list, Users and V2; "HTTPServer" gives HTTP and Server.
func camelParts(word string) []string {
	var parts []string
	start := 0
	for i := 1; i < len(word); i++ {
		upper, before := isUpper(word[i]), word[i-1]
		next := i+1 < len(word) && isLower(rune(word[i+1]))
		if upper && (!isUpper(before) || next) {
			parts = append(parts, word[start:i])
			start = i
		}
	}
	if start == 0 {
		return nil
	}
	return append(parts, word[start:])
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func wireNames(hits []Hit) []string {
	names := make([]string, len(hits))
	for i, h := range hits {
		names[i] = h.Name
	}
	return names
}

// andOthers names the first of a list and counts the others.
func andOthers(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
