package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// A schema that leads to another document is used without it, validation says
// so, and nothing is fetched by whatever is done with the tool.
func TestNothingIsFetched(t *testing.T) {
	var requests atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		fmt.Fprint(w, `{"type":"string"}`)
	}))
	defer elsewhere.Close()
	secret := write(t, "secret.json", `{"type":"string"}`)

	const never = " is outside the schema: never fetched, anything is accepted there"
	for _, test := range []struct {
		name   string
		schema string // URL stands for the server, FILE for a file's URL
		args   string
		code   int
		says   string // in the reason of the validation
	}{
		{"$ref", `{"properties":{"a":{"$ref":"URL/s.json"}}}`, `{"a":1}`, 0, "$ref URL/s.json" + never},
		{"$ref with a fragment", `{"properties":{"a":{"$ref":"URL/s.json#/x"}}}`, `{"a":1}`, 0, "$ref URL/s.json#/x" + never},
		{"$ref at the root", `{"$ref":"URL/s.json"}`, `{"a":1}`, 0, "$ref URL/s.json" + never},
		{"$ref to a file", `{"properties":{"a":{"$ref":"FILE"}}}`, `{"a":1}`, 0, "outside the schema: never fetched"},
		{"$ref below $defs", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"$ref":"URL/s.json"}}}`, `{"a":1}`, 0, "$ref URL/s.json" + never},
		{"$ref below the $id", `{"$id":"URL/root.json","properties":{"a":{"$ref":"s.json"}}}`, `{"a":1}`, 0, "$ref s.json" + never},
		{"$ref to its own $id", `{"$id":"URL/root.json","properties":{"a":{"$ref":"URL/root.json#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"a":1}`, exitNo, "a is a number where a string is due"},
		{"$dynamicRef", `{"properties":{"a":{"$dynamicRef":"URL/s.json#x"}}}`, `{"a":1}`, 0, "$dynamicRef URL/s.json#x" + never},
		{"$ref of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"URL/s.json"}}}`, `{"a":1}`, 0, "$ref URL/s.json" + never},
		{"$schema", `{"$schema":"URL/meta.json","properties":{"a":{"type":"string"}}}`, `{"a":"x"}`, 0, "$schema URL/meta.json is unknown: read as 2020-12"},
		{"$schema below", `{"properties":{"a":{"$schema":"URL/meta.json","type":"string"}}}`, `{"a":"x"}`, 0, ""},
		{"the rest still counts", `{"properties":{"a":{"$ref":"URL/s.json"},"b":{"type":"string"}}}`, `{"a":1,"b":2}`, exitNo, "b is a number where a string is due; $ref URL/s.json" + never},
	} {
		t.Run(test.name, func(t *testing.T) {
			fill := strings.NewReplacer("URL", elsewhere.URL, "FILE", "file://"+secret)
			schema := fill.Replace(test.schema)
			path := write(t, "snapshot.json", `{"servers":[{"name":"s","tools":[{"name":"go","description":"Goes elsewhere.","inputSchema":`+schema+`}]}]}`)
			toolscope(t, "assemble", "--snapshot", path)
			toolscope(t, "search", "elsewhere", "--why", "mcp_s_go", "--snapshot", path)
			if _, out, errOut := toolscope(t, "describe", "mcp_s_go", "--snapshot", path); !strings.Contains(out, "mcp_s_go") {
				t.Errorf("describe: %s%s", out, errOut)
			}
			code, out, errOut := toolscope(t, "call", "mcp_s_go", "--args", test.args, "--snapshot", path, "--json")
			var report callReport
			if err := json.Unmarshal([]byte(out), &report); err != nil || code != test.code {
				t.Fatalf("exit %d, %v: %s%s", code, err, out, errOut)
			}
			if reason := report.Stages[3].Reason; !strings.Contains(reason, fill.Replace(test.says)) {
				t.Errorf("validation says %q", reason)
			}
			if n := requests.Load(); n != 0 {
				t.Errorf("%d requests", n)
			}
		})
	}

	// The server does count.
	answer, err := elsewhere.Client().Get(elsewhere.URL + "/s.json")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests after one", n)
	}
}
