package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolscope/engine"
)

func showCases(cases []engine.Case) string {
	var all []string
	for _, c := range cases {
		limit := ""
		if c.Limit > 0 {
			limit = fmt.Sprintf(" (%d)", c.Limit)
		}
		all = append(all, fmt.Sprintf("%d %s: %s%s", c.Line, c.Query, strings.Join(c.Want, ", "), limit))
	}
	return strings.Join(all, "; ")
}

func TestParseCases(t *testing.T) {
	for _, test := range []struct{ name, data, want string }{
		{"a list", "# set\n\n- query: open it\n  expect: a\n- query: close it\n  expect: [b, c]\n  limit: 3\n", "3 open it: a; 5 close it: b, c (3)"},
		{"under a key", "queries:\n- {query: open, want: a}\n- query: close\n  tools:\n    - b\n    - c\n", "2 open: a; 3 close: b, c"},
		{"under a key, in brackets", "queries: [{query: open => x, expected: a}]", "1 open => x: a"},
		{"a document", "---\n- expect: a\n  query: open\n", "2 open: a"},
		{"a version", "%YAML 1.2\n---\n- expect: a\n  query: open\n", "3 open: a"},
		{"a byte order mark", "\ufeff- query: open\n  want: a\n", "1 open: a"},
		{"windows lines", "- query: open\r\n  want: a\r\n", "1 open: a"},
		{"an arrow in the query", "- query: map x => y\n  want: a\n", "1 map x => y: a"},
		{"a dash alone", "-\n  query: open\n  want: a\n", "2 open: a"},
		{"quoted keys", "- \"query\": 'it''s: open'\n  'want': a\n", "1 it's: open: a"},
		{"a folded query", "- query: >\n    open\n    it\n  want: a\n", "1 open it: a"},
		{"aliases", "- &one\n  query: open\n  want: &w [a, b]\n- query: close\n  want: *w\n- {<<: *one, limit: 2}\n", "2 open: a, b; 4 close: a, b; 6 open: a, b (2)"},
		{"a number in quotes", "- {query: \"404\", want: '7'}", "1 404: 7"},
		{"flow", "[{query: open, want: a},\n {query: close, want: b}]", "1 open: a; 2 close: b"},
		{"JSON under the key", "{\"queries\": [\n {\"query\": \"open\", \"want\": [\"a\"]}]}", "2 open: a"},

		{"text", "open it => a\n- close it => b", "1 open it: a; 2 - close it: b"},
		{"text with a dash", "- fix: the build => a\n", "1 - fix: the build: a"},
		{"text with a colon", "fix: the build\ta", "1 fix: the build: a"},
		{"text about queries", "queries: how many => a", "1 queries: how many: a"},
		{"text with dashes", "--- a => b", "1 --- a: b"},
		{"JSON lines", "{\"query\":\"open\",\"expect\":\"a\"}\n{\"query\":\"close\",\"expect\":\"b\",\"limit\":2}", "1 open: a; 2 close: b (2)"},
		{"a JSON list", "# set\n[\n{\"query\":\"open\",\"want\":\"a\"}]", "3 open: a"},
	} {
		cases, err := ParseCases("q.yaml", []byte(test.data))
		if err != nil || showCases(cases) != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.name, showCases(cases), err, test.want)
		}
	}
}

func TestParseCasesFaults(t *testing.T) {
	for _, test := range []struct{ data, want string }{
		{"queries:", "q.yaml: there is no case in it; a case is a mapping"},
		{"queries: []\n", "q.yaml: there is no case in it; a case is a mapping"},
		{"---\n", "q.yaml: there is no case"},
		{"# only this\n", "q.yaml: there is no case in it; a case is a line"},
		{"query: open\nwant: a\n", "q.yaml:1: a case stands in a list"},
		{"# x\ncases:\n- query: open\n  want: a\n", `q.yaml:2: "cases" is no key of a set, which has queries`},
		{"queries: []\nlimit: 3\n", "q.yaml:2: a case stands in a list"},
		{"queries:\n- open\nqueries: [x]", `q.yaml:3: "queries" stands twice`},
		{"queries: # none\n  open", "q.yaml:2: a string where a list of cases is due"},
		{"- open\n- close\n", "q.yaml:1: a string where an object with query and want is due"},
		{"- query: open\n  want: a\n- query: close\n", "q.yaml:3: the case has no tool in want"},
		{"- query: open\n  expect:\n", "q.yaml:1: expect: null where a tool's name"},
		{"- query: open\n  expect: a\n  tools: b\n", "q.yaml:1: expect and tools both name the tools"},
		{"- want: a\n", "q.yaml:1: the case has no query"},
		{"- query: 404\n  want: a\n", "q.yaml:1: query: a number where a string is due"},
		{"- query: open\n  want: {a: b}\n", "q.yaml:1: want: an object where a tool's name"},
		{"- query: open\n  want: a\n  limit: few\n", "q.yaml:1: limit: a whole number"},
		{"- query: open\n  wnat: a\n", `q.yaml:1: "wnat" is no key of a case: did you mean want?`},
		{"- query: open\n  want: a\n  want: b\n", `q.yaml:3: "want" stands twice`},
		{"- query: open\n  want: a\n---\n- query: close\n  want: b\n", "q.yaml:3: another YAML document"},
		{"- query: open\n  want: [a\n", "q.yaml:2:"},
		{"- query: open\n\twant: a\n", "q.yaml:2:"},
		{"- query: open\n  want: *none\n", "q.yaml:2:9: the alias *none has no anchor"},
		{"- query: open\n  want: \xff\n", "q.yaml:2: the text is not UTF-8"},
		{"- query: x\n  want: " + strings.Repeat("[", 600), "q.yaml:2: nested deeper"},
		{"- query: x # " + strings.Repeat("x", maxFileBytes), "q.yaml: over 2 MB of YAML"},
		{"open it", "q.yaml:1: a case is a line such as"},
		{"[{\"query\":\"x\"}]", "q.yaml:1: the case has no tool in want"},
		{bomb(), "q.yaml:"},
	} {
		cases, err := ParseCases("q.yaml", []byte(test.data))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || cases != nil {
			t.Errorf("%.60q: got %v, %v; want %s", test.data, cases, err, test.want)
		}
	}
}

// bomb is a set that unfolds to billions of names.
func bomb() string {
	var b strings.Builder
	b.WriteString("- {query: x, want: &l0 [a, a, a, a, a, a, a, a, a, a]}\n")
	for i := range 9 {
		fmt.Fprintf(&b, "- {query: x, want: &l%d [%s]}\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i), 10), ", "))
	}
	return b.String()
}

// What is read is a set that holds to its bounds, wherever it came from.
func FuzzParseCases(f *testing.F) {
	for _, seed := range []string{
		"", "- query: open\n  expect: a\n", "queries:\n- {query: open, want: [a, b], limit: 3}\n", "---\n- &x {query: a, tools: b}\n- *x\n",
		"open it => a\n- close => b", "{\"queries\":[{\"query\":\"x\",\"want\":\"a\"}]}", "[{query: x, want: y}]", "[{\"query\":\"x\",\"want\":\"a\"}]",
		"- query: |\n    x\n  want: !!str 7\n", "- ? query\n  : x\n", "%YAML 1.2\n---\n- query: x", "queries: &a [*a]", "- <<: {query: x}\n  want: y", "-\t{", bomb(),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cases, err := ParseCases("set", data)
		if err != nil {
			if len(cases) > 0 || !strings.HasPrefix(err.Error(), "set:") {
				t.Fatalf("%v with %d cases", err, len(cases))
			}
			return
		}
		if len(cases) == 0 {
			t.Fatal("neither a case nor an error")
		}
		for _, c := range cases {
			if strings.TrimSpace(c.Query) == "" || len(c.Want) == 0 || len(c.Want) > 100 || slices.Contains(c.Want, "") || c.Limit < 0 || c.Line < 0 || c.Line > strings.Count(string(data), "\n")+1 {
				t.Fatalf("%+v is no case", c)
			}
		}
	})
}
