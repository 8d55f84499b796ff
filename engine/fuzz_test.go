package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzParseToolSearch(f *testing.F) {
	for _, seed := range []string{
		`null`, `true`, `"off"`, `0`, `[]`, `{}`, `{"enabled":"  YES "}`, `{"threshold_pct":"1e400","listing_max_tokens":-1}`,
		`{"threshold_pct":7.25,"search_default_limit":99,"max_search_limit":0.5,"listing":null,"listing_max_tokens":"200.9"}`,
		`{"listings":1,"enabled":{"a":[]},"threshold_pct":[1],"listing":2}`, `1e999`, `{"threshold_pct":"NaN"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var raw any
		if json.Unmarshal([]byte(text), &raw) != nil {
			raw = text
		}
		c, _ := ParseToolSearch(raw)
		if !(c.ThresholdPct >= 0 && c.ThresholdPct <= 100) || c.MaxSearchLimit < 1 || c.MaxSearchLimit > 50 ||
			c.SearchDefaultLimit < 1 || c.SearchDefaultLimit > c.MaxSearchLimit || c.ListingMaxTokens < 200 || c.ListingMaxTokens > 60000 {
			t.Fatalf("%s: out of range: %+v", text, c)
		}
		for _, s := range []Switch{c.Enabled, c.Listing} {
			if s != Auto && s != On && s != Off {
				t.Fatalf("%s: %q is no switch", text, s)
			}
		}
		again, warnings := ParseToolSearch(c.Block())
		if again != c || len(warnings) > 0 {
			t.Fatalf("%s: what is in force reads back as %+v, %v", text, again, warnings)
		}
	})
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"", "create_issue", "fetc. E.g.", "日本語 café naïve", "a\x00b\xff", "running Generously 42nd", strings.Repeat("x", 300)} {
		f.Add(seed)
	}
	run := regexp.MustCompile(`[A-Za-z0-9]+`)
	f.Fuzz(func(t *testing.T, text string) {
		want := run.FindAllString(text, -1)
		got := Tokens(text)
		if len(got) != len(want) {
			t.Fatalf("%q: %d tokens, want %d", text, len(got), len(want))
		}
		for i, token := range got {
			if token.Raw != want[i] || token.Stem == "" {
				t.Fatalf("%q: token %d is %+v, want %s", text, i, token, want[i])
			}
		}
	})
}

// shortByTheBook is the short description as the specification's rule reads.
func shortByTheBook(s string) string {
	text := strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
	runes := []rune(text)
	abbreviation := regexp.MustCompile(`(^|[^\pL\pN_])(e\.g|i\.e|etc)$`)
	for i, r := range runes {
		if r != '.' && r != '!' && r != '?' || i+1 < len(runes) && runes[i+1] != ' ' {
			continue
		}
		if !abbreviation.MatchString(string(runes[:i])) {
			runes = runes[:i+1]
			break
		}
	}
	if len(runes) <= 60 {
		return string(runes)
	}
	cut := string(runes[:60])
	if i := strings.LastIndex(cut, " "); i >= 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, ",;: ") + "…"
}

func FuzzShortDescription(f *testing.F) {
	for _, seed := range []string{
		"", "One. Two.", "Use it, e.g. now. Then stop.", "fetc. more", "E.g. ends", " \t\n x ", "What?! Yes.", strings.Repeat("word ", 20),
		strings.Repeat("é", 61), strings.Repeat("a", 60) + " b", "a,;: " + strings.Repeat("b", 70), "etc.", "x_etc. y", "日本語。 A. B", "a\u0085b\u00a0c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // a description is decoded before, and valid
		}
		if got, want := ShortDescription(s), shortByTheBook(s); got != want {
			t.Fatalf("%q: got %q, want %q", s, got, want)
		}
	})
}

// fuzzCatalog makes a catalog of a text: a line a tool, "server tool description".
func fuzzCatalog(text string) Catalog {
	var c Catalog
	at := map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		server, rest, _ := strings.Cut(line, " ")
		name, description, _ := strings.Cut(rest, " ")
		if name == "" {
			continue
		}
		i, ok := at[server]
		if !ok {
			i = len(c.Servers)
			at[server] = i
			c.Servers = append(c.Servers, Server{Name: server})
		}
		c.Servers[i].Tools = append(c.Servers[i].Tools, Tool{Name: name, Description: description}.measured())
	}
	return c
}

func FuzzAssemble(f *testing.F) {
	f.Add("gh create_issue Make one.\ngh list\nslack post Send it.\nslack post again", 200, 50, 10000)
	f.Add("a b\nA-b c\na_b c\n- -\né é", 60000, 10000, 0)
	f.Add(strings.Repeat("big tool_with_a_long_name and words\nsmall x\n", 30), 200, 1, 8000)
	f.Fuzz(func(t *testing.T, text string, limit, hundredths, context int) {
		if !utf8.ValidString(text) || len(text) > 4000 || strings.ContainsAny(text, "\r\u2028") {
			return
		}
		block := map[string]any{KeyListingMaxTokens: limit, KeyThresholdPct: float64(hundredths) / 100}
		config := Config{ContextLength: context % 10_000_000}
		config.ToolSearch, _ = ParseToolSearch(block)
		session := Session{Catalog: fuzzCatalog(text)}
		a := Assemble(session, config)
		if !a.Activated {
			if len(a.Deferred) > 0 || a.Tier != 0 {
				t.Fatalf("tier %d with %d deferred", a.Tier, len(a.Deferred))
			}
			return
		}
		if a.Form != FormNone && a.Listing.Tokens > a.Budget.Tokens {
			t.Fatalf("%d tokens in a budget of %d", a.Listing.Tokens, a.Budget.Tokens)
		}
		checkAssembly(t, a)
		if again := AssembleDefinitions(a.Tools(), nil, config); len(again.Visible) != len(a.Visible) {
			t.Fatalf("the bridges were not stripped: %s", namesOf(again.Visible))
		}
	})
}

func FuzzBridges(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `"{}"`, `{"queries":["list issues"],"limit":3}`, `{"queries":"a","names":"b","name":"c"}`,
		`{"names":["mcp_github_create_issue","terminal","tool_call",null,7]}`, `{"name":"mcp_github_create_issue","arguments":"{\"title\":1}"}`,
		`{"calls":[{"name":"kanban_move_card","arguments":{"a":[{}]}}]}`, `{"queries":[[]],"limit":1e999}`, "\xff\x00", `{"name":"\ud800"}`,
		`"\"\\\"{}\\\"\""`, strings.Repeat(`[`, 2000), `{"queries":["日本語","","  "],"queries":["x"]}`,
	} {
		f.Add(seed)
	}
	a := assembleDefault(f, readGolden(f, "small").catalog)
	f.Fuzz(func(t *testing.T, arguments string) {
		raw := json.RawMessage(arguments)
		var search SearchAnswer
		decodeAnswer(t, a.ToolSearch(raw), &search)
		if len(search.Queries) > MaxQueries || len(search.Results) != len(search.Queries) {
			t.Fatalf("%d queries, %d results", len(search.Queries), len(search.Results))
		}
		for _, r := range search.Results {
			if len(r.Matches) > a.Config.MaxSearchLimit {
				t.Fatalf("%d matches", len(r.Matches))
			}
			for _, name := range r.Matches {
				if _, ok := search.Tools[name]; !ok {
					t.Fatalf("%s is matched and not in tools", name)
				}
			}
		}
		var described DescribeAnswer
		decodeAnswer(t, a.ToolDescribe(raw), &described)
		if n := len(described.Tools) + len(described.NotFound) + len(described.Errors); n > MaxDescribed {
			t.Fatalf("%d names were answered", n)
		}
		flow := Begin(raw, Runners{})
		for steps := 0; !flow.Done() && flow.Waits() == ""; steps++ {
			if steps > len(flow.Stages) {
				t.Fatal("the flow does not end")
			}
			flow = flow.Step(a)
		}
		if flow.Waits() == "" && !json.Valid(flow.Result) {
			t.Fatalf("the result is no JSON: %s", flow.Result)
		}
		a.Plan([]ModelCall{{BridgeCall, raw}, {arguments, raw}, {BridgeSearch, raw}})
	})
}

// decodeAnswer decodes a bridge's answer, which is always JSON and either an
// answer or an error.
func decodeAnswer(t *testing.T, answer json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(answer, v); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
}

func FuzzReadCatalog(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"servers":[]}`, `{"servers":[{"name":"a","tools":[{"name":"b","inputSchema":{"properties":{"x":{}}}}],"trust":"low"}],"core":[{"name":"c"}]}`,
		`{"plugins":[{"name":"p","tools":[{"name":""},{"name":5},null,{"name":"x","description":[],"annotations":1}]}]}`, "\ufeff{}", `{"servers":{}}`,
		`{"servers":[{"name":"a","tools":[{"name":"\ud800","description":"\u202e\ue000"}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := ReadCatalog(data)
		if err != nil {
			return
		}
		encoded := c.Encode()
		again, _, err := ReadCatalog(encoded)
		if err != nil {
			t.Fatalf("what was written does not read back: %v", err)
		}
		if string(again.Encode()) != string(encoded) {
			t.Fatal("a second round changes the bytes")
		}
		config := Config{ToolSearch: DefaultToolSearch()}
		one, two := Assemble(Session{Catalog: c}, config), Assemble(Session{Catalog: again}, config)
		if one.Hash() != two.Hash() {
			t.Fatal("it assembles to other bytes")
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,"\u00e9<&>\u2028"],"b":null}`, `"\ud83d\ude00\ud800"`, ` [ ] `, `1E+9`, `-0`, `{"a":1,"a":2}`, "\"\x7f\xff\"", `nul`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Canonical(data)
		if (err == nil) != json.Valid(data) {
			if err != nil && strings.Contains(err.Error(), "nested") {
				return
			}
			t.Fatalf("%q: %v, and json.Valid says %v", data, err, json.Valid(data))
		}
		if err != nil {
			return
		}
		if !utf8.Valid(c) || !json.Valid(c) {
			t.Fatalf("%q gives %q", data, c)
		}
		again, err := Canonical(c)
		if err != nil || string(again) != string(c) {
			t.Fatalf("%q is not canonical: %q, %v", c, again, err)
		}
		var x, y any
		if json.Unmarshal(data, &x) == nil && json.Unmarshal(c, &y) == nil && fmt.Sprint(x) != fmt.Sprint(y) {
			t.Fatalf("%q means something else: %q", data, c)
		}
	})
}
