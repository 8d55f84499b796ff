package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestToolSearch(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	got := a.ToolSearch(json.RawMessage(`{"queries":["send a slack message","zzz","send a slack message"],"limit":1}`))
	want := `{"queries":["send a slack message","zzz","send a slack message"],"total_available":20,"results":[` +
		`{"query":"send a slack message","matches":["mcp_slack_post_message"]},` +
		`{"query":"zzz","matches":[],"available_sources":[{"name":"github","tool_count":8},{"name":"kanban","tool_count":2},{"name":"linear","tool_count":6},{"name":"slack","tool_count":4}],` +
		`"hint":"No tool matches. Try other words for what the tool does or acts on, or the name of one of the available sources."},` +
		`{"query":"send a slack message","matches":["mcp_slack_post_message"]}],` +
		`"tools":{"mcp_slack_post_message":{"source":"mcp","source_name":"slack","description":"Send a message to a channel or a thread.","required":["channel","text"]}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestToolSearchArguments(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	tests := []struct {
		arguments string
		queries   string // joined by "|"
		matches   int    // of the first
	}{
		{`{"queries":["a"]}`, "a", 5},
		{`{"queries":"a"}`, "a", 5},
		{`"{\"queries\":\"a\"}"`, "a", 5},
		{`{"queries":["a","  ","",null,"a"]}`, "a|a", 5},
		{`{"queries":["a",7,1.50]}`, "a|7|1.50", 5},
		{`{"queries":["<&>  a"]}`, "<&>  a", 5},
		{`{"queries":"a","limit":null}`, "a", 5},
		{`{"queries":"a","limit":2}`, "a", 2},
		{`{"queries":"a","limit":2.9}`, "a", 2},
		{`{"queries":"a","limit":"3"}`, "a", 3},
		{`{"queries":"a","limit":0}`, "a", 1},
		{`{"queries":"a","limit":-7}`, "a", 1},
		{`{"queries":"a","limit":1e99}`, "a", 12},
		{`{"queries":"a","limit":1e999}`, "a", 12},
		{`{"queries":"a","limit":"many"}`, "a", 5},
		{`{"queries":"a","limit":true}`, "a", 5},
		{`{"queries":"a","limit":[2]}`, "a", 5},
		{`{"queries":["0","1","2","3","4","5","6","7","8","9"," "]}`, "0|1|2|3|4|5|6|7|8|9", 0},
	}
	for _, test := range tests {
		var answer SearchAnswer
		if err := json.Unmarshal(a.ToolSearch(json.RawMessage(test.arguments)), &answer); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(answer.Queries, "|"); got != test.queries || len(answer.Results) != len(answer.Queries) {
			t.Errorf("%s: queries %q, %d results", test.arguments, got, len(answer.Results))
			continue
		}
		if got := len(answer.Results[0].Matches); got != test.matches {
			t.Errorf("%s: %d matches, want %d", test.arguments, got, test.matches)
		}
	}
}

func TestToolSearchRefuses(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	for arguments, want := range map[string]string{
		``:                      "queries is missing",
		`null`:                  "queries is missing",
		`""`:                    "queries is missing",
		`{}`:                    "queries is missing",
		`{"queries":[]}`:        "queries is missing or empty",
		`{"queries":" "}`:       "queries is missing or empty",
		`{"queries":[["a"]]}`:   "list of strings",
		`{"queries":{"q":"a"}}`: "list of strings",
		`{"queries":[true]}`:    "list of strings",
		`[]`:                    "a list: give an object",
		`5`:                     "a number: give an object",
		`"a"`:                   "no JSON object",
		`{"queries":`:           "no JSON object",
		`{"queries":["0","1","2","3","4","5","6","7","8","9","10"]}`: "11 queries in one call, at most 10 are accepted: send a smaller batch",
	} {
		var answer map[string]string
		if err := json.Unmarshal(a.ToolSearch(json.RawMessage(arguments)), &answer); err != nil || len(answer) != 1 || !strings.Contains(answer["error"], want) {
			t.Errorf("%s: got %v, %v, want an error with %q", arguments, answer, err, want)
		}
	}
}

func TestToolSearchCaps(t *testing.T) {
	var required []string
	properties := map[string]any{}
	for i := range 40 {
		name := fmt.Sprintf("é%02d%s", i, strings.Repeat("x", 80))
		required = append(required, name)
		properties[name] = map[string]any{}
	}
	raw, err := json.Marshal(map[string]any{
		"name": "big", "description": "needle " + strings.Repeat("日", 1000),
		"inputSchema": map[string]any{"properties": properties, "required": required},
	})
	if err != nil {
		t.Fatal(err)
	}
	tool, _, err := ParseTool(raw)
	if err != nil {
		t.Fatal(err)
	}
	a := assembleDefault(t, Catalog{Plugins: []Toolset{{Name: "p", Tools: []Tool{tool}}}})
	answer := a.SearchAnswer([]string{"needle"}, 0)
	summary := answer.Tools["big"]
	if summary.Source != SourcePlugin || summary.SourceName != "p" {
		t.Errorf("source: %+v", summary)
	}
	if n := utf8.RuneCountInString(summary.Description); n != 400 || !strings.HasSuffix(summary.Description, "日…") {
		t.Errorf("description of %d characters", n)
	}
	if len(summary.Required) != 32 {
		t.Errorf("%d required names", len(summary.Required))
	}
	for _, name := range summary.Required {
		if utf8.RuneCountInString(name) != 64 {
			t.Errorf("required name of %d characters", utf8.RuneCountInString(name))
		}
	}
}

func TestToolSearchHints(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	if hint := a.SearchAnswer([]string{"日本語"}, 0).Results[0].Hint; !strings.Contains(hint, "Latin letters") {
		t.Errorf("a query without tokens: %s", hint)
	}
	none := assembleDefault(t, Catalog{})
	r := none.SearchAnswer([]string{"list"}, 0).Results[0]
	if !strings.Contains(r.Hint, "No tools are kept behind the bridge") || len(r.AvailableSources) > 0 {
		t.Errorf("nothing deferred: %+v", r)
	}
}
