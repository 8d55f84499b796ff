package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestToolDescribe(t *testing.T) {
	tool, _, err := ParseTool(json.RawMessage(`{"name":"draw","description":"Draw <it>.","inputSchema":{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"title":"é"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	a := assembleDefault(t, Catalog{Plugins: []Toolset{{Name: "p", Tools: []Tool{tool}}}, Core: tools("terminal")})
	got := string(a.ToolDescribe(json.RawMessage(`{"names":["draw"," draw ","drew","terminal","tool_call","",null]}`)))
	want := `{"tools":{"draw":{"description":"Draw <it>.","parameters":{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"title":"é"}}}}},` +
		`"not_found":["drew"],"hint":"For drew, did you mean draw? Find exact names by tool_search.",` +
		`"errors":{"terminal":"terminal is in your tool list, with its schema, not behind the bridge: call it directly","tool_call":"tool_call is a bridge tool: its schema is in your tool list"}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(a.ToolDescribe(json.RawMessage(`{"names":"draw"}`))); !strings.HasSuffix(got, `"not_found":[],"errors":{}}`) || !strings.Contains(got, `"draw"`) {
		t.Errorf("a bare name: %s", got)
	}
}

func TestToolDescribeRefuses(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	for arguments, want := range map[string]string{
		``:                     "names is missing",
		`{"names":[" ",null]}`: "names is missing or empty",
		`{"names":[{}]}`:       "list of strings",
		`[]`:                   "give an object",
		`{"names":["0","1","2","3","4","5","6","7","8","9","10"]}`: "11 names in one call, at most 10 are accepted: send a smaller batch",
	} {
		var answer map[string]string
		if err := json.Unmarshal(a.ToolDescribe(json.RawMessage(arguments)), &answer); err != nil || !strings.Contains(answer["error"], want) {
			t.Errorf("%s: got %v, %v, want an error with %q", arguments, answer, err, want)
		}
	}
	// One name many times is one name.
	if got := string(a.ToolDescribe(json.RawMessage(`{"names":["a","a","a","a","a","a","a","a","a","a","a"]}`))); strings.Contains(got, `"error"`) {
		t.Error(got)
	}
}

func TestDescribeTokens(t *testing.T) {
	for _, name := range []string{"small", "edge", "mid"} {
		a := assembleDefault(t, readGolden(t, name).catalog)
		chars := 0
		for _, d := range a.Deferred {
			chars += len([]rune(string(a.ToolDescribe(json.RawMessage(`{"names":` + string(quote(d.Name)) + `}`)))))
		}
		if got, want := a.DescribeTokens(), (chars/len(a.Deferred)+3)/4; got != want {
			t.Errorf("%s: got %d tokens, want %d", name, got, want)
		}
	}
	if got := assembleDefault(t, Catalog{}).DescribeTokens(); got != 0 {
		t.Errorf("nothing deferred: %d", got)
	}
}

func TestDidYouMean(t *testing.T) {
	a := assembleDefault(t, readGolden(t, "small").catalog)
	for name, want := range map[string]string{
		"create_issue":            "mcp_github_create_issue mcp_linear_create_issue",
		"github_create_issue":     "mcp_github_create_issue",
		"mcp_github_create_isue":  "mcp_github_create_issue",
		"MCP_github_CREATE_issue": "mcp_github_create_issue",
		"issue":                   "mcp_github_create_issue mcp_linear_create_issue",
		"kanban_move_cards":       "kanban_move_card",
		"creat_issue":             "mcp_github_create_issue mcp_linear_create_issue",
		"nothing_like_it":         "",
	} {
		got := a.near(name)
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got[:min(len(got), len(strings.Fields(want)))], strings.Fields(want)) {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
	}
}
