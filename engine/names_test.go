package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWireName(t *testing.T) {
	tests := []struct{ server, tool, single, double string }{
		{"github", "create_issue", "mcp_github_create_issue", "mcp__github__create_issue"},
		{"a--b", "x", "mcp_a__b_x", "mcp__a__b__x"},
		{"my-api", "query.data", "mcp_my_api_query_data", "mcp__my_api__query_data"},
		{"Zeta", "DoIt9", "mcp_Zeta_DoIt9", "mcp__Zeta__DoIt9"},
		{"s", "café_日本", "mcp_s_caf____", "mcp__s__caf____"},
		{"s", "a\x1b[31m\xff", "mcp_s_a__31m_", "mcp__s__a__31m_"},
		{"", "", "mcp__", "mcp____"},
	}
	for _, test := range tests {
		if got := WireName(NamesSingle, test.server, test.tool); got != test.single {
			t.Errorf("single: got %s, want %s", got, test.single)
		}
		if got := WireName("", test.server, test.tool); got != test.single {
			t.Errorf("default: got %s, want %s", got, test.single)
		}
		if got := WireName(NamesDouble, test.server, test.tool); got != test.double {
			t.Errorf("double: got %s, want %s", got, test.double)
		}
	}
}

func TestLabel(t *testing.T) {
	for toolset, want := range map[string]string{"mcp-github": "github", "kanban": "kanban", "": "other", "mcp-": "other", "mcp-mcp-x": "mcp-x", "xmcp-": "xmcp-"} {
		if got := Label(toolset); got != want {
			t.Errorf("Label(%q) = %q, want %q", toolset, got, want)
		}
	}
}

// tools returns tools by name, with nothing else to them.
func tools(names ...string) []Tool {
	var all []Tool
	for _, name := range names {
		all = append(all, Tool{Name: name}.measured())
	}
	return all
}

func namesOf(definitions []Definition) string {
	var all []string
	for _, d := range definitions {
		all = append(all, d.Name)
	}
	return strings.Join(all, " ")
}

func TestDefinitions(t *testing.T) {
	long := strings.Repeat("n", 58) // 65 characters as mcp_s2_…
	c := Catalog{
		Core: tools("zeta", "alpha", "tool_search", "zeta", "mcp_s1_b"),
		Servers: []Server{
			{Name: "s1", Tools: tools("b", "a", "x-y", "x.y")},
			{Name: "s2", Tools: tools("Z", long)},
			{Name: "s1", Tools: tools("a")},
		},
		Plugins: []Toolset{{Name: "notes", Tools: tools("jot", "mcp_s1_a", "alpha", "tool_call", "jot")}},
	}
	definitions, warnings := Definitions(Session{Catalog: c}, NamesSingle)
	want := "zeta alpha mcp_s1_b jot mcp_s1_a mcp_s1_x_y mcp_s2_Z mcp_s2_" + long
	if got := namesOf(definitions); got != want {
		t.Errorf("names: got  %s\nwant %s", got, want)
	}
	for _, d := range definitions {
		if d.Name == "mcp_s1_x_y" && d.Tool.Name != "x-y" {
			t.Errorf("the first of two tools with one name must win: got %s", d.Tool.Name)
		}
	}
	var all []string
	for _, w := range warnings {
		all = append(all, w.Message)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		`core tool "tool_search" has the name of a bridge tool`,
		`core tool "zeta" and core tool "zeta" have one wire name`,
		`core tool "mcp_s1_b" and tool "b" of server s1 have one wire name`,
		`tool "a" of server s1 and tool "a" of server s1 have one wire name`,
		`tool "a" of server s1 and tool "mcp_s1_a" of plugin toolset notes have one wire name, mcp_s1_a: the first is used`,
		`tool "x-y" of server s1 and tool "x.y" of server s1 have one wire name`,
		`core tool "alpha" and tool "alpha" of plugin toolset notes`,
		`tool "tool_call" of plugin toolset notes has the name of a bridge`,
		`tool "jot" of plugin toolset notes and tool "jot" of plugin toolset notes`,
		"has 65 characters: model APIs refuse more than 64",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no warning, or several, with %q in:\n%s", want, text)
		}
	}
	if len(warnings) != 10 {
		t.Errorf("got %d warnings:\n%s", len(warnings), text)
	}
}

func TestDefinitionJSON(t *testing.T) {
	tool, _, err := ParseTool(json.RawMessage(`{"name":"x","description":"<\"é\u2028\u0007>","inputSchema":{"type":"object", "title":"&"}}`))
	if err != nil {
		t.Fatal(err)
	}
	definitions, _ := Definitions(Session{Catalog: Catalog{Servers: []Server{{Name: "s", Tools: []Tool{tool}}}}}, NamesDouble)
	want := `{"type":"function","function":{"name":"mcp__s__x","description":"<\"é` + "\u2028" + `\u0007>","parameters":{"type":"object","title":"&"}}}`
	if got := string(definitions[0].JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, name := range goldenNames {
		for _, style := range []NameStyle{NamesSingle, NamesDouble} {
			definitions, _ := Definitions(Session{Catalog: readGolden(t, name).catalog}, style)
			for _, d := range append(definitions, bridges(3, FormFull, "a\n\"b\"")...) {
				raw := d.JSON()
				if got, want := d.Chars(), utf8.RuneCount(raw); got != want {
					t.Fatalf("%s: %d characters, want %d", d.Name, got, want)
				}
				if c, err := Canonical(raw); err != nil || string(c) != string(raw) {
					t.Fatalf("%s: not canonical: %v", d.Name, err)
				}
			}
		}
	}
}

func TestScope(t *testing.T) {
	tests := []struct {
		scope   Scope
		allowed string
	}{
		{Scope{}, "core mcp-github mcp-linear kanban"},
		{Scope{Enabled: []string{"mcp-github"}}, "core mcp-github"},
		{Scope{Enabled: []string{"github", "kanban"}}, "core mcp-github kanban"},
		{Scope{Disabled: []string{"core", "github"}}, "mcp-linear kanban"},
		{Scope{Enabled: []string{"linear"}, Disabled: []string{"mcp-linear"}}, "core"},
		{Scope{Enabled: []string{"nothing"}}, "core"},
		{Scope{Disabled: []string{"mcp-kanban", "GitHub"}}, "core mcp-github mcp-linear kanban"},
	}
	for _, test := range tests {
		var got []string
		for _, toolset := range []string{"core", "mcp-github", "mcp-linear", "kanban"} {
			if test.scope.Allows(toolset) {
				got = append(got, toolset)
			}
		}
		if s := strings.Join(got, " "); s != test.allowed {
			t.Errorf("%+v: got %s, want %s", test.scope, s, test.allowed)
		}
	}
}

// A tool outside the scope leaves no trace in an assembly: it is as if it were
// not in the catalog.
func TestScopeHidesEverything(t *testing.T) {
	whole := readGolden(t, "small").catalog
	without := whole
	without.Servers = []Server{whole.Servers[0], whole.Servers[2]}
	c := Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000}
	want := Assemble(Session{Catalog: without}, c)
	for _, scope := range []Scope{
		{Disabled: []string{"mcp-github"}},
		{Disabled: []string{"github"}},
		{Enabled: []string{"linear", "mcp-slack", "kanban"}},
	} {
		a := Assemble(Session{Catalog: whole, Scope: scope}, c)
		if a.Listing != want.Listing || a.DeferredTokens != want.DeferredTokens || a.BridgeTokens != want.BridgeTokens || fmt.Sprint(a.Groups) != fmt.Sprint(want.Groups) {
			t.Errorf("%+v: the assembly differs", scope)
		}
		for _, query := range []string{"create a github issue", "mcp_github_create_issue", "ithub", "hub", "releases"} {
			if got, want := fmt.Sprint(a.Search(query, 50)), fmt.Sprint(want.Search(query, 50)); got != want {
				t.Errorf("%+v: %q: got %s, want %s", scope, query, got, want)
			}
			if _, ok := a.Rank(query, "mcp_github_create_issue"); ok {
				t.Errorf("%+v: %q finds a tool outside", scope, query)
			}
		}
		f := Begin(CallJSON("mcp_github_create_issue", nil), Runners{})
		for !f.Done() {
			f = f.Step(a)
		}
		if s := f.Stages[2]; s.Outcome != OutcomeBlocked || strings.Contains(s.Reason, "did you mean mcp_github") {
			t.Errorf("%+v: a call of a tool outside: %+v", scope, s)
		}
	}
}
