package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func show(cases []Case) string {
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
		{"arrows", "open it => a\n\n  # why not\nclose it=>b,c\n", "1 open it: a; 4 close it: b, c"},
		{"tabs", "open it\ta\nclose it\t\tb, c ,\r\nlast\td", "1 open it: a; 2 close it: b, c; 3 last: d"},
		{"both in one line", "open\t=> a\nclose =>\tb", "1 open: a; 2 close: b"},
		{"an arrow in the query", "map x => y => a\nmap x => y\tb", "1 map x => y: a; 2 map x => y: b"},
		{"a byte order mark", "\ufeffopen => a", "1 open: a"},
		{"a name twice", "open => a, b, a", "1 open: a, b"},
		{"other letters", "開く => a", "1 開く: a"},
		{"a bracket further down", "open => a\n[x] => b\n{y} => c", "1 open: a; 2 [x]: b; 3 {y}: c"},
		{"JSON lines", "# set\n{\"query\": \" open \", \"want\": \"a\"}\r\n\n  {\"want\":[\"a\",\" b \"],\"query\":\"x\\ty\"}", "2 open: a; 4 x\ty: a, b"},
		{"a JSON list", "# set\n\n [\n{\"query\":\"open\",\"want\":\"a\"},\n {\"query\": \"close\",\n  \"want\": [\n\"b\"]}\n , {\"query\":\"]\",\"want\":\"c\"} ]\n", "4 open: a; 5 close: b; 8 ]: c"},
		{"other words for want", "{\"query\":\"a\",\"expect\":\"x\"}\n{\"query\":\"b\",\"expected\":[\"y\"]}\n{\"query\":\"c\",\"tools\":\"z\"}", "1 a: x; 2 b: y; 3 c: z"},
		{"limits", "{\"query\":\"a\",\"want\":\"x\",\"limit\":3}\n{\"query\":\"b\",\"want\":\"y\",\"limit\":0}", "1 a: x (3); 2 b: y"},
	} {
		cases, err := ParseCases("q.txt", []byte(test.data))
		if err != nil || show(cases) != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.name, show(cases), err, test.want)
		}
	}
}

func TestParseCasesFaults(t *testing.T) {
	many := strings.Repeat("a,", 200) + "b"
	for i := range 201 {
		many = strings.Replace(many, "a,", fmt.Sprintf("t%d,", i), 1)
	}
	for _, test := range []struct{ data, want string }{
		{"", "q.txt: there is no case"},
		{"\n# only this\n", "q.txt: there is no case"},
		{"[]", "q.txt: there is no case"},
		{"[ ] ", "q.txt: there is no case"},
		{"a => b\nopen a ticket\n", "q.txt:2: a case is a line such as"},
		{"=> b", "q.txt:1: there is no query"},
		{"\n\topen", "q.txt:2: a case is a line"},
		{"open => , ,", "q.txt:1: there is no tool"},
		{"open =>", "q.txt:1: there is no tool"},
		{"open\tit\ta", "q.txt:1: there is a tab in the query"},
		{"open => " + many, "q.txt:1: over 100 tools"},
		{"open => a\n\xff => b", "q.txt:2: the text is not UTF-8"},
		{"o\x00p\x00\xfe", "q.txt:1: the text is not UTF-8"},
		{"{\"query\":\"x\",\"want\":\"a\"}\n{\"query\":", "q.txt:2: invalid JSON"},
		{"{\"query\":\"x\",\"want\":\"a\"}\nopen => a", "q.txt:2: invalid JSON"},
		{"{\"query\":\"x\",\"want\":\"a\"} {}", "q.txt:1: invalid JSON: something follows"},
		{"{\"query\":\"x\",\"wants\":\"a\"}", `q.txt:1: "wants" is no key of a case: did you mean want?`},
		{"{\"query\":\"x\",\"author\":3}", `q.txt:1: "author" is no key of a case, which has query, want and limit`},
		{"{\"query\":\"x\",\"limit\":3}", "q.txt:1: the case has no tool in want"},
		{"{\"query\":\"x\",\"tools\":[]}", "q.txt:1: the case has no tool in tools"},
		{"{\"query\":\"x\",\"want\":\"a\",\"expect\":\"b\"}", "q.txt:1: want and expect both name the tools"},
		{"{\"query\":\"x\",\"want\":\"a\",\"limit\":-1}", "q.txt:1: limit: a whole number"},
		{"{\"query\":\"x\",\"want\":\"a\",\"limit\":\"3\"}", "q.txt:1: limit: a whole number"},
		{"{\"query\":\"x\",\"want\":\"a\",\"limit\":1.5}", "q.txt:1: limit: a whole number"},
		{"{\"query\":\"x\",\"want\":\"a\",\"limit\":1e99}", "q.txt:1: limit: a whole number"},
		{"{\"query\":\"x\"}", "q.txt:1: the case has no tool in want"},
		{"{\"query\":\"x\",\"want\":[\"\"]}", "q.txt:1: the case has no tool in want"},
		{"{\"want\":\"x\"}", "q.txt:1: the case has no query"},
		{"{\"query\":7,\"want\":\"x\"}", "q.txt:1: query: a number where a string is due"},
		{"{\"query\":\"x\",\"want\":[\"a\",[]]}", "q.txt:1: want: a list where a tool's name"},
		{"{\"query\":\"x\",\"want\":null}", "q.txt:1: want: null"},
		{"{\"query\":\"x\",\"want\":[\"" + strings.ReplaceAll(many, ",", "\",\"") + "\"]}", "q.txt:1: over 100 tools"},
		{"#\n[\n{\"query\":\"x\",\"want\":\"a\"},\n\n7]", "q.txt:5: a number where an object"},
		{"#\n[\n{\"query\":\"x\",\"want\":\"a\"},\n]", "q.txt:4: invalid JSON"},
		{"[{\"query\":\"x\",\"want\":\"a\"}]\n\nopen => a", "q.txt:3: invalid JSON: something follows"},
		{"[", "q.txt:1: invalid JSON"},
		{strings.Repeat("[", 100_000), "q.txt:1: invalid JSON"},
		{strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "q.txt:1: a list where an object"},
	} {
		cases, err := ParseCases("q.txt", []byte(test.data))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || cases != nil {
			t.Errorf("%.60q: got %v, %v; want %s", test.data, cases, err, test.want)
		}
	}
}

func FuzzParseCases(f *testing.F) {
	for _, seed := range []string{
		"", "open it => a, b\n# no\nclose\tc\r\n", "a => b => c", "\ufeff[\n{\"query\":\"x\",\"want\":[\"a\"]} , {\"query\":\"]\",\"want\":\"\\ud800\"}\n]",
		"#\n{\"query\":\"x\",\"want\":\"a\"}\n{\"want\":[],\"query\":1e9}", "{\"query\":\"x\",\"expect\":\"a\",\"limit\":7}", "[[]]", "[,]", "[{}", "\xff", "\t=>\t", "\x00\u2028 => \u0085x",
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
		line, lines := 1, strings.Count(string(data), "\n")+1
		var again strings.Builder
		for _, c := range cases {
			if c.Line < line || c.Line > lines {
				t.Fatalf("line %d of %d after line %d", c.Line, lines, line)
			}
			line = c.Line
			if strings.TrimSpace(c.Query) == "" || len(c.Want) == 0 || slices.Contains(c.Want, "") {
				t.Fatalf("%+v is no case", c)
			}
			raw, err := json.Marshal(map[string]any{"query": c.Query, "want": c.Want, "limit": c.Limit})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&again, "%s\n", raw)
		}
		// Written as JSON lines they read back, a line each.
		back, err := ParseCases("set", []byte(again.String()))
		if err != nil || len(back) != len(cases) {
			t.Fatalf("%d cases read back as %d: %v", len(cases), len(back), err)
		}
		for i := range back {
			if back[i].Query != cases[i].Query || !slices.Equal(back[i].Want, cases[i].Want) || back[i].Limit != cases[i].Limit || back[i].Line != i+1 {
				t.Fatalf("%+v reads back as %+v", cases[i], back[i])
			}
		}
	})
}
