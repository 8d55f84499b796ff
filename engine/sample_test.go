package engine

import (
	"encoding/json"
	"testing"
)

func TestSampleArguments(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`: `{}`,
		`{"type":"object","properties":{"a":{"type":"string"}}}`: `{}`,
		`{"required":["a","b","c","d","e","f"],"properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":3},"c":{"type":"boolean"},"d":{"type":"array","items":{"type":"number"},"minItems":2},"e":{"enum":["open","closed"]},"f":{"default":7,"type":"integer"}}}`: `{"a":"","b":3,"c":false,"d":[0,0],"e":"open","f":7}`,
		`{"required":["x"]}`: `{"x":""}`,
		`{"required":["o"],"properties":{"o":{"type":"object","required":["k"],"properties":{"k":{"const":"v"}}}}}`:       `{"o":{"k":"v"}}`,
		`{"required":["a"],"properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string","minLength":3}}}`:        `{"a":"xxx"}`,
		`{"required":["a"],"properties":{"a":{"anyOf":[{"type":"integer","exclusiveMinimum":5},{"type":"string"}]}}}`:     `{"a":6}`,
		`{"oneOf":[{"required":["a"],"properties":{"a":{"type":"boolean"}}},{"required":["b"]}]}`:                         `{"a":false}`,
		`{"required":["a"],"properties":{"a":{"$ref":"#"}}}`:                                                              `{"a":{"a":{"a":{"a":{"a":null}}}}}`,
		`{"required":["a"],"properties":{"a":{"type":["null","string"]}}}`:                                                `{"a":null}`,
		`{"required":["a"],"properties":{"a":{"type":"integer","minimum":-10,"maximum":-2}}}`:                             `{"a":-2}`,
		`{"required":[5,null,"a"],"properties":[]}`:                                                                       `{"a":""}`,
		`{"required":["a"],"properties":{"a":{"type":"array","minItems":1e9}}}`:                                           ``,
		`{"allOf":[{"required":["a"]},{"required":["b"],"properties":{"b":{"type":"array","items":{"type":"string"}}}}]}`: `{"a":"","b":[]}`,
	} {
		got := string(withSchema(t, schema).SampleArguments())
		if want != "" && got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

// A sample of an ordinary schema is accepted by it.
func TestSampleIsValid(t *testing.T) {
	valid, all := 0, 0
	for _, name := range []string{"small", "mid"} {
		for _, d := range assembleDefault(t, readGolden(t, name).catalog).Deferred {
			all++
			if d.Tool.Validate(d.Tool.SampleArguments()).Valid() {
				valid++
			}
		}
	}
	if valid != all {
		t.Errorf("%d of %d samples are valid", valid, all)
	}
}

// A simulated result has structured content where the tool says what it answers.
func TestSampleResult(t *testing.T) {
	tool, _, err := ParseTool(json.RawMessage(`{"name":"gauge","inputSchema":{},"outputSchema":{"type":"object","required":["level","unit"],"properties":{"level":{"type":"number","minimum":2},"unit":{"enum":["m","ft"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	a := Assemble(Session{Catalog: Catalog{Servers: []Server{{Name: "sea", Tools: []Tool{tool}}}}}, Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000})
	f := Begin(json.RawMessage(`{"name":"mcp_sea_gauge","arguments":{}}`), Runners{})
	for !f.Done() {
		f = f.Step(a)
	}
	if want := `{"simulated":true,"tool":"mcp_sea_gauge","arguments":{},"content":[{"type":"text","text":"Simulated: no server was called."}],"structuredContent":{"level":2,"unit":"m"}}`; string(f.Result) != want {
		t.Errorf("got %s, want %s", f.Result, want)
	}
	for _, raw := range []string{`{"name":"a"}`, `{"name":"a","outputSchema":null}`, `{"name":"a","outputSchema":[1]}`} {
		tool, _, err := ParseTool(json.RawMessage(raw))
		if err != nil {
			t.Fatal(err)
		}
		if sample, ok := tool.SampleResult(); ok {
			t.Errorf("%s gave %s", raw, sample)
		}
	}
}
