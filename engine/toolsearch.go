package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// SearchAnswer is what tool_search answers: the engine's specification, §5.
type SearchAnswer struct {
	Queries        []string               `json:"queries"`
	TotalAvailable int                    `json:"total_available"` // deferred tools
	Results        []QueryAnswer          `json:"results"`         // one per query
	Tools          map[string]ToolSummary `json:"tools"`           // every match of any query, by wire name
}

// QueryAnswer is what one query of a tool_search found. Where that is nothing
// it says what there is instead.
type QueryAnswer struct {
	Query            string            `json:"query"`
	Matches          []string          `json:"matches"` // wire names, best first
	AvailableSources []AvailableSource `json:"available_sources,omitempty"`
	Hint             string            `json:"hint,omitempty"`
}

// AvailableSource is one group of deferred tools.
type AvailableSource struct {
	Name      string `json:"name"` // the label
	ToolCount int    `json:"tool_count"`
}

// ToolSummary is what tool_search tells of a tool.
type ToolSummary struct {
	Source      Source   `json:"source"`
	SourceName  string   `json:"source_name"` // the label
	Description string   `json:"description"` // at most 400 characters
	Required    []string `json:"required"`    // at most 32 names of at most 64 characters
}

// ToolSearch answers a call of tool_search as the model gets it, from the
// arguments as the model gave them, in whatever shape. It never fails: what
// cannot be answered is answered by {"error": …}.
func (a Assembly) ToolSearch(arguments json.RawMessage) json.RawMessage {
	args, err := bridgeArguments(arguments)
	if err != nil {
		return refusal(BridgeSearch + ": " + err.Error())
	}
	queries, err := textList(args["queries"], "queries", MaxQueries)
	if err == nil {
		err = withinCap(queries, "queries", MaxQueries)
	}
	if err != nil {
		return refusal(BridgeSearch + ": " + err.Error())
	}
	return marshal(a.SearchAnswer(queries, a.limitGiven(args["limit"])))
}

// SearchAnswer answers queries with at most limit matches each (see
// [Assembly.Search]).
func (a Assembly) SearchAnswer(queries []string, limit int) SearchAnswer {
	answer := SearchAnswer{
		Queries:        queries,
		TotalAvailable: len(a.Deferred),
		Results:        make([]QueryAnswer, len(queries)),
		Tools:          map[string]ToolSummary{},
	}
	for i, query := range queries {
		q := QueryAnswer{Query: query, Matches: []string{}}
		for _, hit := range a.Search(query, limit).Hits {
			q.Matches = append(q.Matches, hit.Name)
			if _, ok := answer.Tools[hit.Name]; !ok {
				answer.Tools[hit.Name] = summary(a.Deferred[a.Index.names.find(hit.Name)])
			}
		}
		if len(q.Matches) == 0 {
			q.AvailableSources = a.sources()
			q.Hint = a.emptyHint(query)
		}
		answer.Results[i] = q
	}
	return answer
}

// summary returns what tool_search tells of a tool.
func summary(d Definition) ToolSummary {
	s := ToolSummary{Source: d.Source, SourceName: d.Label, Description: cut(d.Tool.Description, maxSummaryChars), Required: []string{}}
	for _, name := range d.Tool.measured().facts.required {
		if len(s.Required) == maxRequired {
			break
		}
		s.Required = append(s.Required, cut(name, maxRequiredNameChars))
	}
	return s
}

// sources returns the groups of the deferred tools, sorted by label.
func (a Assembly) sources() []AvailableSource {
	if len(a.Deferred) == 0 {
		return nil
	}
	sources := make([]AvailableSource, len(a.Groups))
	for i, g := range a.Groups {
		sources[i] = AvailableSource{Name: g.Label, ToolCount: g.Tools}
	}
	return sources
}

// emptyHint says what to do after a query that found nothing.
func (a Assembly) emptyHint(query string) string {
	switch {
	case len(a.Deferred) == 0:
		return "No tools are kept behind the bridge: use the tools in your tool list."
	case len(Tokens(query)) == 0:
		return "The query has no words the search can read: use English words made of Latin letters and digits."
	}
	return "No tool matches. Try other words for what the tool does or acts on, or the name of one of the available sources."
}

// limitGiven returns the limit an argument asks for, 0 for the default.
func (a Assembly) limitGiven(v any) int {
	if _, ok := v.(bool); ok || v == nil {
		return 0
	}
	n, ok := toNumber(v)
	if !ok || math.IsNaN(n) {
		return 0
	}
	return int(max(1, min(math.Trunc(n), float64(a.Config.MaxSearchLimit))))
}

// bridgeArguments decodes the arguments of a bridge call: an object, or a JSON
// string of one.
func bridgeArguments(raw json.RawMessage) (map[string]any, error) {
	object, err := argumentObject(raw)
	if err != nil {
		return nil, err
	}
	args := map[string]any{}
	for _, f := range fields(object) {
		args[f.key] = decode(f.value)
	}
	return args, nil
}

// argumentObject returns arguments as the canonical object they are or stand
// for: an object, a JSON string of one, or nothing (null, blank), which is {}.
func argumentObject(raw json.RawMessage) (json.RawMessage, error) {
	if strings.TrimSpace(string(raw)) == "" {
		return json.RawMessage("{}"), nil
	}
	c, err := Canonical(raw)
	if err != nil {
		return nil, fmt.Errorf("the arguments are no JSON object (%w): give an object", err)
	}
	if c[0] == '"' {
		inner := text(c)
		if strings.TrimSpace(inner) == "" {
			return json.RawMessage("{}"), nil
		}
		if c, err = Canonical(json.RawMessage(inner)); err != nil {
			return nil, fmt.Errorf("the arguments are a string that is no JSON object (%w): give an object", err)
		}
	}
	if isNull(c) {
		return json.RawMessage("{}"), nil
	}
	if c[0] != '{' {
		return nil, fmt.Errorf("the arguments are %s: give an object", Kind(c))
	}
	return c, nil
}

// decode returns a canonical value as Go decodes it, but for objects, which
// stay JSON.
func decode(v json.RawMessage) any {
	switch v[0] {
	case '"':
		return text(v)
	case '[':
		list := []any{}
		for _, item := range items(v) {
			list = append(list, decode(item))
		}
		return list
	case '{':
		return v
	case 't', 'f':
		return v[0] == 't'
	case 'n':
		return nil
	}
	return json.Number(v)
}

// textList returns the texts of an argument that is due to be a list of them:
// a bare text is a list of one, a number counts as its digits, and blank items
// are dropped.
func textList(v any, key string, most int) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var texts []string
	for _, item := range list {
		switch item := item.(type) {
		case nil:
		case string:
			if strings.TrimSpace(item) != "" {
				texts = append(texts, item)
			}
		case json.Number:
			texts = append(texts, string(item))
		default:
			return nil, fmt.Errorf("%s must be a list of strings: leave out everything else", key)
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s is missing or empty: give a list of 1 to %d strings", key, most)
	}
	return texts, nil
}

// withinCap refuses a list that is longer than one call takes.
func withinCap(texts []string, key string, most int) error {
	if len(texts) > most {
		return fmt.Errorf("%d %s in one call, at most %d are accepted: send a smaller batch", len(texts), key, most)
	}
	return nil
}
