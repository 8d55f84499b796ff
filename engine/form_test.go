package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drawn is a form in short, a row each: indent, name, * where required,
// :types, <chosen of choices>, =text where set, ! where there is a problem.
func drawn(f CallForm) string {
	var b strings.Builder
	for _, r := range f.Fields() {
		b.WriteString(strings.Repeat(" ", r.Depth) + r.Name)
		if r.Required {
			b.WriteByte('*')
		}
		b.WriteString(":" + strings.Join(r.Types, "|"))
		if len(r.Choices) > 0 {
			fmt.Fprintf(&b, "<%d of %s>", r.Choice, strings.Join(r.Choices, ", "))
		}
		if r.Set {
			b.WriteString("=" + r.Text)
		}
		if r.Problem != "" {
			b.WriteByte('!')
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func lines(all ...string) string { return strings.Join(all, "\n") }

func callForm(schema, arguments string) CallForm {
	return NewCallForm(json.RawMessage(schema), json.RawMessage(arguments))
}

func TestFormRows(t *testing.T) {
	tests := []struct{ name, schema, arguments, want, after string }{
		{"nothing", `{}`, ``, "", `{}`},
		{
			"required first, in the order of required",
			`{"required":["c","a"],"properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"boolean"}}}`, ``,
			lines("c*:boolean!", "a*:string!", "b:integer"), `{}`,
		},
		{
			"types",
			`{"properties":{"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"o":{"type":"object"},"l":{"type":"array"},"z":{"type":"null"},"any":{},"yes":true,"m":{"type":["string","null"]},"po":{"properties":{"x":{}}},"pl":{"items":{}},"odd":{"type":"text"},"two":{"type":["string","string",5]}}}`, ``,
			lines("s:string", "n:number", "i:integer", "b:boolean", "o:object", "l:array", "z:null", "any:any", "yes:any", "m:string|null", "po:object", "pl:array", "odd:any", "two:string"), `{}`,
		},
		{
			"types of enums and constants, and nullable",
			`{"properties":{"e":{"enum":["a",1]},"c":{"const":true},"n":{"type":"string","nullable":true},"ne":{"enum":["a"],"nullable":true},"nc":{"const":"a","nullable":true},"nr":{"$ref":"#/properties/n/items","nullable":true},"na":{"allOf":[{"$ref":"#/properties/e"}],"nullable":true},"no":{"oneOf":[{"type":"integer"}],"nullable":true}}}`, ``,
			lines("e:string|number", "c:boolean", "n:string|null", "ne:string|null", "nc:string|null", "nr:any", "na:string|number|null", "no:integer<0 of integer, null>"), `{}`,
		},
		{
			"what can only be one thing is filled in where it is required",
			`{"required":["d","c","e","n","two","bad","o","l"],"properties":{"d":{"type":"integer","default":7},"c":{"const":"v"},"e":{"enum":["only"]},"n":{"type":"null"},"two":{"enum":[1,2]},"bad":{"type":"string","default":null},"opt":{"default":1},"o":{"type":"object","required":["k"],"properties":{"k":{"const":1},"j":{}}},"l":{"type":"array","items":{}}}}`, ``,
			lines("d*:integer=7", "c*:string=v", "e*:string=only", "n*:null=null", "two*:number!", "bad*:string!", `o*:object={"k":1}`, " k*:number=1", " j:any", "l*:array!", "opt:any"),
			`{"d":7,"c":"v","e":"only","n":null,"o":{"k":1}}`,
		},
		{
			"given arguments are taken as they stand",
			`{"required":["d"],"properties":{"d":{"default":7}}}`, `{}`, "d*:any!", `{}`,
		},
		{
			"keys in the schema's order, then the unknown",
			`{"properties":{"a":{},"b":{"properties":{"x":{},"y":{}}}}}`, `{"z":[1,{"q":null}],"b":{"w":1,"y":2,"x":3},"a":1}`,
			lines("a:any=1", `b:object={"x":3,"y":2,"w":1}`, " x:any=3", " y:any=2", " w:any=1", `z:any=[1,{"q":null}]`, " 0:any=1", ` 1:any={"q":null}`, "  q:any=null"),
			`{"a":1,"b":{"x":3,"y":2,"w":1},"z":[1,{"q":null}]}`,
		},
		{
			"lists",
			`{"properties":{"l":{"items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"}}}},"p":{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}}}`,
			`{"l":[{"n":"x"},{}],"p":["5",5]}`,
			lines(`l:array=[{"n":"x"},{}]`, ` 0:object={"n":"x"}`, "  n*:string=x", " 1:object={}", "  n*:string!", `p:array=["5",5]`, " 0:string=5", " 1:integer=5"),
			`{"l":[{"n":"x"},{}],"p":["5",5]}`,
		},
		{
			"lists before 2020-12",
			`{"properties":{"l":{"items":[{"type":"string"}],"additionalItems":{"type":"null"}}}}`, `{"l":["5",null]}`,
			lines(`l:array=["5",null]`, " 0:string=5", " 1:null=null"), `{"l":["5",null]}`,
		},
		{
			"a required property that is not described",
			`{"required":["x"],"additionalProperties":{"type":"integer"}}`, `{"y":1}`, lines("x*:integer!", "y:integer=1"), `{"y":1}`,
		},
		{
			"references and allOf",
			`{"$ref":"#/$defs/base","required":["id"],"properties":{"id":{"$ref":"#/$defs/id"},"same":{"$ref":"#/properties/id"},"pct":{"$ref":"#/$defs/a%20b~1c"}},"$defs":{"id":{"type":"integer"},"a b/c":{"type":"null"},"base":{"allOf":[{"required":["name"],"properties":{"name":{"type":"string"}}},{"properties":{"id":{"type":["integer","string"]}}}]}}}`, ``,
			lines("id*:integer!", "name*:string!", "same:integer", "pct:null"), `{}`,
		},
		{
			"a recursive schema opens one level at a time",
			`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"v":{},"next":{"$ref":"#/$defs/n"}}}}}`, `{"next":{"next":{}}}`,
			lines("v:any", `next:object={"next":{}}`, " v:any", " next:object={}", "  v:any", "  next:object"), `{"next":{"next":{}}}`,
		},
		{
			"one that requires itself is not opened without end",
			`{"required":["a"],"properties":{"a":{"$ref":"#"}}}`, ``, lines("a*:object!"), `{}`,
		},
		{
			"alternatives: the value says which",
			`{"properties":{"t":{"oneOf":[{"title":"Circle","required":["kind","r"],"properties":{"kind":{"const":"circle"},"r":{"type":"number"}}},{"$ref":"#/$defs/Square"}]}},"$defs":{"Square":{"properties":{"kind":{"const":"square"},"side":{"type":"number"}}}}}`,
			`{"t":{"kind":"square","side":2}}`,
			lines(`t:object<1 of Circle, Square>={"kind":"square","side":2}`, " kind:string=square", " side:number=2"), `{"t":{"kind":"square","side":2}}`,
		},
		{
			"alternatives of types, and as definitions nest them",
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"b":{"anyOf":[{"$ref":"#/$defs/u"},{"type":"array","items":{"type":"string"}}]},"one":{"anyOf":[{"type":"string"}]}},"$defs":{"u":{"oneOf":[{"type":"integer"},{"const":"x"},{"enum":["p","q"]}]}}}`,
			`{"a":null,"b":["y"]}`,
			lines("a:null<1 of string, null>=null", `b:array<3 of integer, x, p or q, array of string>=["y"]`, " 0:string=y", "one:string"), `{"a":null,"b":["y"]}`,
		},
		{
			"alternatives by their format",
			`{"properties":{"ip":{"type":"string","anyOf":[{"format":"ipv4"},{"format":"ipv6"}]},"d":{"anyOf":[{"type":"string","format":"date"},{"type":["integer","null"]}]}}}`, ``,
			lines("ip:string<0 of ipv4, ipv6>", "d:string<0 of string (date), integer or null>"), `{}`,
		},
		{
			"alternatives of the whole have a row of their own",
			`{"properties":{"id":{},"name":{},"by":{}},"oneOf":[{"required":["id"]},{"required":["name","by"]},{"description":"Neither. Really."},{}]}`, `{"name":"x","by":1}`,
			lines(`:object<1 of with id, with name and by, Neither., alternative 4>={"name":"x","by":1}!`, "name*:any=x", "by*:any=1", "id:any"), `{"name":"x","by":1}`,
		},
		{
			"what is wrong in the chosen alternative is told at its row",
			`{"properties":{"t":{"oneOf":[{"required":["r"],"properties":{"k":{"const":"c"},"r":{"type":"number"}}},{"required":["s"],"properties":{"k":{"const":"s"}}}]},"u":{}}}`, `{"t":{"k":"c","r":"x"}}`,
			lines(`t:object<0 of k: c, k: s>={"k":"c","r":"x"}!`, " r*:number=x!", " k:string=c", "u:any"), `{"t":{"k":"c","r":"x"}}`,
		},
	}
	for _, test := range tests {
		f := callForm(test.schema, test.arguments)
		if got := drawn(f); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
		if got := string(f.Arguments()); got != test.after {
			t.Errorf("%s: the arguments are %s, want %s", test.name, got, test.after)
		}
	}
}

func TestFormRow(t *testing.T) {
	f := callForm(`{"required":["a"],"additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/x","description":"Mine."},"b":{"type":"object","title":"B"},"l":{}},"$defs":{"x":{"type":"string","enum":["p","q"],"default":"q","description":"Theirs.","format":"uri"}}}`, `{"c/d~":1,"l":[2]}`)
	a, _ := f.Field("/a")
	want := CallField{
		Path: "/a", Name: "a", Types: []string{"string"}, Required: true, Description: "Mine.", Format: "uri", Choice: -1,
		Enum: []json.RawMessage{json.RawMessage(`"p"`), json.RawMessage(`"q"`)}, Default: json.RawMessage(`"q"`), Problem: "a is missing",
	}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got  %+v\nwant %+v", a, want)
	}
	if b, _ := f.Field("/b"); b.Description != "B" || !b.More {
		t.Errorf("%+v", b)
	}
	if l, _ := f.Field("/l/0"); !l.Item || l.Name != "0" || l.Depth != 1 || string(l.Value) != "2" {
		t.Errorf("%+v", l)
	}
	c, ok := f.Field("/c~1d~0")
	if !ok || !c.Unknown || c.Name != "c/d~" || c.Problem != "c/d~ is no known property" {
		t.Errorf("%+v", c)
	}
	if _, ok := f.Field("/nothing"); ok {
		t.Error("a row for nothing")
	}
	rows := f.Fields()
	rows[0].Path = "changed"
	if f.Fields()[0].Path != "/a" {
		t.Error("the rows of a form can be changed from outside")
	}
}

// An edit is one operation: "set /path text", "raw", "unset", "cycle", "add",
// "remove".
func edited(f CallForm, edits ...string) CallForm {
	for _, e := range edits {
		op, rest, _ := strings.Cut(e, " ")
		path, value, _ := strings.Cut(rest, " ")
		switch op {
		case "set":
			f = f.Set(path, value)
		case "raw":
			f = f.SetRaw(path, json.RawMessage(value))
		case "unset":
			f = f.Unset(path)
		case "cycle":
			step, err := strconv.Atoi(value)
			if err != nil {
				panic(err)
			}
			f = f.Cycle(path, step)
		case "add":
			f = f.Add(path)
		case "remove":
			f = f.Remove(path)
		default:
			panic(op)
		}
	}
	return f
}

const editable = `{"required":["s"],"properties":{
	"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"z":{"type":"null"},
	"e":{"enum":["open","closed",3]},"any":{},"m":{"type":["integer","string"]},"c":{"const":"k"},"nb":{"type":["boolean","null"]},
	"o":{"type":"object","required":["k","w"],"properties":{"k":{"const":1},"w":{"type":"string"}},"additionalProperties":{"type":"integer"}},
	"l":{"type":"array","items":{"type":"object","properties":{"x":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}},
	"ls":{"type":"array","items":{"type":"string"}},"li":{"type":"array","items":{"type":"integer","default":4}},
	"le":{"items":{"enum":["p","q"]}},"lm":{"items":{"type":["null","string"]}},"lb":{"items":{"type":"boolean"}},"ll":{"items":{"type":"array"}},"la":{"items":true},
	"opt":{"anyOf":[{"type":"string"},{"type":"null"}]},"num":{"anyOf":[{"type":"integer"},{"type":"boolean"},{"type":"string"}]},
	"lit":{"anyOf":[{"enum":["a","b"]},{"type":"null"}]},
	"shape":{"properties":{"name":{}},"oneOf":[
		{"title":"C","required":["kind","r"],"properties":{"kind":{"const":"c"},"r":{"type":"number"},"fill":{"enum":["red"]}}},
		{"title":"S","required":["kind"],"properties":{"kind":{"const":"s"},"side":{"type":"number"},"fill":{"enum":["blue"]}}},
		{"title":"L","type":"array"},
		{"title":"T","type":"string"}]}
}}`

func TestFormEdits(t *testing.T) {
	tests := []struct {
		edits   string // joined by ";"
		want    string
		problem string // "path: message", "" for none beside s
	}{
		{"set /s 5", `{"s":"5"}`, ""},
		{"set /s  a\"b ", `{"s":" a\"b "}`, ""},
		{"set /s ", `{"s":""}`, ""},
		{"set /n 1.50", `{"n":1.50}`, ""},
		{"set /n  +2 ", `{"n":2}`, ""},
		{"set /n 12345678901234567890", `{"n":12345678901234567890}`, ""},
		{"set /n abc", `{"n":"abc"}`, "/n: n is a string where a number is due"},
		{"set /n abc;set /n 5", `{"n":5}`, ""},
		{"set /n 5;set /n  ", `{}`, ""},
		{"set /n [1]", `{"n":[1]}`, "/n: n is a list where a number is due"},
		{"set /i 5", `{"i":5}`, ""},
		{"set /i 5.5", `{"i":5.5}`, "/i: i is a number where a whole number is due"},
		{"set /b Yes", `{"b":true}`, ""},
		{"set /b off", `{"b":false}`, ""},
		{"set /b 1", `{"b":1}`, "/b: b is a number where a boolean is due"},
		{"set /z null", `{"z":null}`, ""},
		{"set /e open", `{"e":"open"}`, ""},
		{"set /e 3", `{"e":3}`, ""},
		{"set /e opne", `{"e":"opne"}`, `/e: e is "opne": one of "open", "closed" or 3 is due`},
		{"set /any {\"a\": [1]}", `{"any":{"a":[1]}}`, ""},
		{"set /any {a", `{"any":"{a"}`, ""},
		{"set /any +49 1", `{"any":"+49 1"}`, ""},
		{"set /any +491", `{"any":"+491"}`, ""},
		{"set /any \"5\"", `{"any":"5"}`, ""},
		{"set /m 5", `{"m":5}`, ""},
		{"set /m 5.5", `{"m":"5.5"}`, ""},
		{"set /m \"5\"", `{"m":"5"}`, ""},
		{"set /o {\"k\":1,\"w\":\"\"}", `{"o":{"k":1,"w":""}}`, ""},
		{"set /o x", `{"o":"x"}`, "/o: o is a string where an object is due"},
		{"set /o/w x", `{"o":{"w":"x"}}`, "/o/k: o.k is missing"},
		{"add /o", `{"o":{"k":1}}`, "/o/w: o.w is missing"},
		{"add /o;set /o/w x;add /o", `{"o":{"k":1,"w":"x"}}`, ""},
		{"add /o;set /o/w x;set /o/more 7", `{"o":{"k":1,"w":"x","more":7}}`, ""},
		{"add /o;remove /o", `{}`, ""},
		{"set /new/deeper 1", `{"new":{"deeper":1}}`, ""},
		{"set /s/below 1", `{"s":{"below":1}}`, "/s: s is an object where a string is due"},
		{"set /s x;set /s/below 1", `{"s":"x"}`, ""},
		{"set s x;set /ls/0 x;set /ls/- x;set  x;raw  5;raw  [", `{}`, ""},
		{"set  {\"s\":1}", `{"s":1}`, "/s: s is a number where a string is due"},
		{"raw /any [1, 2]", `{"any":[1,2]}`, ""},
		{"raw /any [1", `{"any":"[1"}`, ""},
		{"raw /n \"5\"", `{"n":"5"}`, "/n: n is a string where a number is due"},
		{"raw  {\"x\":1,\"s\":\"\"}", `{"s":"","x":1}`, ""},
		{"set /s x;unset /s;unset /s;unset /l/0;unset nothing", `{}`, ""},
		{"set /s x;unset ", `{}`, ""},
		{"add /ls;add /ls;set /ls/1 b;add /ls;set /ls/2 c;remove /ls/0", `{"ls":["b","c"]}`, ""},
		{"add /ls;remove /ls/0", `{"ls":[]}`, ""},
		{"add /ls;set /ls/- b;set /ls/2 c;set /ls/9 d;set /ls/x e;set /ls/01 f;remove /ls/3", `{"ls":["","b","c"]}`, ""},
		{"add /ls;set /ls/0 b;unset /ls/0", `{"ls":[""]}`, ""},
		{"add /li;add /li;set /li/1 5", `{"li":[4,5]}`, ""},
		{"add /li;set /li/0 ", `{"li":[4]}`, ""},
		{"add /le;add /lm;add /lb;add /ll;add /ll/0;add /la", `{"le":["p"],"lm":[null],"lb":[false],"ll":[[null]],"la":[null]}`, ""},
		{"add /l;add /l;add /l/0", `{"l":[{},{}]}`, ""},
		{"add /n;add /any;add /opt;add /nowhere", `{}`, ""},
		{"add /c", `{"c":"k"}`, ""},
		{"cycle /e 1", `{"e":"open"}`, ""},
		{"cycle /e -1", `{"e":3}`, ""},
		{"cycle /e 1;cycle /e 1;cycle /e 2", `{"e":"open"}`, ""},
		{"set /e x;cycle /e 1", `{"e":"open"}`, ""},
		{"cycle /e 7", `{"e":"open"}`, ""},
		{"cycle /e 1;cycle /e -7", `{"e":3}`, ""},
		{"cycle /e 0;cycle /s 1;cycle /n 1;cycle /nowhere 1;cycle x 1", `{}`, ""},
		{"cycle /b 1", `{"b":true}`, ""},
		{"cycle /b 1;cycle /b 1", `{"b":false}`, ""},
		{"cycle /nb -1", `{"nb":null}`, ""},
		{"cycle /c 1;cycle /c 1", `{"c":"k"}`, ""},
		// Alternatives.
		{"set /opt null", `{"opt":"null"}`, ""},
		{"cycle /opt 1", `{"opt":null}`, ""},
		{"set /opt x;cycle /opt 1", `{"opt":null}`, ""},
		{"set /opt x;cycle /opt 1;cycle /opt 1", `{"opt":"x"}`, ""},
		{"set /num 5", `{"num":5}`, ""},
		{"set /num yes", `{"num":true}`, ""},
		{"set /num x", `{"num":"x"}`, ""},
		{"cycle /num -1;set /num 5", `{"num":"5"}`, ""},
		{"cycle /lit 1", `{"lit":"a"}`, ""},
		{"cycle /lit 1;cycle /lit 1;cycle /lit 1", `{"lit":null}`, ""},
		{"cycle /lit 1;cycle /lit -1", `{"lit":null}`, ""},
		{"cycle /shape 1", `{"shape":{"kind":"c"}}`, "/shape/r: shape.r is missing"},
		{"cycle /shape 1;set /shape/r 2;set /shape/name n;set /shape/fill red;set /shape/x 1;cycle /shape 1", `{"shape":{"name":"n","kind":"s","x":1}}`, ""},
		{"cycle /shape 1;set /shape/r 2;set /shape/name n;set /shape/fill red;cycle /shape 1;set /shape/name m;cycle /shape -1", `{"shape":{"name":"m","kind":"c","r":2,"fill":"red"}}`, ""},
		{"cycle /shape 2;cycle /shape 1", `{"shape":[]}`, ""},
		{"cycle /shape 2;cycle /shape 2", `{}`, ""},
		{"cycle /shape 2;cycle /shape 2;set /shape x", `{"shape":"x"}`, ""},
		{"cycle /shape 2;cycle /shape 2;set /shape x;cycle /shape 1;set /shape/r 1;cycle /shape -1", `{"shape":"x"}`, ""},
		// A choice moves along with its item.
		{"add /l;add /l;cycle /l/1/x 1;remove /l/0;set /l/0/x 5", `{"l":[{"x":"5"}]}`, ""},
		{"add /l;add /l;cycle /l/1/x 1;remove /l/1;add /l;set /l/1/x 5", `{"l":[{},{"x":5}]}`, ""},
	}
	for _, test := range tests {
		start := callForm(editable, `{}`)
		before := drawn(start)
		f := edited(start, strings.Split(test.edits, ";")...)
		if got := string(f.Arguments()); got != test.want {
			t.Errorf("%s: got %s, want %s", test.edits, got, test.want)
		}
		var problems []string
		for _, r := range f.Fields() {
			if r.Problem != "" && r.Problem != "s is missing" && !strings.Contains(r.Problem, "alternatives") {
				problems = append(problems, r.Path+": "+r.Problem)
			}
		}
		if got := strings.Join(problems, "; "); got != test.problem {
			t.Errorf("%s: the problems are %q, want %q", test.edits, got, test.problem)
		}
		if drawn(start) != before || string(start.Arguments()) != `{}` {
			t.Fatalf("%s changes the form it began with", test.edits)
		}
		// What a row shows is what one would type to get it.
		for _, r := range f.Fields() {
			if r.Set && r.Problem == "" {
				if again := f.Set(r.Path, r.Text); string(again.Arguments()) != string(f.Arguments()) {
					t.Errorf("%s: %q typed at %q gives %s", test.edits, r.Text, r.Path, again.Arguments())
				}
			}
		}
	}
}

func TestFormProblems(t *testing.T) {
	f := callForm(`{"required":["a","b"],"minProperties":5,"properties":{"a":{},"b":{},"c":{"items":{"type":"integer"}},"p":{"pattern":"(?=x)"},"r":{"$ref":"http://x.example/s.json"}},"dependentRequired":{"c":["d"]},"additionalProperties":false}`, `{"c":[1,"x"],"e":1}`)
	var got []string
	for _, p := range f.Problems() {
		got = append(got, p.Path+" "+p.Message)
	}
	want := []string{
		" the arguments object: minProperties: got 2, want 5", "/a a is missing", "/b b is missing",
		"/c/1 c[1] is a string where a whole number is due", "/d d is missing, which c needs", "/e e is no known property",
	}
	if !reflect.DeepEqual(got, want) || f.Ready() {
		t.Errorf("got %q", got)
	}
	notes := strings.Join(f.Notes(), "|")
	for _, part := range []string{"pattern (?=x) cannot be checked", "http://x.example/s.json is outside the schema: never fetched"} {
		if !strings.Contains(notes, part) {
			t.Errorf("the notes %q say nothing of %q", notes, part)
		}
	}
	if strings.Contains(notes, "does not follow") {
		t.Errorf("the notes say it twice: %q", notes)
	}
	if f = edited(f, "set /a 1", "set /b 1", "unset /e", "unset /c", "set /p x", "set /r x"); f.Ready() || len(f.Problems()) != 1 {
		t.Errorf("four properties of five: %v", f.Problems())
	}

	// Of many violations none is left out.
	f = callForm(`{"properties":{"l":{"items":{"type":"integer"}}}}`, `{"l":[`+strings.Repeat(`"x",`, 49)+`"x"]}`)
	if len(f.Problems()) != 50 || len(f.Notes()) > 0 {
		t.Errorf("%d problems, %v", len(f.Problems()), f.Notes())
	}
	if last, _ := f.Field("/l/49"); last.Problem == "" {
		t.Error("the last one is told at no row")
	}

	// Where the validator cannot use the schema, what the rows know is checked.
	f = callForm(`{"required":["a"],"properties":{"n":{"type":"integer"},"e":{"enum":["x",2]},"c":{"const":1.0},"f":false,"bad":{"type":"text"}}}`, `{"n":"5","e":3,"c":2,"f":0}`)
	got = nil
	for _, p := range f.Problems() {
		got = append(got, p.Path+" "+p.Message)
	}
	want = []string{
		"/a a is missing", "/n n is a string where a whole number is due", `/e e is 3: one of "x" or 2 is due`, "/c c is 2: 1.0 is due", "/f f must not be there",
	}
	if !reflect.DeepEqual(got, want) || f.Ready() {
		t.Errorf("got %q, notes %q", got, f.Notes())
	}
	if f = edited(f, "set /a 1", "set /n 5", "set /e 2", "set /c 1", "unset /f"); !f.Ready() {
		t.Errorf("%v", f.Problems())
	}
}

// Arguments that are an object come back as they were, in whatever order.
func TestFormRoundTrip(t *testing.T) {
	for _, schema := range []string{`{}`, editable, `{"$ref":"#"}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`, `false`, `{"properties":{"a":false},"additionalProperties":false}`} {
		for _, arguments := range []string{
			`{}`, `{"a":1,"b":1e400,"c":-0.0,"d":12345678901234567890123}`, `{"shape":{"kind":"x","r":[]},"l":[1,{"x":{}}],"o":[],"ls":{"0":1}}`,
			`{"":{"":[{"/~":"\u0000\ud800"}]}}`, `{"s":null,"e":null,"num":null}`, `{"a":1,"a":2}`, `{"deep":` + strings.Repeat(`[`, 60) + strings.Repeat(`]`, 60) + `}`,
		} {
			checkRoundTrip(t, schema, arguments)
		}
	}
	for _, name := range []string{"small", "mid", "edge"} {
		for _, d := range assembleDefault(t, readGolden(t, name).catalog).Deferred {
			checkRoundTrip(t, string(d.Tool.Schema), string(d.Tool.SampleArguments()))
			if f := NewCallForm(d.Tool.Schema, d.Tool.SampleArguments()); f.Ready() != d.Tool.Validate(d.Tool.SampleArguments()).Valid() {
				t.Errorf("%s: ready is %v, and the validator does not say so", d.Name, f.Ready())
			}
		}
	}
}

// checkRoundTrip holds a form's arguments against those it was made of, where
// these are an object.
func checkRoundTrip(t *testing.T, schema, arguments string) CallForm {
	t.Helper()
	f := callForm(schema, arguments)
	given, err := Canonical(json.RawMessage(arguments))
	if err != nil || given[0] != '{' {
		return f
	}
	want, err := decodeJSON(given)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeJSON(f.Arguments())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s of %s: got %s, %v", schema, arguments, f.Arguments(), err)
	}
	return f
}

func TestFormHostile(t *testing.T) {
	var exponential strings.Builder
	exponential.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 60 {
		fmt.Fprintf(&exponential, `"d%d":{"required":["a","b"],"properties":{"a":{"allOf":[{"$ref":"#/$defs/d%d"}]},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	exponential.WriteString(`"d60":{"type":"object"}}}`)
	var wide, forked []string
	for i := range 5000 {
		wide = append(wide, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	for i := range 300 {
		forked = append(forked, fmt.Sprintf(`{"required":["k"],"properties":{"k":{"const":%d},"v":{"$ref":"#"}}}`, i))
	}
	nested := func(n int) string {
		return strings.Repeat(`{"properties":{"a":`, n) + `{}` + strings.Repeat(`}}`, n)
	}
	tests := []struct {
		name, schema, arguments string
		note                    string // a part of the notes; "" where there are none
		fields                  int    // at most
	}{
		{"no schema", ``, ``, "", 0},
		{"null", `null`, ``, "", 0},
		{"true", `true`, `{"a":1}`, "", 1},
		{"false", `false`, ``, "is a boolean, not an object", 0},
		{"a list", `[{}]`, `{"a":1}`, "is a list, not an object", 1},
		{"no JSON", `{"a"`, `{"a":1}`, "the schema cannot be used", 1},
		{"odd keywords", `{"type":[],"properties":[],"required":{"a":1},"enum":5,"oneOf":{},"items":7,"allOf":[null,5,[]],"$ref":9,"default":{}}`, `{"a":1}`, "not validated", 1},
		{"10,000 deep", strings.Repeat(`{"not":`, 10000) + `{}` + strings.Repeat(`}`, 10000), ``, "nested 10001 levels deep", 0},
		{"2,000 deep", nested(2000), ``, "nests 4000 levels deep", 1},
		{"2,000 deep, opened", nested(2000), strings.Repeat(`{"a":`, 2000) + `{}` + strings.Repeat(`}`, 2000), "more than 32 levels deep", maxFormDepth + 1},
		{"arguments 10,000 deep", `{}`, strings.Repeat(`{"a":`, 10000) + `{}` + strings.Repeat(`}`, 10000), "the arguments cannot be used", 0},
		{"arguments that are no object", `{"properties":{"a":{}}}`, `[1]`, "the arguments are a list", 1},
		{"arguments that are no JSON", `{"properties":{"a":{}}}`, `{"a":`, "the arguments cannot be used", 1},
		{"arguments that are blank", `{"properties":{"a":{}}}`, " \n", "", 1},
		{"a cycle", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, ``, "leads back to itself", 0},
		{"a cycle of alternatives", `{"oneOf":[{"$ref":"#"},{"anyOf":[{"$ref":"#"},{"$ref":"#/oneOf/1"}]}]}`, ``, "", 1},
		{"nowhere", `{"properties":{"a":{"$ref":"#/$defs/none"},"b":{"$ref":"#/required/7"}},"required":["a"]}`, ``, "leads nowhere", 2},
		{"an anchor", `{"properties":{"c":{"$ref":"#x"}},"$defs":{"x":{"$anchor":"x"}}}`, ``, "the form does not follow $ref #x", 1},
		{"many references outside", `{"properties":{` + strings.Repeat(`"a":{"$ref":"http://x/1"},`, 100) + `"b":{"$ref":"http://x/2"}}}`, ``, "outside the schema", 2},
		{"exponential", exponential.String(), ``, "", maxFormFields},
		{"exponential choices", `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[` + strings.Join(forked, ",") + `]}}}`, `{"k":1,"v":{"k":7,"v":{}}}`, "only the first 100 are offered", 100},
		{"wide", `{"properties":{` + strings.Join(wide, ",") + `}}`, `{"p4999":"x","q":1,"p0":"y"}`, "only the first 2000 fields", maxFormFields},
		{"many of the wide", `{"properties":{"l":{"items":{"properties":{` + strings.Join(wide[:1500], ",") + `}}}}}`, `{"l":[` + strings.Repeat(`{"p7":"x","z":1},`, 999) + `{}]}`, "fields are shown", maxFormFields},
		{"a long list", `{}`, `{"l":[` + strings.Repeat(`1,`, 9999) + `1]}`, "only the first 2000 fields", maxFormFields},
		{"many choices, many times", `{"properties":{"l":{"items":{"anyOf":[` + strings.Join(forked[:99], ",") + `]}}}}`, `{"l":[` + strings.Repeat(`{"k":98},`, 900) + `1]}`, "too often to be laid out", maxFormFields},
		{"large", `{"description":"` + strings.Repeat("x", maxFormSchema) + `"}`, `{"a":1}`, "too large for a form", 1},
		{"invalid text", "{\"properties\":{\"\xff\":{\"description\":\"\x80\\ud800\"}}}", "{\"\xff\":\"\xfe\"}", "", 1},
	}
	for _, test := range tests {
		f := checkRoundTrip(t, test.schema, test.arguments)
		if got := len(f.Fields()); got > test.fields {
			t.Errorf("%s: %d rows, at most %d are due", test.name, got, test.fields)
		}
		if notes := strings.Join(f.Notes(), "|"); !strings.Contains(notes, test.note) || test.note == "" && notes != "" && !strings.HasPrefix(test.name, "exponential") && !strings.HasPrefix(test.name, "a cycle") {
			t.Errorf("%s: the notes are %q, want %q", test.name, notes, test.note)
		}
		if rows := f.Fields(); len(rows) > 0 {
			everyEdit(t, f, rows[len(rows)-1].Path)
		}
		everyEdit(t, f, "")
	}
	if f := (CallForm{}); string(f.Arguments()) != `{}` || !f.Ready() || len(f.Fields())+len(f.Notes()) > 0 {
		t.Error("the zero form is not empty")
	}
	everyEdit(t, CallForm{}, "/a")
}

// everyEdit tries every operation at a path: arguments always remain an object.
func everyEdit(t *testing.T, f CallForm, path string) {
	t.Helper()
	for _, g := range []CallForm{
		f.Set(path, "x"), f.Set(path, " 1"), f.Set(path, ""), f.Set(path+"/a", "{}"), f.SetRaw(path, json.RawMessage(`{"a":[{}]}`)), f.SetRaw(path+"/-", json.RawMessage(`]`)),
		f.Unset(path), f.Cycle(path, 1), f.Cycle(path, 1).Cycle(path, 1).Cycle(path, -2), f.Cycle(path, -1<<62), f.Add(path), f.Add(path).Add(path).Remove(path + "/0"), f.Remove(path),
	} {
		if c, err := Canonical(g.Arguments()); err != nil || c[0] != '{' {
			t.Fatalf("%q: the arguments are %s: %v", path, g.Arguments(), err)
		}
		if again := NewCallForm(nil, g.Arguments()); string(again.Arguments()) != string(g.Arguments()) {
			t.Fatalf("%q: %s read again is %s", path, g.Arguments(), again.Arguments())
		}
	}
}

// rootDepth is how deep the random schemas nest.
const rootDepth = 2

// randomSchema makes a schema of the keywords that a form reads.
func randomSchema(r *rand.Rand, depth int) any {
	pick := func(all ...any) any { return all[r.IntN(len(all))] }
	s := map[string]any{}
	maybe := func(key string, value func() any) {
		if r.IntN(4) == 0 {
			s[key] = value()
		}
	}
	below := func() any {
		if depth <= 0 || r.IntN(12) == 0 {
			return pick(true, false, map[string]any{}, map[string]any{"type": "string"}, map[string]any{"type": "null"}, map[string]any{"type": "integer"})
		}
		return randomSchema(r, depth-1)
	}
	some := func() any {
		var all []any
		for range 1 + r.IntN(3) {
			all = append(all, below())
		}
		return all
	}
	if r.IntN(2) == 0 {
		s["type"] = pick("string", "number", "integer", "boolean", "object", "array", "null", []any{"string", "null"}, []any{"integer", "string"}, []any{"array", "object"})
	}
	if depth == rootDepth || r.IntN(2) == 0 {
		properties := map[string]any{}
		for _, name := range []string{"a", "b", "c", "d/~"} {
			if r.IntN(2) == 0 {
				properties[name] = below()
			}
		}
		s["properties"] = properties
	}
	maybe("required", func() any { return pick([]any{"a"}, []any{"b", "a"}, []any{"x"}) })
	maybe("items", below)
	maybe("prefixItems", some)
	maybe("additionalProperties", below)
	maybe("enum", func() any {
		return pick([]any{"a", 1, nil}, []any{"only"}, []any{true}, []any{map[string]any{"a": 1}, "1"})
	})
	maybe("const", func() any { return pick("a", 1, nil, []any{}) })
	maybe("default", func() any { return randomValue(r, 2) })
	maybe("nullable", func() any { return true })
	maybe("oneOf", some)
	maybe("anyOf", some)
	maybe("allOf", some)
	maybe("$ref", func() any { return pick("#", "#/$defs/x", "#/$defs/y", "#/properties/a") })
	if depth == rootDepth {
		delete(s, "type")
		delete(s, "$ref")
		s["$defs"] = map[string]any{"x": below(), "y": below()}
		s["properties"].(map[string]any)["a"] = below()
	}
	return s
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n == 0 && depth > 0:
		return []any{randomValue(r, depth-1), randomValue(r, depth-1)}
	case n < 3 && depth > 0:
		object := map[string]any{}
		for _, name := range []string{"c", "a", "x", "d/~"} {
			if r.IntN(2) == 0 {
				object[name] = randomValue(r, depth-1)
			}
		}
		return object
	case n == 3:
		return r.IntN(3)
	case n == 4:
		return r.IntN(2) == 0
	case n == 5:
		return nil
	case n == 6:
		return 1.5
	}
	return []any{"a", "1", "null", `"q"`, " true", "", "[]", "only"}[r.IntN(8)]
}

// Whatever is done to the form of whatever schema, it tells the truth of its
// arguments.
func TestFormRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		schema := marshal(randomSchema(r, rootDepth))
		validator := newChecker(withSchema(t, string(schema)).Schema)
		arguments := json.RawMessage("")
		if r.IntN(3) > 0 {
			arguments = marshal(map[string]any{"a": randomValue(r, 3), "b": randomValue(r, 3), "y": randomValue(r, 1)})
		}
		f := checkRoundTrip(t, string(schema), string(arguments))
		for range 8 {
			checkForm(t, schema, validator, f)
			rows := f.Fields()
			if len(rows) == 0 {
				break
			}
			path := rows[r.IntN(len(rows))].Path
			switch r.IntN(6) {
			case 0:
				f = f.Set(path, []string{"a", "1", "null", "yes", "", `{"a":1}`, " 1.5"}[r.IntN(7)])
			case 1:
				f = f.SetRaw(path, marshal(randomValue(r, 2)))
			case 2:
				f = f.Unset(path)
			case 3:
				f = f.Cycle(path, r.IntN(5)-2)
			case 4:
				f = f.Add(path)
			case 5:
				f = f.Remove(path)
			}
		}
	}
}

// checkForm holds a form against what its rows promise.
func checkForm(t *testing.T, schema json.RawMessage, validator checker, f CallForm) {
	t.Helper()
	fail := func(row CallField, what string) {
		t.Helper()
		t.Fatalf("%s\nof %s\n%q %s\n%s", schema, f.Arguments(), row.Path, what, drawn(f))
	}
	arguments, err := decodeJSON(f.Arguments())
	if err != nil {
		t.Fatal(err)
	}
	v := validator.check(f.Arguments(), Validation{})
	if v.Checked && v.Valid() != f.Ready() {
		t.Fatalf("%s\nof %s: ready is %v, and the validator says %v", schema, f.Arguments(), f.Ready(), v.Violations)
	}
	seen := map[string]bool{}
	for _, row := range f.Fields() {
		if seen[row.Path] {
			fail(row, "stands twice")
		}
		seen[row.Path] = true
		at, ok := arguments, true
		all, _ := steps(row.Path)
		for _, step := range all {
			switch v := at.(type) {
			case map[string]any:
				at, ok = v[step]
			case []any:
				i, _ := strconv.Atoi(step)
				at = v[i]
			}
		}
		if row.Set != ok || ok && !reflect.DeepEqual(decoded(row.Value), at) {
			fail(row, "has another value")
		}
		if len(v.Notes) > 0 {
			continue // it was not held against all of the schema
		}
		if v.Checked && v.Valid() && row.Problem != "" {
			fail(row, "has a problem in valid arguments")
		}
		due := slices.ContainsFunc(row.Types, func(name string) bool { return name == "any" || isType(row.Value, name) })
		if row.Set && due && v.Checked && v.Valid() {
			if again := f.Set(row.Path, row.Text); string(again.Arguments()) != string(f.Arguments()) {
				fail(row, fmt.Sprintf("typed again as %q gives %s", row.Text, again.Arguments()))
			}
		}
	}
}

func FuzzForm(f *testing.F) {
	for _, seed := range [][2]string{
		{`{}`, `{}`}, {`null`, ``}, {`true`, `null`}, {editable, `{"shape":{"kind":"c"},"l":[{"x":1}],"num":"5"}`}, {`{"$ref":"#"}`, `{"a":1}`},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"required":["n"],"properties":{"n":{"$ref":"#/$defs/n"}}}}}`, ``},
		{`{"oneOf":[{"$ref":"#"},{"type":"null"},{"required":["a"]}],"nullable":true}`, `{"a":{}}`},
		{`{"properties":{"a":{"items":[{"const":1}],"additionalItems":false},"b":{"type":["null","boolean","x"],"nullable":true}}}`, `{"a":[1,2],"b":""}`},
		{`{"properties":{"a":{"enum":[1,1.0,"1",null,{"x":1}]}},"allOf":[{"properties":{"a":{"type":"string"}}}],"required":["a","a",5]}`, `{"a":1e1}`},
		{`{"properties":{"":{"properties":{"/":{},"~0":{}}}}}`, `{"":{"/":1,"~":{},"~0":0}}`}, {`{"items":{}}`, "\xff"},
	} {
		f.Add(seed[0], seed[1], "/a", "x")
	}
	f.Fuzz(func(t *testing.T, schema, arguments, path, typed string) {
		form := checkRoundTrip(t, schema, arguments)
		everyEdit(t, form, path)
		for i, row := range form.Fields() {
			if row.Set != (row.Value != nil) || row.Depth < 0 || row.Choice >= len(row.Choices) {
				t.Fatalf("%+v", row)
			}
			if i < 5 {
				everyEdit(t, form, row.Path)
				form.Set(row.Path, typed).Cycle(row.Path, 1).Set(row.Path, typed)
			}
		}
		if form.Ready() != (len(form.Problems()) == 0) {
			t.Fatal("ready with problems")
		}
	})
}
