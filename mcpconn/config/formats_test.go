package config

import (
	"strings"
	"testing"
	"time"
)

func TestFormatsOfOthers(t *testing.T) {
	for name, text := range map[string]string{
		".mcp.json":         `{"mcpServers":{"files":{"command":"npx","args":["-y","server"],"env":{"TOKEN":"${TOKEN}"}},"web":{"type":"http","url":"https://x.example/mcp","headers":{"A":"b"}}}}`,
		"with tabs":         "{\n\t\"mcpServers\": {\n\t\t\"files\": {\n\t\t\t\"command\": \"npx\",\n\t\t\t\"args\": [\"-y\", \"server\"],\n\t\t\t\"env\": {\"TOKEN\": \"${TOKEN}\"}\n\t\t},\n\t\t\"web\": {\"type\": \"streamable_http\", \"url\": \"https://x.example/mcp\", \"headers\": {\"A\": \"b\"}}\n\t}\n}\n",
		".vscode/mcp.json":  "// servers of this folder\n{\n  \"servers\": {\n    \"files\": {\"type\": \"stdio\", \"command\": \"npx\", \"args\": [\"-y\", \"server\",], \"env\": {\"TOKEN\": \"${env:TOKEN}\"}},\n    /* the web */ \"web\": {\"type\": \"http\", \"url\": \"https://x.example/mcp\", \"headers\": {\"A\": \"b\"},},\n  },\n}",
		"claude desktop":    `{"globalShortcut":"","mcpServers":{"files":{"command":"npx","args":["-y","server"],"env":{"TOKEN":"${TOKEN}"}},"web":{"serverUrl":"https://x.example/mcp","headers":{"A":"b"}}}}`,
		"Hermes":            "mcp_servers:\n  files: {command: npx, args: [-y, server], env: {TOKEN: '${TOKEN}'}}\n  web: {url: 'https://x.example/mcp', headers: {A: b}}\n",
		"YAML, their block": "mcpServers:\n  files: {command: npx, args: [-y, server], env: {TOKEN: '${TOKEN}'}}\n  web: {httpUrl: 'https://x.example/mcp', headers: {A: b}}\n",
	} {
		cfg := parse(t, text)
		silent(t, cfg)
		if len(cfg.Servers) != 2 {
			t.Errorf("%s: %d servers", name, len(cfg.Servers))
			continue
		}
		files, web := cfg.Servers[0], cfg.Servers[1]
		if files.Name != "files" || files.Command != "npx" || strings.Join(files.Args, " ") != "-y server" || files.Env["TOKEN"] != "t0ken-in-env" || files.Problem != "" {
			t.Errorf("%s: %+v", name, files)
		}
		if web.Transport != TransportHTTP || web.URL != "https://x.example/mcp" || web.Headers["A"] != "b" || web.Problem != "" {
			t.Errorf("%s: %+v", name, web)
		}
	}
}

func TestFormatOddities(t *testing.T) {
	cfg := parse(t, "mcp_servers:\n  mcpServers:\n    a: {command: x}\n  b: {command: y}\n")
	want(t, warnings(cfg), "mcp_servers.mcpServers: an mcpServers block stands inside mcp_servers", "(line 2)")
	if len(cfg.Servers) != 2 || cfg.Servers[0].Name != "a" || cfg.Servers[1].Name != "b" {
		t.Errorf("%+v", cfg.Servers)
	}
	// A server may be called so.
	if cfg = parse(t, "mcp_servers:\n  mcpServers: {command: x}\n"); len(cfg.Servers) != 1 || cfg.Servers[0].Name != "mcpServers" {
		t.Errorf("%+v", cfg.Servers)
	}
	cfg = parse(t, `{"inputs":[{"type":"promptString","id":"key","password":true}],"servers":{"a":{"command":"x","env":{"KEY":"${input:key}"}}}}`)
	want(t, warnings(cfg), `VS Code asks for the input "key"`, "${input:key} is set neither")
	cfg = parse(t, `{"mcpServers":{"a":{"command":"x","disabled":true,"autoApprove":["y"],"envFile":".env","timeout":60},"b":{"command":"x","disabled":false}}}`)
	want(t, warnings(cfg), "autoApprove is another program's list", "envFile is not read")
	if cfg.Servers[0].Enabled || !cfg.Servers[1].Enabled || cfg.Servers[0].Timeout != time.Minute {
		t.Errorf("%+v", cfg.Servers)
	}
	want(t, warnings(parse(t, `{"projects":{},"theme":"dark"}`)), "no servers are found in this file", "projects, theme")
	silent(t, parse(t, "model: {context_length: 5000}\n"))
	silent(t, parse(t, "servers: [a, b]\nmcp_servers: {}\n"))
}

func TestRelaxed(t *testing.T) {
	for in, out := range map[string]string{
		`{"a":"// not a comment","b":[1,2,],}`: `{"a":"// not a comment","b":[1,2 ] }`,
		"{//x\n\"a\":1/* y\n z */}":            "{   \n\"a\":1    \n     }",
		"{\t\"a\":\"t\\\"ab\t\"}":              "{ \"a\":\"t\\\"ab\t\"}",
		"a:\t# yaml\n":                         "a:\t# yaml\n",
		`{"a":1, /* c */ }`:                    `{"a":1          }`,
		`{"open`:                               `{"open`,
		`{/*`:                                  `{  `,
	} {
		if got := string(relaxed([]byte(in))); got != out {
			t.Errorf("%q: got %q, want %q", in, got, out)
		}
	}
}

func TestMerge(t *testing.T) {
	one := parse(t, "model: {context_length: 1000}\ntools: {tool_search: {listing_max_tokens: 300}}\nmcp_servers:\n  a: {command: x}\n  b: {command: y}\ntoolscope:\n  tool_names: double\n  disabled_toolsets: [mcp-a]\n")
	two, err := Parse("two.json", []byte(`{"mcpServers":{"b":{"command":"z"},"c":{"command":"w","args":"one string"}}}`), world(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	all := Merge(one, two)
	var got []string
	for _, s := range all.Servers {
		got = append(got, s.Name+" "+s.Command)
	}
	if strings.Join(got, ", ") != "a x, b z, c w" {
		t.Errorf("servers: %v", got)
	}
	want(t, warnings(all), "server b is defined twice, in config.yaml:5 and in two.json:1: the second is used", "two.json: args is one string")
	if all.Engine.ContextLength != 1000 || all.Engine.ListingMaxTokens != 300 || all.Engine.ToolNames != "double" || all.Path != "config.yaml + two.json" || len(all.DisabledToolsets) != 1 {
		t.Errorf("%+v", all)
	}
	three := parse(t, "tools: {tool_search: {threshold_pct: 1}}\n")
	if merged := Merge(one, three); merged.Engine.ThresholdPct != 1 || merged.Engine.ListingMaxTokens != 4000 {
		t.Errorf("a later block takes the place of an earlier one: %+v", merged.Engine)
	}
}

func TestTransports(t *testing.T) {
	cfg := parse(t, `
mcp_servers:
  sse: {url: "http://h/sse", transport: sse}
  ca: {url: "https://h", ssl_verify: ~/ca.pem}
  one: {url: "https://h", client_cert: both.pem}
  two: {url: "https://h", client_cert: c.pem, client_key: k.pem}
  list: {url: "https://h", client_cert: [c.pem, k.pem]}
  id: {url: "https://h", identity_header: {name: X-User, value: "me ${TOKEN}"}}
  id2: {url: "https://h", identity_header: "X-User: me"}
`)
	silent(t, cfg)
	var got []string
	for _, s := range cfg.Servers {
		got = append(got, strings.Join([]string{s.Name, string(s.Transport), s.CAFile, s.ClientCert, s.ClientKey, s.Headers["X-User"]}, " "))
		if s.Problem != "" || s.SkipVerify {
			t.Errorf("%+v", s)
		}
	}
	want := "sse sse    |ca http /home/me/ca.pem   |one http  both.pem  |two http  c.pem k.pem |list http  c.pem k.pem |id http    me t0ken-in-env|id2 http    me"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}
