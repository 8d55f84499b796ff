package engine

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func withSchema(t testing.TB, schema string) Tool {
	t.Helper()
	tool, warnings, err := ParseTool(json.RawMessage(`{"name":"t","inputSchema":` + schema + `}`))
	if err != nil || len(warnings) > 0 {
		t.Fatal(schema, err, warnings)
	}
	return tool
}

func TestValidate(t *testing.T) {
	tests := []struct {
		schema, arguments string
		want              string // the violations, joined by "|"; "" where it is valid
		notes             string // a part of the notes
	}{
		{`{"type":"object","properties":{}}`, `{"x":1}`, "", ""},
		{`{}`, `{"x":[null]}`, "", ""},
		{`{"properties":{"a":{}}}`, `{"a":1}`, "", ""},
		{`{"properties":{"a":true,"b":false}}`, `{"a":1}`, "", ""},
		{`{"properties":{"a":true,"b":false}}`, `{"b":1}`, "b must not be there", ""},
		{`{"required":["title"]}`, `{}`, "title is missing", ""},
		{`{"required":["a","b","c"]}`, `{}`, "a, b and c are missing", ""},
		{`{"properties":{"o":{"required":["x"]}}}`, `{"o":{}}`, "o.x is missing", ""},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":"5"}`, "n is a string where a whole number is due", ""},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1.0}`, "", ""},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1.5}`, "n is a number where a whole number is due", ""},
		{`{"properties":{"n":{"type":"integer","maximum":9007199254740993}}}`, `{"n":9007199254740993}`, "", ""},
		{`{"properties":{"n":{"type":["string","null"]}}}`, `{"n":null}`, "", ""},
		{`{"properties":{"n":{"type":["string","null"]}}}`, `{"n":1}`, "n is a number where null or a string is due", ""},
		{`{"properties":{"l":{"items":{"properties":{"name":{"type":"string"}}}}}}`, `{"l":[{},{"name":[]}]}`, "l[1].name is a list where a string is due", ""},
		{`{"properties":{"s":{"enum":["open","closed"]}}}`, `{"s":"opne"}`, `s is "opne": one of "open" or "closed" is due`, ""},
		{`{"properties":{"s":{"const":1}}}`, `{"s":2}`, "s is 2: 1 is due", ""},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"b":2,"c":3}`, "b and c are no known properties", ""},
		{`{"properties":{"s":{"minLength":2,"maxLength":3}}}`, `{"s":"é"}`, "s has 1 characters, at least 2 are due", ""},
		{`{"properties":{"l":{"minItems":1,"uniqueItems":true}}}`, `{"l":[]}`, "l has 0 items, at least 1 are due", ""},
		{`{"properties":{"l":{"uniqueItems":true}}}`, `{"l":[1,2,1]}`, "items 0 and 2 of l are equal", ""},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`, "", ""},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "the arguments object matches none of the alternatives (a is missing; or b is missing)", ""},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":1}`, "the arguments object matches more than one of the alternatives, exactly one is due", ""},
		{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "a is missing|b is missing", ""},
		{`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"a":1}`, "a is a number where a string is due", ""},
		{`{"properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"string"}}}`, `{"a":"1"}`, "", ""},
		{`{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`, `{"b":1}`, "b is a number where a string is due", ""},
		{`{"properties":{"a":{"$ref":"#here"}},"$defs":{"x":{"$anchor":"here","type":"string"}}}`, `{"a":1}`, "a is a number where a string is due", ""},
		{`{"properties":{"a":{"$ref":"inner.json"}},"$defs":{"x":{"$id":"http://x.example/inner.json","type":"string"}}}`, `{"a":1}`, "", "inner.json is outside the schema"},
		{`{"$id":"http://x.example/s.json","properties":{"a":{"$ref":"inner.json"}},"$defs":{"x":{"$id":"http://x.example/inner.json","type":"string"}}}`, `{"a":1}`, "a is a number where a string is due", ""},
		{`{"$ref":"#/$defs/node","$defs":{"node":{"properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":"integer"}}}}}`, `{"next":{"next":{"v":"x"}}}`, "next.next.v is a string where a whole number is due", ""},
		{`{"$ref":"#"}`, `{}`, "", "leads back to itself"},
		{`{"allOf":[{"$ref":"#/allOf/0"}]}`, `{}`, "", "leads back to itself"},
		// OpenAPI's nullable.
		{`{"properties":{"a":{"type":"string","nullable":true}}}`, `{"a":null}`, "", ""},
		{`{"properties":{"a":{"type":"string","nullable":false}}}`, `{"a":null}`, "a is null where a string is due", ""},
		{`{"properties":{"a":{"enum":["x"],"type":"string","nullable":true}}}`, `{"a":null}`, "", ""},
		{`{"properties":{"a":{"const":"x","nullable":true}}}`, `{"a":null}`, "", ""},
		{`{"properties":{"a":{"anyOf":[{"type":"string"}],"nullable":true}}}`, `{"a":null}`, "", ""},
		{`{"properties":{"a":{"oneOf":[{"type":"string"}],"nullable":true}}}`, `{"a":1}`, "a matches none of the alternatives (a is a number where a string is due; or a is a number where null is due)", ""},
		{`{"properties":{"a":{"$ref":"#/$defs/x","nullable":true}},"$defs":{"x":{"type":"string"}}}`, `{"a":null}`, "", ""},
		{`{"properties":{"a":{"allOf":[{"type":"string"}],"nullable":true}}}`, `{"a":null}`, "", ""},
		{`{"properties":{"nullable":{"type":"string"}}}`, `{"nullable":null}`, "nullable is null where a string is due", ""},
		{`{"properties":{"a":{"enum":[{"nullable":true,"type":"string"}]}}}`, `{"a":{"nullable":true,"type":"string"}}`, "", ""},
		// What cannot be followed is skipped and said so, the rest holds.
		{`{"properties":{"a":{"$ref":"http://x.example/s.json"},"b":{"type":"string"}}}`, `{"a":1,"b":1}`, "b is a number where a string is due", "$ref http://x.example/s.json is outside the schema: never fetched"},
		{`{"properties":{"a":{"$ref":"other.json#/x"}}}`, `{"a":1}`, "", "other.json#/x is outside"},
		{`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, `{"a":1}`, "", "outside the schema"},
		{`{"properties":{"a":{"type":"string","pattern":"(?=x)"}}}`, `{"a":1}`, "a is a number where a string is due", "pattern (?=x) cannot be checked here and is skipped"},
		{`{"properties":{"a":{"pattern":"^x"}}}`, `{"a":"yx"}`, `a is "yx", which does not match ^x`, ""},
		{`{"patternProperties":{"^(?!x)":{"type":"string"}},"additionalProperties":false}`, `{"a":1}`, "", "patternProperties ^(?!x) cannot be checked"},
		{`{"properties":{"d":{"format":"date"}}}`, `{"d":"tomorrow"}`, "", ""},
		// Drafts.
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{"type":"string"}]}}}`, `{"a":[1]}`, "a[0] is a number where a string is due", ""},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"prefixItems":[{"type":"string"}]}}}`, `{"a":[1]}`, "a[0] is a number where a string is due", ""},
		{`{"$schema":"http://nowhere.example/schema","required":["a"]}`, `{}`, "a is missing", "$schema http://nowhere.example/schema is unknown: read as 2020-12"},
		{`{"properties":{"a":{"items":[{"type":"string"}]}}}`, `{"a":[1]}`, "a[0] is a number where a string is due", "was read as draft-07"},
		{`{"properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`, `{"n":1}`, "n: exclusiveMinimum: got 1, want 1", "was read as draft-04"},
	}
	for _, test := range tests {
		v := withSchema(t, test.schema).Validate(json.RawMessage(test.arguments))
		var got []string
		for _, violation := range v.Violations {
			got = append(got, violation.Message)
		}
		if joined := strings.Join(got, "|"); joined != test.want {
			t.Errorf("%s\n with %s\n got  %q\n want %q", test.schema, test.arguments, joined, test.want)
		}
		if notes := strings.Join(v.Notes, "; "); !strings.Contains(notes, test.notes) || test.notes == "" && notes != "" {
			t.Errorf("%s with %s: notes %q, want %q", test.schema, test.arguments, notes, test.notes)
		}
		if !v.Checked || v.Draft == "" {
			t.Errorf("%s was not checked: %v", test.schema, v.Notes)
		}
	}
}

func TestValidateUnusable(t *testing.T) {
	for _, schema := range []string{
		`{"type":5}`, `{"properties":[]}`, `{"$ref":"#/nowhere"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"text"}`,
		`{"required":"a"}`, strings.Repeat(`{"properties":{"a":`, 70) + `{}` + strings.Repeat(`}}`, 70),
	} {
		v := withSchema(t, schema).Validate(json.RawMessage(`{"x":1}`))
		if v.Checked || !v.Valid() || len(v.Notes) == 0 || !strings.Contains(v.Notes[len(v.Notes)-1], "not validated") {
			t.Errorf("%s: %+v", schema, v)
		}
	}
}

// A schema whose parts refer to each other grows without end when they are
// followed one by one.
func TestValidateDoesNotBlowUp(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 60 {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	b.WriteString(`"d60":{"type":"object"}}}`)
	v := withSchema(t, b.String()).Validate(json.RawMessage(`{}`))
	if v.Checked || !strings.Contains(v.Notes[0], "would not end in time") {
		t.Errorf("%+v", v)
	}
	deep := `{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"properties":{"a":{"$ref":"#/$defs/n"}}},{"properties":{"a":{"$ref":"#/$defs/n"}}}]}}}`
	v = withSchema(t, deep).Validate(json.RawMessage(strings.Repeat(`{"a":`, 60) + `{}` + strings.Repeat(`}`, 60)))
	if v.Checked {
		t.Errorf("%+v", v)
	}
	if v = withSchema(t, deep).Validate(json.RawMessage(`{"a":{"a":{}}}`)); !v.Checked || !v.Valid() {
		t.Errorf("a shallow value: %+v", v)
	}
}

func TestValidateNeverFetches(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 10)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		fmt.Fprint(w, `{"type":"string"}`)
	})}}
	server.Start()
	defer server.Close()
	for _, schema := range []string{
		`{"properties":{"a":{"$ref":"%s/ref"}}}`,
		`{"$id":"%[1]s/id","properties":{"a":{"$ref":"%[1]s/other"}}}`,
		`{"$id":"%[1]s/id","properties":{"a":{"$ref":"id/below"}}}`,
		`{"$schema":"%s/meta","properties":{"a":{}}}`,
		`{"properties":{"a":{"$dynamicRef":"%s/dynamic#x"}}}`,
	} {
		withSchema(t, fmt.Sprintf(schema, server.URL)).Validate(json.RawMessage(`{"a":1}`))
	}
	select {
	case path := <-asked:
		t.Errorf("%s was fetched", path)
	default:
	}
}

func TestManyViolations(t *testing.T) {
	var items []string
	for range 50 {
		items = append(items, `"x"`)
	}
	v := withSchema(t, `{"properties":{"l":{"items":{"type":"integer"}}}}`).Validate(json.RawMessage(`{"l":[` + strings.Join(items, ",") + `]}`))
	if len(v.Violations) != maxViolations || !strings.Contains(v.Notes[0], "30 more violations") {
		t.Errorf("%d violations, %v", len(v.Violations), v.Notes)
	}
}

// The schema a model is shown stays as it came.
func TestValidateChangesNothing(t *testing.T) {
	tool := withSchema(t, `{"$schema":"x","properties":{"a":{"type":"string","nullable":true,"pattern":"(?=x)","$ref":"http://x"}}}`)
	before := string(tool.Schema)
	tool.Validate(json.RawMessage(`{"a":null}`))
	if string(tool.Schema) != before {
		t.Errorf("got %s", tool.Schema)
	}
}

func FuzzValidate(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","required":["a"]}`, `{}`}, {`{"$ref":"#"}`, `{}`}, {`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, `{}`},
		{`{"anyOf":[{"not":{}},false]}`, `{"a":1}`}, {`{"$id":"x","$anchor":"","items":[]}`, `{"a":[1]}`}, {`{"properties":{"a":{"multipleOf":0}}}`, `{"a":1}`},
		{`{"unevaluatedProperties":false,"if":{},"then":{"properties":{"a":{}}}}`, `{"a":1e400}`}, {`{"$schema":5,"$id":7,"$ref":[]}`, `{}`},
		{`{"properties":{"a":{"minimum":1e999999}}}`, `{"a":1}`}, {`{"dependencies":{"a":["b"],"c":{}}}`, `{"a":1,"c":1}`},
		{`{"patternProperties":{"[":{}},"propertyNames":{"maxLength":0}}`, `{"a":1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		tool, _, err := ParseTool(json.RawMessage(`{"name":"t","inputSchema":` + schema + `}`))
		if err != nil {
			return
		}
		v := tool.Validate(json.RawMessage(arguments))
		if !v.Checked && len(v.Notes) == 0 && v.Valid() {
			t.Fatalf("%s: not checked, and nothing says why", schema)
		}
	})
}
