package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unique"
)

func TestParseTool(t *testing.T) {
	tests := []struct {
		name, in     string
		description  string
		schema       string
		readOnly     bool
		warningAbout string // "" for none
	}{
		{"whole", `{"name":"t","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`, "d", `{"type":"object"}`, true, ""},
		{"missing all", `{"name":"t"}`, "", emptySchema, false, ""},
		{"null all", `{"name":"t","description":null,"inputSchema":null,"annotations":null}`, "", emptySchema, false, ""},
		{"schema unchanged", `{"name":"t","inputSchema":{"anyOf":[{}],"$defs":{"N":{"$ref":"#/x"}},"title":"T","patternProperties":{"^x":{}},"definitions":{}}}`,
			"", `{"anyOf":[{}],"$defs":{"N":{"$ref":"#/x"}},"title":"T","patternProperties":{"^x":{}},"definitions":{}}`, false, ""},
		{"empty schema", `{"name":"t","inputSchema":{}}`, "", `{}`, false, ""},
		{"type list", `{"name":"t","inputSchema":{"type":["object","null"],"properties":{"a":{}}}}`, "", `{"type":["object","null"],"properties":{"a":{}}}`, false, ""},
		{"number as description", `{"name":"t","description":5}`, "", emptySchema, false, "description"},
		{"list as schema", `{"name":"t","inputSchema":[1]}`, "", emptySchema, false, "inputSchema"},
		{"true as schema", `{"name":"t","inputSchema":true}`, "", emptySchema, false, "inputSchema"},
		{"odd annotations", `{"name":"t","annotations":"x"}`, "", emptySchema, false, "annotations"},
		{"odd hint", `{"name":"t","annotations":{"readOnlyHint":"true"}}`, "", emptySchema, false, ""},
		{"a key twice", `{"name":"x","name":"t","description":"a","description":"b"}`, "b", emptySchema, false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool, warnings, err := ParseTool(json.RawMessage(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if tool.Name != "t" || tool.Description != test.description || string(tool.Schema) != test.schema || tool.ReadOnly != test.readOnly {
				t.Errorf("got %+v", tool)
			}
			if string(tool.Raw) != test.in {
				t.Errorf("raw: got %s", tool.Raw)
			}
			if test.warningAbout == "" && len(warnings) > 0 {
				t.Errorf("warnings: %v", warnings)
			}
			if test.warningAbout != "" && (len(warnings) != 1 || warnings[0].Key != "t" || !strings.Contains(warnings[0].Message, test.warningAbout)) {
				t.Errorf("warnings: %v", warnings)
			}
		})
	}
}

func TestParseToolRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                 "an object",
		`"x"`:                "an object",
		`null`:               "an object",
		`{`:                  "invalid JSON",
		`{}`:                 "no name",
		`{"name":""}`:        "no name",
		`{"name":null}`:      "null",
		`{"name":7}`:         "a number",
		`{"name":["a"]}`:     "a list",
		`{"Name":"upper"}`:   "no name",
		`{"name":"t"} extra`: "invalid JSON",
	} {
		if _, _, err := ParseTool(json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseTool(%s): got error %v, want one about %q", in, err, want)
		}
	}
}

func TestParseToolTooDeep(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"x":`, 10_000) + "{}" + strings.Repeat("}}", 10_000)
	tool, warnings, err := ParseTool(json.RawMessage(`{"name":"t","description":"kept","inputSchema":` + deep + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if tool.Description != "kept" || string(tool.Schema) != emptySchema || string(tool.Raw) != `{"name":"t","description":"kept"}` {
		t.Errorf("got %.100s, %.100s", tool.Schema, tool.Raw)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Message, "nested 20001 levels") {
		t.Errorf("warnings: %v", warnings)
	}
	// What is kept can be written and read by encoding/json inside a snapshot.
	edge := strings.Repeat("[", maxNesting-1) + strings.Repeat("]", maxNesting-1)
	tool, warnings, err = ParseTool(json.RawMessage(`{"name":"t","_meta":` + edge + `}`))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if _, err := json.Marshal(Catalog{Servers: []Server{{Name: "s", Tools: []Tool{tool}}}}); err != nil {
		t.Error(err)
	}
}

func TestToolJSON(t *testing.T) {
	in := `{"name":"t","title":"T <b>","description":"d\u2028","annotations":{"readOnlyHint":true},"_meta":{"x":1}}`
	var tool Tool
	if err := json.Unmarshal([]byte(in), &tool); err != nil {
		t.Fatal(err)
	}
	out, err := tool.MarshalJSON()
	if err != nil || string(out) != strings.ReplaceAll(in, `\u2028`, "\u2028") {
		t.Errorf("got %s, %v", out, err)
	}
	byHand := Tool{Name: "h", Description: `"quoted"`, Schema: json.RawMessage(`{ "type": "object" }`), ReadOnly: true}
	out, err = byHand.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"h","description":"\"quoted\"","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`; string(out) != want {
		t.Errorf("got %s, want %s", out, want)
	}
	if err := json.Unmarshal([]byte(`{"name":1}`), &tool); err == nil {
		t.Error("a tool without a name was read")
	}
}

func TestFacts(t *testing.T) {
	tool, _, err := ParseTool(json.RawMessage(`{"name":"t","description":"Lists lists.","inputSchema":{"properties":{"list_id":{},"größe":1},"required":["a",1,"b"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tool.facts.properties, " "); got != "list_id größe" {
		t.Errorf("properties: %s", got)
	}
	if got := strings.Join(tool.facts.required, " "); got != "a b" {
		t.Errorf("required: %s", got)
	}
	want := []stemCount{{unique.Make("t"), 1}, {unique.Make("list"), 3}, {unique.Make("id"), 1}, {unique.Make("gr"), 1}, {unique.Make("e"), 1}}
	if !slices.Equal(tool.facts.stems, want) || tool.facts.tokens != 7 {
		t.Errorf("stems: %v, %d tokens", tool.facts.stems, tool.facts.tokens)
	}
	for _, odd := range []string{`{"properties":[1],"required":"a"}`, `{"properties":null,"required":null}`, `{"properties":"x","required":{}}`} {
		tool := Tool{Name: "t", Schema: json.RawMessage(odd)}.measured()
		if len(tool.facts.properties)+len(tool.facts.required) > 0 {
			t.Errorf("%s: %v", odd, tool.facts)
		}
	}
}
