package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolscope/engine"
)

// parse reads a configuration with a small world around it.
func parse(t *testing.T, text string) Config {
	t.Helper()
	cfg, err := Parse("config.yaml", []byte(text), world(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func world(dir string) Options {
	env := map[string]string{"TOKEN": "t0ken-in-env", "EMPTY": "", "BOTH": "from the environment", "HOST": "example.com"}
	return Options{
		Self: "/usr/bin/toolscope", Home: "/home/me", WorkspaceFolder: "/work/space", Dir: dir,
		LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		DotEnv:    []byte("BOTH='from .env'\nexport DOTTED=d0tted-value\n"),
	}
}

func warnings(cfg Config) string {
	var b strings.Builder
	for _, w := range cfg.Warnings {
		fmt.Fprintf(&b, "%s: %s\n", w.Key, w.Message)
	}
	return b.String()
}

func want(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in:\n%s", part, got)
		}
	}
}

func silent(t *testing.T, cfg Config) {
	t.Helper()
	if got := warnings(cfg); got != "" {
		t.Errorf("warnings:\n%s", got)
	}
}

func TestWholeFile(t *testing.T) {
	cfg := parse(t, `
# A configuration of Hermes with the workbench's own block.
model: {default: claude, context_length: 128000}
agent: {max_turns: 60}
terminal:
  backend: local
mcp_servers:
  zeta:
    command: npx
    args: [-y, "@scope/server", "--root", "~/notes"]
    env:
      API_KEY: ${TOKEN}
      PLAIN: value
    timeout: 120
    connect_timeout: "2.5"
    supports_parallel_tool_calls: yes
    trust: untrusted
    tools:
      include: [read_*, list]
      resources: false
      prompts: false
  alpha:
    url: https://${env:HOST}/mcp
    transport: streamable_http
    headers: {Authorization: "Bearer ${TOKEN}"}
    enabled: false
    tools: {exclude: delete_all}
  self:
    command: ${self}
    args: [fixture, linear]
    cwd: ~
tools:
  tool_search:
    threshold_pct: 7.5
    listing_max_tokens: 3000
toolscope:
  context_length: 200000
  tool_names: double
  disabled_toolsets: [mcp-zeta, kanban]
  plugins:
    notes:
      - name: note_add
        description: Adds a note.
        inputSchema: {type: object, properties: {b: {type: string}, a: {}}}
  core_tools:
    - {name: read_file, inputSchema: {type: object}}
  sessions:
    subagent: {enabled_toolsets: [mcp-alpha]}
    restricted: {disabled_toolsets: notes}
`)
	if got := warnings(cfg); got != "toolscope.disabled_toolsets: there is no toolset kanban: neither a server (mcp-NAME) nor a plugin, nor core; it may come with another --config (line 39)\n" {
		t.Errorf("warnings:\n%s", got)
	}
	if len(cfg.Servers) != 3 {
		t.Fatalf("%d servers", len(cfg.Servers))
	}
	zeta := cfg.Servers[0]
	if zeta.Name != "zeta" || zeta.Line != 8 || zeta.Transport != TransportStdio || zeta.Command != "npx" || zeta.Problem != "" ||
		!reflect.DeepEqual(zeta.Args, []string{"-y", "@scope/server", "--root", "/home/me/notes"}) ||
		!reflect.DeepEqual(zeta.Env, map[string]string{"API_KEY": "t0ken-in-env", "PLAIN": "value"}) ||
		zeta.Timeout != 2*time.Minute || zeta.ConnectTimeout != 2500*time.Millisecond || !zeta.Enabled || !zeta.Parallel || zeta.Trust != "untrusted" ||
		!reflect.DeepEqual(zeta.Include, []string{"read_*", "list"}) {
		t.Errorf("%+v", zeta)
	}
	alpha := cfg.Servers[1]
	if alpha.Name != "alpha" || alpha.Transport != TransportHTTP || alpha.URL != "https://example.com/mcp" || alpha.Enabled || alpha.Problem != "" ||
		alpha.Headers["Authorization"] != "Bearer t0ken-in-env" || alpha.Timeout != DefaultTimeout || alpha.ConnectTimeout != DefaultConnectTimeout ||
		!reflect.DeepEqual(alpha.Exclude, []string{"delete_all"}) {
		t.Errorf("%+v", alpha)
	}
	if self := cfg.Servers[2]; self.Command != "/usr/bin/toolscope" || self.Dir != "" {
		t.Errorf("%+v", self)
	}
	want := engine.Config{ToolSearch: engine.DefaultToolSearch(), ContextLength: 200000, ToolNames: engine.NamesDouble}
	want.ThresholdPct, want.ListingMaxTokens = 7.5, 3000
	if cfg.Engine != want {
		t.Errorf("%+v", cfg.Engine)
	}
	if raw, ok := cfg.ToolSearchRaw.(map[string]any); !ok || raw["threshold_pct"] != 7.5 {
		t.Errorf("%#v", cfg.ToolSearchRaw)
	}
	if len(cfg.Plugins) != 1 || cfg.Plugins[0].Name != "notes" || string(cfg.Plugins[0].Tools[0].Schema) != `{"type":"object","properties":{"b":{"type":"string"},"a":{}}}` {
		t.Errorf("%+v", cfg.Plugins)
	}
	if len(cfg.Core) != 1 || cfg.Core[0].Name != "read_file" {
		t.Errorf("%+v", cfg.Core)
	}
	if !reflect.DeepEqual(cfg.DisabledToolsets, []string{"mcp-zeta", "kanban"}) {
		t.Errorf("%q", cfg.DisabledToolsets)
	}
	if !reflect.DeepEqual(cfg.Sessions, []Session{
		{"subagent", engine.Scope{Enabled: []string{"mcp-alpha"}}},
		{"restricted", engine.Scope{Disabled: []string{"notes"}}},
	}) {
		t.Errorf("%+v", cfg.Sessions)
	}
}

func TestNothingConfigured(t *testing.T) {
	for _, text := range []string{"", "\n# only a comment\n", "---\n", "null", "mcp_servers:\ntoolscope:\ntools:\n", "\ufeffmcp_servers: {}\n", "mcp_servers: {}\r\n"} {
		cfg := parse(t, text)
		silent(t, cfg)
		if len(cfg.Servers) != 0 || cfg.Engine.ToolSearch != engine.DefaultToolSearch() || cfg.ToolSearchRaw != nil || cfg.Engine.ContextLength != 0 {
			t.Errorf("%q: %+v", text, cfg)
		}
	}
}

func TestBrokenFile(t *testing.T) {
	for _, test := range []struct{ text, message string }{
		{"mcp_servers:\n  a: [1\n", "config.yaml:2:6: "},
		{"a: b: c\n", "config.yaml:1:"},
		{"mcp_servers:\n  a: {command: x\n", "config.yaml:2:6: "},
		{"- a\n- b\n", "config.yaml:1: the file is a list where a mapping is due"},
		{"just text\n", "config.yaml:1: the file is a string where a mapping is due"},
		{"a: *nowhere\n", "config.yaml:1:4: the alias *nowhere has no anchor"},
		{"a: &a [*a]\n", "config.yaml:1:8: the alias *a stands inside its own anchor"},
		{"a: " + strings.Repeat("[", 20000), "nested deeper than 500 levels"},
		{strings.Repeat("- ", 20000), "config.yaml:1: nested deeper than 500 levels"},
		{deepBlock(2000), "nested deeper than 500 levels"},
		{strings.Repeat("#", maxFileBytes+1), "are too many for a configuration"},
	} {
		_, err := Parse("config.yaml", []byte(test.text), Options{})
		if err == nil {
			t.Errorf("%.40q: no error", test.text)
			continue
		}
		want(t, err.Error(), test.message)
	}
}

func deepBlock(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String()
}

// A broken file is named with its place, but nothing of its text.
func TestBrokenFileKeepsItsSecrets(t *testing.T) {
	_, err := Parse("config.yaml", []byte("mcp_servers:\n  a:\n    env:\n      KEY: s3cr3t-value: x\n"), Options{})
	if err == nil || strings.Contains(err.Error(), "s3cr3t") || !strings.Contains(err.Error(), "config.yaml:4:") {
		t.Errorf("%v", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("config.yaml", "mcp_servers:\n  a: {command: x, env: {A: '${DOTTED}'}}\ntoolscope: {core_tools: core.json}\n")
	write(".env", "DOTTED=beside\n")
	write("core.json", `[{"type":"function","function":{"name":"terminal","description":"Runs a command.","parameters":{"type":"object"}}}]`)
	cfg, err := Load(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	silent(t, cfg)
	if cfg.Path != path || cfg.Servers[0].Env["A"] != "beside" || len(cfg.Core) != 1 || cfg.Core[0].Name != "terminal" || string(cfg.Core[0].Schema) != `{"type":"object"}` {
		t.Errorf("%+v", cfg)
	}

	write(".env", "TOKEN=\"s3cr3t\n")
	if cfg, err = Load(path, Options{}); err != nil {
		t.Fatal(err)
	}
	want(t, warnings(cfg), ".env: the .env beside the configuration is not made of NAME=value lines", "${DOTTED} is set neither")
	if strings.Contains(warnings(cfg), "s3cr3t") {
		t.Error(warnings(cfg))
	}

	if _, err = Load(filepath.Join(dir, "none.yaml"), Options{}); err == nil || !strings.Contains(err.Error(), "no such file: check the name given to --config") {
		t.Errorf("%v", err)
	}
	if _, err = Load(dir, Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
}

func TestCoreToolsFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"snapshot.json": `{"servers":[],"core":[{"name":"a"}]}`,
		"answer.json":   `{"tools":[{"name":"a"}]}`,
		"list.yaml":     "- name: a\n",
		"twice.yaml":    "- name: b\n  name: a\n",
		"broken.json":   `[{"name":`,
		"scalar.yaml":   "a",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		file    string
		tools   int
		warning string
	}{
		{"snapshot.json", 1, ""}, {"answer.json", 1, ""}, {"list.yaml", 1, ""},
		{"twice.yaml", 1, "twice.yaml:2:"},
		{"broken.json", 0, "there are no core tools"},
		{"scalar.yaml", 0, "a string where a list of tools is due"},
		{"none.json", 0, "cannot be read (no such file or directory): there are no core tools (line 1)"},
	} {
		cfg, err := Parse("c", []byte("toolscope: {core_tools: "+test.file+"}"), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if len(cfg.Core) != test.tools {
			t.Errorf("%s: %d tools", test.file, len(cfg.Core))
		}
		if got := warnings(cfg); (got == "") != (test.warning == "") || !strings.Contains(got, test.warning) {
			t.Errorf("%s: %s", test.file, got)
		}
	}
}

// Each oddity is named with its key and line, and repaired.
func TestOddities(t *testing.T) {
	for _, test := range []struct {
		name    string
		text    string
		check   func(Config) bool
		warning string
	}{
		{"unknown key of a server", "mcp_servers:\n  a:\n    command: x\n    comand: y", func(c Config) bool { return c.Servers[0].Problem == "" }, "mcp_servers.a.comand: comand is not a key that is known here: it is ignored (line 4)"},
		{"unknown key of tools", "mcp_servers: {a: {command: x, tools: {inclde: [b]}}}", nil, "mcp_servers.a.tools.inclde: "},
		{"unknown key of toolscope", "toolscope: {contxt_length: 5}", nil, "toolscope.contxt_length: "},
		{"unknown key of a session", "toolscope: {sessions: {s: {enabled: [a]}}}", func(c Config) bool { return len(c.Sessions) == 1 }, "toolscope.sessions.s.enabled: "},
		{"args as a string", "mcp_servers: {a: {command: npx, args: -y  some-server}}", func(c Config) bool { return reflect.DeepEqual(c.Servers[0].Args, []string{"-y", "some-server"}) }, "mcp_servers.a.args: args is one string where a list is due: it is split at white space into 2 (line 1)"},
		{"args as a mapping", "mcp_servers: {a: {command: npx, args: {a: b}}}", func(c Config) bool { return c.Servers[0].Args == nil }, "a mapping where a list is due: it is ignored"},
		{"a number among args", "mcp_servers: {a: {command: x, args: [8080, true]}}", func(c Config) bool { return reflect.DeepEqual(c.Servers[0].Args, []string{"8080", "true"}) }, "mcp_servers.a.args[0]: mcp_servers.a.args[0] is a number where a string is due"},
		{"a list among args", "mcp_servers: {a: {command: x, args: [[b], null, c]}}", func(c Config) bool { return reflect.DeepEqual(c.Servers[0].Args, []string{"c"}) }, "mcp_servers.a.args[0] is a list where a string is due: it is ignored"},
		{"a number in env", "mcp_servers: {a: {command: x, env: {PORT: 0x10, N: ~}}}", func(c Config) bool { return reflect.DeepEqual(c.Servers[0].Env, map[string]string{"PORT": "0x10"}) }, "mcp_servers.a.env.N has no value"},
		{"env as a list", "mcp_servers: {a: {command: x, env: [A=b=c, D]}}", func(c Config) bool { return reflect.DeepEqual(c.Servers[0].Env, map[string]string{"A": "b=c"}) }, "mcp_servers.a.env[1]: the item is no NAME=value"},
		{"env as a string", "mcp_servers: {a: {command: x, env: A}}", func(c Config) bool { return c.Servers[0].Env == nil }, "mcp_servers.a.env is a string where a mapping is due"},
		{"timeout of no kind", "mcp_servers: {a: {command: x, timeout: soon}}", func(c Config) bool { return c.Servers[0].Timeout == DefaultTimeout }, "mcp_servers.a.timeout is no number of seconds: 5m0s is used"},
		{"timeout with a unit", "mcp_servers: {a: {command: x, timeout: 90s}}", func(c Config) bool { return c.Servers[0].Timeout == 90*time.Second }, "given with a unit where plain seconds are due"},
		{"negative timeout", "mcp_servers: {a: {command: x, connect_timeout: -1}}", func(c Config) bool { return c.Servers[0].ConnectTimeout == DefaultConnectTimeout }, "must be more than 0 seconds"},
		{"endless timeout", "mcp_servers: {a: {command: x, timeout: 1e300}}", func(c Config) bool { return c.Servers[0].Timeout == 24*time.Hour }, "more than a day"},
		{"NaN timeout", "mcp_servers: {a: {command: x, timeout: .nan}}", func(c Config) bool { return c.Servers[0].Timeout == DefaultTimeout }, "is no number of seconds"},
		{"timeout as a list", "mcp_servers: {a: {command: x, timeout: [1]}}", func(c Config) bool { return c.Servers[0].Timeout == DefaultTimeout }, "is no number of seconds"},
		{"enabled of no kind", "mcp_servers: {a: {command: x, enabled: maybe}}", func(c Config) bool { return c.Servers[0].Enabled }, "mcp_servers.a.enabled is neither true nor false: true is used"},
		{"include and exclude", "mcp_servers: {a: {command: x, tools: {include: b, exclude: [c]}}}", func(c Config) bool { return len(c.Servers[0].Include) == 1 }, "exclude is ignored, since there is an include, which wins"},
		{"tools as a list", "mcp_servers: {a: {command: x, tools: [b]}}", nil, "tools is a list where a mapping with include or exclude is due"},
		{"command and url", "mcp_servers: {a: {command: x, url: http://h}}", func(c Config) bool { return c.Servers[0].Transport == TransportHTTP && c.Servers[0].Problem == "" }, "command is ignored, since there is a url"},
		{"headers over stdio", "mcp_servers: {a: {command: x, headers: {A: b}}}", nil, "headers are ignored: the server is reached over stdio"},
		{"env over http", "mcp_servers: {a: {url: http://h, env: {A: b}}}", nil, "env is ignored: the server is reached over HTTP"},
		{"stdio with a url", "mcp_servers: {a: {url: http://h, transport: stdio}}", func(c Config) bool { return c.Servers[0].Transport == TransportHTTP }, "reached over HTTP and not over stdio"},
		{"certificates", "mcp_servers: {a: {url: https://h, ssl_verify: false}}", func(c Config) bool { return c.Servers[0].SkipVerify }, "ssl_verify is false: anyone between here and the server"},
		{"a key without its certificate", "mcp_servers: {a: {url: https://h, client_key: k.pem}}", func(c Config) bool { return c.Servers[0].ClientKey == "" }, "client_key is ignored: there is no client_cert"},
		{"a list of one certificate", "mcp_servers: {a: {url: https://h, client_cert: [c.pem]}}", func(c Config) bool { return c.Servers[0].ClientCert == "" }, "client_cert is a list of 1"},
		{"an identity without a value", "mcp_servers: {a: {url: https://h, identity_header: X-User}}", func(c Config) bool { return len(c.Servers[0].Headers) == 0 }, "identity_header needs a fixed name and value"},
		{"a server twice", "mcp_servers:\n  a: {command: x}\n  b: {command: y}\n  a: {command: z}", func(c Config) bool {
			return len(c.Servers) == 2 && c.Servers[0].Command == "z" && c.Servers[0].Line == 4
		}, `a: "a" stands twice in one mapping, on lines 2 and 4: the later one is used`},
		{"tool_search clamped", "tools:\n  tool_search:\n    enabled: on\n    listing_max_tokens: 5", func(c Config) bool { return c.Engine.ListingMaxTokens == 200 }, "tools.tool_search.listing_max_tokens: "},
		{"tool_search of no kind", "tools: {tool_search: [1]}", func(c Config) bool { return c.Engine.ToolSearch == engine.DefaultToolSearch() }, "tools.tool_search: "},
		{"context with a unit", "toolscope: {context_length: 200k}", func(c Config) bool { return c.Engine.ContextLength == 200_000 }, "200k is read as 200000 tokens"},
		{"context of no kind", "toolscope: {context_length: large}\nmodel: {context_length: '1_000'}", func(c Config) bool { return c.Engine.ContextLength == 1000 }, "toolscope.context_length is no number of tokens: it is ignored"},
		{"negative context", "model: {context_length: -5}", func(c Config) bool { return c.Engine.ContextLength == 0 }, "must be between 0 (unknown)"},
		{"half a token", "model: {context_length: 10.5}", func(c Config) bool { return c.Engine.ContextLength == 10 }, "a whole number of tokens: 10 is used"},
		{"tool_names", "toolscope: {tool_names: triple}", func(c Config) bool { return c.Engine.ToolNames == engine.NamesSingle }, "neither single nor double"},
		{"plugins as a string", "toolscope: {plugins: a}", nil, "toolscope.plugins is a string where a mapping of toolsets is due"},
		{"plugin tools as a string", "toolscope: {plugins: {p: a}}", func(c Config) bool { return len(c.Plugins) == 1 }, "toolscope.plugins.p is a string where a list of tools is due"},
		{"plugin without a name", "toolscope: {plugins: [{tools: []}]}", func(c Config) bool { return len(c.Plugins) == 0 }, "toolscope.plugins[0] has no name"},
		{"tool without a name", "toolscope: {plugins: {p: [{description: d}, {name: ok}]}}", func(c Config) bool { return len(c.Plugins[0].Tools) == 1 }, "toolscope.plugins.p[0] is left out: "},
		{"odd tool", "toolscope: {core_tools: [{name: a, description: 7}]}", func(c Config) bool { return len(c.Core) == 1 }, "toolscope.core_tools[0]: toolscope.core_tools[0] (a): "},
		{"sessions as a list", "toolscope: {sessions: [a]}", nil, "toolscope.sessions is a list where a mapping of sessions is due"},
		{"a session as a list", "toolscope: {sessions: {a: [b]}}", func(c Config) bool { return len(c.Sessions) == 0 }, "toolscope.sessions.a is a list where a mapping"},
		{"two documents", "mcp_servers: {a: {command: x}}\n---\nmcp_servers: {b: {command: y}}", func(c Config) bool { return len(c.Servers) == 1 }, "only the first is read (line 2)"},
		{"unset variable", "mcp_servers:\n  a:\n    command: x\n    args: ['${NOT_SET}']", func(c Config) bool { return c.Servers[0].Args[0] == "${NOT_SET}" }, "mcp_servers.a.args[0]: ${NOT_SET} is set neither in .env nor in the environment: the text is kept as it stands (line 4)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := parse(t, test.text)
			want(t, warnings(cfg), test.warning)
			if test.check != nil && !test.check(cfg) {
				t.Errorf("%+v", cfg)
			}
		})
	}
}

// What a server asks for and cannot have is its problem, told in words.
func TestProblems(t *testing.T) {
	for _, test := range []struct{ entry, problem string }{
		{"{}", "there is neither command nor url: add one (line 2)"},
		{"text", "the entry is a string where a mapping with command or url is due (line 2)"},
		{"", "the entry is nothing where a mapping"},
		{"{command: ''}", "there is neither command nor url"},
		{"{url: ftp://h/x}", "url must start with http:// or https://"},
		{"{url: 'http://'}", "url must start with http:// or https:// and name a host"},
		{"{url: 'http://h:port-s3cr3t/x'}", "url is not a valid address (line 2)"},
		{"{command: x, transport: sse}", "transport is sse but there is no url"},
		{"{command: x, transport: http}", "transport is http but there is no url"},
		{"{command: x, transport: carrier-pigeon}", "transport is none of stdio, http and sse"},
		{"{command: x, auth: oauth}", "auth: oauth is not supported: put the token into headers"},
	} {
		cfg := parse(t, "mcp_servers:\n  a: "+test.entry)
		if len(cfg.Servers) != 1 {
			t.Fatalf("%s: %d servers", test.entry, len(cfg.Servers))
		}
		want(t, cfg.Servers[0].Problem, test.problem)
		if strings.Contains(cfg.Servers[0].Problem, "s3cr3t") {
			t.Error(cfg.Servers[0].Problem)
		}
	}
	for _, entry := range []string{"{url: http://h, transport: http}", "{url: http://h, type: streamable-http}", "{command: x, transport: stdio}", "{command: x, auth: none}"} {
		if cfg := parse(t, "mcp_servers:\n  a: "+entry); cfg.Servers[0].Problem != "" || len(cfg.Warnings) != 0 {
			t.Errorf("%s: %s %s", entry, cfg.Servers[0].Problem, warnings(cfg))
		}
	}
}

func TestVariables(t *testing.T) {
	for _, test := range []struct{ in, out string }{
		{"${TOKEN}", "t0ken-in-env"}, {"a-${env:TOKEN}-b", "a-t0ken-in-env-b"}, {"${EMPTY}", ""},
		{"${BOTH}", "from .env"}, {"${DOTTED}${TOKEN}", "d0tted-valuet0ken-in-env"},
		{"${userHome}/x", "/home/me/x"}, {"~/x", "/home/me/x"}, {"~", "/home/me"}, {"a~/x", "a~/x"}, {"~user/x", "~user/x"},
		{"${workspaceFolder}", "/work/space"}, {"${self}", "/usr/bin/toolscope"},
		{"$TOKEN", "$TOKEN"}, {"${}", "${}"}, {"${NOPE}", "${NOPE}"}, {"${TOKEN", "${TOKEN"}, {"$${TOKEN}", "$t0ken-in-env"},
	} {
		cfg := parse(t, "mcp_servers: {a: {command: x, args: ['"+test.in+"']}}")
		if got := cfg.Servers[0].Args[0]; got != test.out {
			t.Errorf("%s: %q, want %q", test.in, got, test.out)
		}
	}
	// Without a world to look into, nothing is filled in and nothing is lost.
	cfg, err := Parse("c", []byte("mcp_servers: {a: {command: '${self}', args: ['${userHome}', '~/x', '${workspaceFolder}', '${X}']}}"), Options{})
	if err != nil || cfg.Servers[0].Command != "${self}" || len(cfg.Warnings) != 4 {
		t.Errorf("%v %+v", err, cfg)
	}
}

func TestAnchors(t *testing.T) {
	cfg := parse(t, `
defaults: &defaults
  command: npx
  timeout: 10
  env: &env {A: a1a1}
mcp_servers:
  one:
    <<: *defaults
    timeout: 20
  two:
    <<: [*defaults, {timeout: 30, trust: full}]
  three:
    command: x
    env: *env
`)
	silent(t, cfg)
	one, two, three := cfg.Servers[0], cfg.Servers[1], cfg.Servers[2]
	if one.Command != "npx" || one.Timeout != 20*time.Second || two.Timeout != 10*time.Second || two.Trust != "full" || three.Env["A"] != "a1a1" {
		t.Errorf("%+v\n%+v\n%+v", one, two, three)
	}
}

// Text that unfolds to billions of values through aliases costs nothing, and
// is named where it would have to be unfolded.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i <= 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10))
	}
	b.WriteString("tools: {tool_search: {enabled: *a12}}\ntoolscope: {core_tools: [{name: x, inputSchema: {enum: *a12}}]}\n")
	cfg := parse(t, b.String())
	want(t, warnings(cfg), "tools.tool_search: the block unfolds to too many values", "toolscope.core_tools[0] unfolds to too many values")
}

func TestTags(t *testing.T) {
	cfg := parse(t, "mcp_servers: {a: {command: !!str 7, args: [!!str true, !custom x]}}")
	silent(t, cfg)
	if cfg.Servers[0].Command != "7" || !reflect.DeepEqual(cfg.Servers[0].Args, []string{"true", "x"}) {
		t.Errorf("%+v", cfg.Servers[0])
	}
}

func TestPluginsAsList(t *testing.T) {
	cfg := parse(t, "toolscope: {plugins: [{name: notes, tools: [{name: add}]}, {name: empty}]}")
	silent(t, cfg)
	if len(cfg.Plugins) != 2 || cfg.Plugins[0].Tools[0].Name != "add" || cfg.Plugins[1].Name != "empty" {
		t.Errorf("%+v", cfg.Plugins)
	}
}

// Schemas keep the order of their keys and the form of their numbers.
func TestToolsAsJSON(t *testing.T) {
	cfg := parse(t, `
toolscope:
  core_tools:
    - name: t
      description: "quotes \" and <tags> & ünïcödé"
      inputSchema:
        type: object
        properties:
          z: {type: integer, minimum: -3, maximum: 18446744073709551615}
          a: {type: number, default: 0.5, enum: [1, null, true, .inf]}
`)
	silent(t, cfg)
	const schema = `{"type":"object","properties":{"z":{"type":"integer","minimum":-3,"maximum":18446744073709551615},"a":{"type":"number","default":0.5,"enum":[1,null,true,".inf"]}}}`
	if got := string(cfg.Core[0].Schema); got != schema {
		t.Errorf("%s\nwant %s", got, schema)
	}
	if got := cfg.Core[0].Description; got != `quotes " and <tags> & ünïcödé` {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"mcp_servers:\n  a:\n    command: npx\n    args: [-y, '${X}']\n    env: {A: b}\n", "mcp_servers: {a: {url: 'http://u:p@h/x?k=v#f', headers: {A: 'Bearer b'}, timeout: 1e9}}",
		"tools: {tool_search: {threshold_pct: .nan}}", "toolscope:\n  context_length: 200k\n  plugins: {p: [{name: t, inputSchema: {a: &a [1], b: *a}}]}\n  sessions: {s: {enabled_toolsets: x}}",
		"a: &a\n  <<: *a\n", "? [a, b]\n: c\n", "!!str a: |\n  text\n   more\n", "%YAML 1.2\n---\na: b\n...\n---\nc: d\n", "a: 'b", "\t- x", "&a a: *a", "<<: x", "a: !!binary x\n\"\\ud800\": \"\\x00\"\n",
		"- - - - a", "{[a]: {b: }}", "mcp_servers:\n  <<: {a: {command: 1}}\n  a:\n", "a: >-\n\n  b\n#c", "\xff\xfea: b", "\u2028: \x85\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := Parse("config.yaml", data, Options{LookupEnv: func(name string) (string, bool) { return name, name != "" }})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "config.yaml") {
				t.Errorf("%v names no file", err)
			}
			return
		}
		redact := NewRedactor(cfg.Servers)
		for _, s := range cfg.Servers {
			if s.Timeout <= 0 || s.ConnectTimeout <= 0 {
				t.Errorf("%+v", s)
			}
			for _, secret := range s.Secrets() {
				redact.Redact(secret)
			}
		}
		for _, tool := range cfg.Core {
			if !json.Valid(tool.Schema) {
				t.Errorf("%s", tool.Schema)
			}
		}
		for _, w := range cfg.Warnings {
			if w.Key == "" && w.Message == "" {
				t.Error("an empty warning")
			}
		}
		if cfg.Engine.ContextLength < 0 {
			t.Error(errors.New("a negative context"))
		}
	})
}

// A block of the wrong kind cannot be meant: it is an error with its line.
func TestBlocksOfTheWrongKind(t *testing.T) {
	for text, says := range map[string]string{
		"a: 1\nmcp_servers: 5\n": "config.yaml:2: mcp_servers is a number where a mapping is due",
		"mcp_servers: [a]\n":     "config.yaml:1: mcp_servers is a list",
		"tools: [a]\n":           "config.yaml:1: tools is a list",
		"toolscope: text\n":      "config.yaml:1: toolscope is a string",
		`{"mcpServers": 5}`:      "config.yaml:1: mcpServers is a number",
		"a:\n\tb: 1\n":           "there is a tab in the indentation",
	} {
		if _, err := Parse("config.yaml", []byte(text), Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	for _, text := range []string{"mcp_servers:\n", "mcp_servers: null\ntools: ~\n", "mcp_servers: {}\n"} {
		if _, err := Parse("config.yaml", []byte(text), Options{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestToolsetsThatAreNot(t *testing.T) {
	cfg := parse(t, "mcp_servers: {a: {command: x}}\ntoolscope:\n  disabled_toolsets: [mcp-a, a, core, p, mcp-b]\n  plugins: {p: []}\n  sessions:\n    s: {enabled_toolsets: typo, disabled_toolsets: [p]}\n")
	got := warnings(cfg)
	want(t, got, "toolscope.disabled_toolsets: there is no toolset mcp-b", "(line 3)", "toolscope.sessions.s.enabled_toolsets: there is no toolset typo", "(line 6)")
	if strings.Count(got, "there is no toolset") != 2 {
		t.Error(got)
	}
}
