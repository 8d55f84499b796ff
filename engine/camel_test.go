package engine

import (
	"strings"
	"testing"
)

func TestLostParts(t *testing.T) {
	raw := func(s string) Tool {
		tool, _, err := ParseTool([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	for _, tc := range []struct{ name, tool, want string }{
		{"snake", `{"name":"list_users"}`, ""},
		{"camel", `{"name":"listUsers"}`, "list Users"},
		{"described", `{"name":"listUsers","description":"Lists the accounts"}`, "Users"},
		{"a parameter gives it", `{"name":"listUsers","inputSchema":{"properties":{"user":{}}}}`, "list"},
		{"the server gives it", `{"name":"hubSearch"}`, "Search"},
		{"both shapes", `{"name":"list_allUsers"}`, "all Users"},
		{"the same part twice", `{"name":"getUser_getUser"}`, "get User"},
		{"an abbreviation", `{"name":"HTTPServer"}`, "HTTP Server"},
		{"other letters", `{"name":"日本listユーザ"}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := Assemble(Session{Catalog: Catalog{Servers: []Server{{Name: "hub", Tools: []Tool{raw(tc.tool)}}}}}, Config{ToolSearch: DefaultToolSearch()})
			d := a.Deferred[0]
			byHand := Definition{Name: d.Name, Source: d.Source, Toolset: d.Toolset, Label: d.Label, Tool: Tool{Name: d.Tool.Name, Description: d.Tool.Description, Schema: d.Tool.Schema}}
			got := LostParts([]*Definition{&d, &byHand})
			if s := strings.Join(got[0], " "); s != tc.want {
				t.Errorf("lost %q, want %q", s, tc.want)
			}
			if s := strings.Join(got[1], " "); s != tc.want {
				t.Errorf("made by hand: lost %q, want %q", s, tc.want)
			}
			for _, part := range got[0] {
				if hits := a.Search(part, 0).Hits; len(hits) > 0 && !a.Search(part, 0).Fallback {
					t.Errorf("a query for %q finds it all the same", part)
				}
			}
		})
	}
}
