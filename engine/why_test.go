package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// whyCatalog has a tool for every reason.
func whyCatalog(t testing.TB) Catalog {
	tool := func(name, description string, properties ...string) Tool {
		all := map[string]any{}
		for _, p := range properties {
			all[p] = map[string]any{}
		}
		raw, err := json.Marshal(map[string]any{"name": name, "description": description, "inputSchema": map[string]any{"properties": all}})
		if err != nil {
			t.Fatal(err)
		}
		parsed, _, err := ParseTool(raw)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	return Catalog{
		Core: []Tool{tool("read_file", "Read a file.")},
		Servers: []Server{
			{Name: "hub", Tools: []Tool{
				tool("listUsers", "Everyone with an account."),
				tool("merge_branch", "Merge a branch into another one, where that can be done without a conflict, and say what was merged. The branch that was merged can be kept or deleted, as its owner wishes.", "branch", "into", "keep"),
				tool("branch_get", "Get a branch."), tool("branch_new", "Make a branch."), tool("branch_drop", "Drop a branch."),
				tool("branch_lock", "Lock a branch."), tool("branch_open", "Open a branch."),
				tool("datenbank", "Datenbankverwaltung für alle."),
			}},
			{Name: "my-api", Tools: []Tool{tool("a.b", "First."), tool("a b", "Second.")}},
			{Name: "hidden", Tools: []Tool{tool("secret_door", "Opens.")}},
		},
		Plugins: []Toolset{{Name: "notes", Tools: []Tool{tool("jot", "Write a note."), tool("read_file", "A plugin's own.")}}},
	}
}

func kinds(w Why) string {
	var all []string
	for _, r := range w.Reasons {
		k := string(r.Kind)
		if r.Token != "" {
			k += ":" + r.Token
		}
		all = append(all, k)
	}
	return strings.Join(all, " ")
}

func TestWhy(t *testing.T) {
	session := Session{Catalog: whyCatalog(t), Scope: Scope{Disabled: []string{"mcp-hidden"}}}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	absent := []AbsentTools{
		{Server: "hub", Filtered: []string{"delete_repo"}},
		{Server: "mail", State: "failed", Reason: "exit status 1"},
		{Server: "mail_old", State: "off"},
	}
	tests := []struct {
		query, tool string
		found       bool
		kinds       string
		message     string // in the first reason
	}{
		{"merge branch", "mcp_hub_merge_branch", true, "matched:merge matched:branch", "“merge” stands 4 times in its document"},
		{"MCP_HUB_MERGE_BRANCH", "mcp_hub_merge_branch", true, "exact_name", "wire name"},
		{"stuse", "mcp_hub_listUsers", true, "fallback", "contains the query"},
		{"write", "jot", true, "matched:write", "once"},
		{"users branch", "mcp_hub_listUsers", false, "camel_case:users not_in_tool:branch", "a part of “listUsers”, which is one token"},
		{"verwaltung", "mcp_hub_datenbank", false, "inside_word:verwaltung", "inside the longer token “Datenbankverwaltung”"},
		{"acount file", "mcp_hub_listUsers", false, "not_in_catalog:acount not_in_catalog:file", "“account” is, one letter away"},
		{"note zebra", "mcp_hub_branch_get", false, "not_in_tool:note not_in_catalog:zebra", "in 1 of 10 documents"},
		{"branch", "mcp_hub_merge_branch", false, "beyond_limit shorter_documents", "the last within the limit of 5 has"},
		{"日本語", "jot", false, "non_latin:日本語 no_tokens", "letters outside"},
		{"!? …", "jot", false, "no_tokens", "no token"},
		{"note", "tool_search", false, "bridge", "bridge tool"},
		{"note", "read_file", false, "not_deferred shadowed", "never deferred"},
		{"note", "secret_door", false, "out_of_scope", "toolset mcp-hidden, which this session does not see"},
		{"note", "mcp_hidden_secret_door", false, "out_of_scope", "mcp_hidden_secret_door"},
		{"second", "a b", false, "shadowed", "have one wire name"},
		{"second", "mcp_my_api_a_b", false, "not_in_catalog:second shadowed", "in no tool's document"},
		{"note", "delete_repo", false, "filtered_out", "server hub lists delete_repo"},
		{"note", "mcp_hub_delete_repo", false, "filtered_out", "include/exclude"},
		{"note", "mcp_mail_send", false, "not_connected", "server mail is failed, so none of its tools are here: exit status 1"},
		{"note", "mcp_mail_old_send", false, "not_connected", "server mail_old is off"},
		{"note", "mcp_hub_merge_branches", false, "unknown", "no tool of this session has the name"},
		{"note", "jott", false, "unknown", "did you mean jot?"},
	}
	for _, test := range tests {
		w := a.Why(test.query, test.tool, 0, session, absent)
		if w.Found != test.found || kinds(w) != test.kinds || !strings.Contains(w.Reasons[0].Message, test.message) {
			t.Errorf("%q, %s: found %v, %s\n%+v", test.query, test.tool, w.Found, kinds(w), w.Reasons)
		}
		if w.Found && len(w.Changes) > 0 {
			t.Errorf("%q, %s: %v would change what holds", test.query, test.tool, w.Changes)
		}
	}
}

func TestWhyAtTierZero(t *testing.T) {
	session := Session{Catalog: whyCatalog(t)}
	config := Config{ToolSearch: DefaultToolSearch()}
	config.Enabled = Off
	w := Assemble(session, config).Why("note", "jot", 0, session, nil)
	if kinds(w) != "not_deferred" || !strings.Contains(w.Reasons[0].Message, "tier 0") {
		t.Errorf("%+v", w)
	}
}

// A tool beyond the limit is told what it lacks: the reasons hold when they
// are computed anew, and every change of the query does what it says.
func TestWhyIsTrue(t *testing.T) {
	g := newGenerator(7)
	catalog := g.catalog(300, 5)
	session := Session{Catalog: catalog}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	changed := 0
	for range 150 {
		query := g.phrase(1+g.IntN(3), " ")
		tool := a.Deferred[g.IntN(len(a.Deferred))].Name
		w := a.Why(query, tool, 0, session, nil)
		names := wireNames(a.Search(query, 0).Hits)
		if w.Found != slices.Contains(names, tool) || len(w.Reasons) == 0 {
			t.Fatalf("%q, %s: found is %v, among %v", query, tool, w.Found, names)
		}
		for _, c := range w.Changes {
			changed++
			found := wireNames(a.Search(c.Query, 0).Hits)
			if c.Rank < 1 || c.Rank > len(found) || found[c.Rank-1] != tool {
				t.Fatalf("%q, %s: %+v finds %v", query, tool, c, found)
			}
		}
		checkSmallest(t, a, w)
		for _, r := range w.Reasons {
			for _, above := range r.Tools {
				if r.Kind == ReasonShorter && !slices.Contains(names, above) {
					t.Fatalf("%q: %s is not above %s", query, above, tool)
				}
			}
		}
	}
	if changed == 0 {
		t.Fatal("nothing was changed")
	}
}

// checkSmallest tries every change of one word: where one brings the tool
// within the limit, no change offered is larger.
func checkSmallest(t *testing.T, a Assembly, w Why) {
	t.Helper()
	if w.Found {
		return
	}
	within := func(query string) bool { return slices.Contains(wireNames(a.Search(query, 0).Hits), w.Tool) }
	one := false
	words := strings.Fields(w.Query)
	for i := range words {
		one = one || len(words) > 1 && within(strings.Join(slices.Concat(words[:i], words[i+1:]), " "))
	}
	for _, word := range a.document(a.Index.names.find(w.Tool)).words {
		if !slices.Contains(words, strings.ToLower(word.Raw)) {
			one = one || within(w.Query+" "+strings.ToLower(word.Raw))
		}
	}
	for _, c := range w.Changes {
		if size := len(c.Add) + len(c.Drop); one && size != 1 {
			t.Fatalf("%q, %s: one word is enough, %+v was offered", w.Query, w.Tool, c)
		}
	}
	if len(w.Changes) == 0 {
		t.Fatalf("%q, %s: no change is offered, and its wire name finds it", w.Query, w.Tool)
	}
}

func TestCamelParts(t *testing.T) {
	for word, want := range map[string]string{
		"listUsers": "list|Users", "ListUsers": "List|Users", "HTTPServer": "HTTP|Server", "getV2Id": "get|V2|Id",
		"plain": "", "SHOUT": "", "x": "", "": "", "a1B": "a1|B",
	} {
		if got := strings.Join(camelParts(word), "|"); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
}

// Nothing of a tool outside the session is told by any bridge.
func TestScopeAtEveryBridge(t *testing.T) {
	session := Session{Catalog: whyCatalog(t), Scope: Scope{Disabled: []string{"mcp-hidden"}}}
	a := Assemble(session, Config{ToolSearch: DefaultToolSearch()})
	const outside = "mcp_hidden_secret_door"
	for _, query := range []string{"secret door", outside, "idden_sec", "hidden"} {
		if answer := a.SearchAnswer([]string{query}, 0); len(answer.Tools) > 0 || len(answer.Results[0].Matches) > 0 || answer.TotalAvailable != 10 {
			t.Errorf("%s: %+v", query, answer)
		}
	}
	answer := a.DescribeAnswer([]string{outside, "jot"})
	if !slices.Equal(answer.NotFound, []string{outside}) || len(answer.Tools) != 1 {
		t.Errorf("%+v", answer)
	}
	f := run(t, a, string(CallJSON(outside, nil)))
	if f.Status != StatusBlocked || !strings.Contains(string(f.Result), "not available in this session") {
		t.Errorf("%s", f.Result)
	}
	if strings.Contains(a.Listing.Text, "secret") || len(a.Deferred) != 10 || strings.Contains(string(a.ToolsJSON()), "11 tools") {
		t.Errorf("it is counted or listed: %d deferred, %s", len(a.Deferred), a.Listing.Text)
	}
}
