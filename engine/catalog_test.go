package engine

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestReadCatalog(t *testing.T) {
	c, warnings, err := ReadCatalog([]byte("\ufeff" + `{
		"servers": [
			{"name": "a", "tools": [{"name": "x"}, {"nope": 1}, 5, {"name": "y", "description": 3}], "supports_parallel_tool_calls": true, "trust": "ask"},
			{"name": "b", "tools": null, "trust": null, "env": {"SECRET": "s"}}
		],
		"plugins": null,
		"core": [{"name": "terminal"}],
		"extra": 1
	}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Servers) != 2 || len(c.Servers[0].Tools) != 2 || !c.Servers[0].Parallel || c.Servers[0].Trust != "ask" || len(c.Core) != 1 {
		t.Errorf("got %+v", c)
	}
	var keys []string
	for _, w := range warnings {
		keys = append(keys, w.Key)
	}
	if got, want := strings.Join(keys, " "), "servers[0].tools[1] servers[0].tools[2] y servers[1].env extra"; got != want {
		t.Errorf("warnings about %s, want %s: %v", got, want, warnings)
	}
}

func TestReadCatalogRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "line 1, column 1",
		"{\n  \"servers\": [\n  x]}": "line 3, column 3",
		`[]`:                         "a list where an object",
		`{}`:                         "is this a snapshot?",
		`{"tools":[]}`:               "is this a snapshot?",
		`{"servers":{}}`:             "servers: an object where a list",
		`{"servers":[1]}`:            "servers[0]: a number",
		`{"servers":[{"tools":[]}]}`: "servers[0]: it has no name",
		`{"servers":[{"name":5}]}`:   "servers[0].name: a number",
		`{"servers":[{"name":"a"},{"name":"b","tools":{}}]}`:              "servers[1].tools: an object",
		`{"plugins":[{"name":""}]}`:                                       "plugins[0]: it has no name",
		`{"core":"x"}`:                                                    "core: a string",
		`{"servers":[{"name":"a","trust":1}]}`:                            "servers[0].trust: a number",
		`{"servers":[{"name":"a","supports_parallel_tool_calls":"yes"}]}`: "supports_parallel_tool_calls: a string",
	} {
		_, _, err := ReadCatalog([]byte(in))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "snapshot: ") {
			t.Errorf("ReadCatalog(%q): got error %v, want one about %q", in, err, want)
		}
	}
}

func TestSnapshotRoundTrip(t *testing.T) {
	for _, name := range goldenNames {
		c := readGolden(t, name).catalog
		if len(c.Servers) > 1 {
			c.Servers[0].Parallel, c.Servers[1].Trust = true, `"ask" <me>`
		}
		data := c.Encode()
		if !json.Valid(data) {
			t.Fatalf("%s: the snapshot is not valid JSON", name)
		}
		again, warnings, err := ReadCatalog(data)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v", name, err, warnings)
		}
		if string(again.Encode()) != string(data) {
			t.Errorf("%s: encoding again gives other bytes", name)
		}
		if a, b := assembleDefault(t, c), assembleDefault(t, again); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the snapshot assembles to something else", name)
		}
		var decoded Catalog
		if err := json.Unmarshal(data, &decoded); err != nil {
			t.Fatal(err)
		}
		if string(decoded.Encode()) != string(data) {
			t.Errorf("%s: encoding/json reads another catalog", name)
		}
	}
}

func TestEncodeByHand(t *testing.T) {
	c := Catalog{Servers: []Server{{Name: "s", Tools: []Tool{{Name: "ok"}, {Name: "broken", Raw: json.RawMessage("{")}}}}}
	again, warnings, err := ReadCatalog(c.Encode())
	if err != nil || len(warnings) > 0 || len(again.Servers[0].Tools) != 2 {
		t.Errorf("got %+v, %v, %v", again, warnings, err)
	}
}
