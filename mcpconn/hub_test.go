package mcpconn

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// patience is how long a test waits for what must come before it gives up. No
// test asserts how long anything takes.
const patience = 60 * time.Second

// scripted is the configuration of a server that plays a script.
func scripted(t *testing.T, name string) config.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return config.Server{
		Name: "srv", Transport: config.TransportStdio, Command: self, Enabled: true,
		Env:            map[string]string{scriptVar: name},
		Timeout:        patience,
		ConnectTimeout: patience,
	}
}

// watcher folds a hub's events while a test waits for something.
type watcher struct {
	t      *testing.T
	hub    *Hub
	roster Roster
	seen   []ServerEvent
}

func open(t *testing.T, servers ...config.Server) *watcher {
	t.Helper()
	return openWith(t, Options{Grace: 400 * time.Millisecond}, servers...)
}

func openWith(t *testing.T, opts Options, servers ...config.Server) *watcher {
	t.Helper()
	hub := Open(servers, opts)
	t.Cleanup(hub.Close)
	hub.Start()
	return &watcher{t: t, hub: hub, roster: NewRoster(config.Config{Servers: servers})}
}

// until receives events until the condition holds.
func (w *watcher) until(what string, holds func(ServerEvent) bool) ServerEvent {
	w.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case ev, ok := <-w.hub.Events():
			if !ok {
				w.t.Fatalf("the events ended before %s", what)
			}
			w.seen = append(w.seen, ev)
			w.roster = w.roster.Apply(ev)
			if holds(ev) {
				return ev
			}
		case <-timeout:
			w.t.Fatalf("waited in vain for %s; last events: %+v", what, w.seen[max(0, len(w.seen)-5):])
		}
	}
}

func (w *watcher) state(s State) ServerEvent {
	w.t.Helper()
	return w.until(string(s), func(ev ServerEvent) bool { return ev.Kind != EventLog && ev.Kind != EventTrace && ev.State == s })
}

func (w *watcher) names() []string {
	var names []string
	for _, t := range w.roster.Servers()[0].Tools {
		names = append(names, t.Name)
	}
	return names
}

func (w *watcher) lines() string {
	var b strings.Builder
	for _, ev := range w.seen {
		if ev.Kind == EventLog {
			fmt.Fprintln(&b, ev.Line)
		}
	}
	return b.String()
}

func messages(warnings []engine.Warning) string {
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintln(&b, w.Message)
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

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestServerComesUp(t *testing.T) {
	w := open(t, scripted(t, "plain"))
	ev := w.state(StateReady)
	equal(t, w.names(), []string{"one", "two", "three"})
	if ev.Kind != EventTools || ev.Info.Name != "script" || ev.Info.Version != "1.2.3" || ev.Info.Protocol != "2025-06-18" || ev.Info.PID == 0 || ev.Info.Pages != 1 || ev.Info.Bytes == 0 {
		t.Errorf("%+v", ev)
	}
	var progress []string
	for _, ev := range w.seen {
		if ev.Progress != "" {
			progress = append(progress, ev.Progress)
		}
	}
	if len(progress) == 0 {
		t.Error("no progress was told")
	}
}

// A server that fails says why, in words, and what to do.
func TestReasons(t *testing.T) {
	for _, test := range []struct {
		script string
		reason []string
	}{
		{"exit", []string{"initialize: the server exited with code 3", "its last words: Error: API_KEY is not set"}},
		{"exit after initialize", []string{"initialize: the server exited with code 1"}},
		{"killed", []string{"tools/list: the server was ended by SIGKILL"}},
		{"initialize refused", []string{"initialize: ", "licence expired"}},
		{"unknown protocol", []string{`initialize: the server speaks protocol version "1999-01-01"`}},
		{"list refused", []string{"tools/list: the server answered error -32603: database is locked"}},
		{"error as a string", []string{"tools/list: the server answered error -32603: odd error"}},
		{"not a list", []string{"tools/list: the answer has no list of tools"}},
		{"deep", []string{"tools/list: the server answered error -32700: the answer cannot be decoded"}},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			w := open(t, scripted(t, test.script))
			want(t, w.state(StateFailed).Reason, test.reason...)
		})
	}
}

func TestHangInInitialize(t *testing.T) {
	s := scripted(t, "mute")
	s.ConnectTimeout = 300 * time.Millisecond
	w := open(t, s)
	want(t, w.state(StateFailed).Reason, "initialize: no answer within 300ms (connect_timeout)")
}

func TestCommandTrouble(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*config.Server)
		reason string
	}{
		{"not in PATH", func(s *config.Server) { s.Command = "no-such-command-here" }, `command "no-such-command-here" not found in PATH`},
		{"with arguments in it", func(s *config.Server) { s.Command = "npx -y thing" }, "put the arguments under args"},
		{"no such file", func(s *config.Server) { s.Command = "/no/such/file" }, "check the path"},
		{"not executable", func(s *config.Server) { s.Command = "./hub_test.go" }, "make it executable"},
		{"no such folder", func(s *config.Server) { s.Dir = "/no/such/folder" }, `cwd "/no/such/folder" is no folder`},
		{"a problem of the configuration", func(s *config.Server) { s.Problem = "there is neither command nor url" }, "there is neither command nor url"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scripted(t, "plain")
			test.change(&s)
			want(t, open(t, s).state(StateFailed).Reason, test.reason)
		})
	}
}

// The command is looked up where the child's own PATH says.
func TestCommandInOwnPath(t *testing.T) {
	s := scripted(t, "plain")
	dir := t.TempDir()
	if err := os.Symlink(s.Command, dir+"/my-server"); err != nil {
		t.Fatal(err)
	}
	s.Command, s.Env["PATH"] = "my-server", "/nowhere:"+dir
	open(t, s).state(StateReady)
}

func TestNoiseOnStdout(t *testing.T) {
	w := open(t, scripted(t, "noise"))
	w.state(StateReady)
	equal(t, w.names(), []string{"one"})
	want(t, w.lines(), "stdout:   ▶ starting up, step 0\n", "step 35", `stdout: {"level":"info","msg":"valid JSON, no JSON-RPC"}`, "stdout: [1,2,3]", "broken", "between the lines")
}

func TestStderrFlood(t *testing.T) {
	w := open(t, scripted(t, "stderr flood"))
	w.state(StateReady)
	want(t, w.lines(), "line 0 of a long")
	if n := len(w.roster.Servers()[0].Log); n > maxLogLines {
		t.Errorf("%d lines are kept", n)
	}
}

func TestOldProtocol(t *testing.T) {
	w := open(t, scripted(t, "old protocol"))
	if ev := w.state(StateReady); ev.Info.Protocol != "2024-11-05" {
		t.Errorf("%+v", ev.Info)
	}
}

func TestPaging(t *testing.T) {
	for _, test := range []struct {
		script  string
		tools   int
		pages   int
		warning string // "" is none
	}{
		{"pages", 1271, 2, ""},
		{"same cursor", 2, 2, "srv: the cursor after page 2 was given before"},
		{"cursor ignored", 2, 2, "srv: page 2 repeats an earlier page"},
		{"cursor of no kind", 1, 1, "neither a string nor a number"},
		{"cursor of a number", 2, 2, ""},
		{"no tools capability", 0, 0, "srv: the server offers no tools"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			w := open(t, scripted(t, test.script))
			ev := w.state(StateReady)
			if len(ev.Tools) != test.tools || ev.Info.Pages != test.pages {
				t.Errorf("%d tools in %d pages, want %d in %d", len(ev.Tools), ev.Info.Pages, test.tools, test.pages)
			}
			if got := messages(ev.Warnings); test.warning == "" && got != "" {
				t.Errorf("warnings: %s", got)
			} else {
				want(t, got, test.warning)
			}
		})
	}
}

func TestOddTools(t *testing.T) {
	w := open(t, scripted(t, "odd tools"))
	ev := w.state(StateReady)
	equal(t, w.names(), []string{"same", "same", "no schema", "null schema", "\x1b]52;c;aGk=\aesc", "ünï/cödé.with spaces", "bad utf8 ��", strings.Repeat("n", 1<<20)})
	want(t, messages(ev.Warnings), "srv: tools[4] is left out", "srv: tools[5] is left out", "srv: tools[6] is left out", "srv: tools[7] is left out")
	want(t, string(ev.Tools[5].Schema), `"oneOf"`, `"$defs"`)
	want(t, string(ev.Tools[5].Raw), `"extra":{"kept":true}`)
	want(t, string(ev.Tools[3].Schema), `{"type":"object","properties":{}}`)
}

func TestLargeLine(t *testing.T) {
	w := open(t, scripted(t, "large"))
	ev := w.state(StateReady)
	if len(ev.Tools) != 301 || len(ev.Tools[300].Description) != 235_000 || ev.Info.Bytes < 3_000_000 {
		t.Errorf("%d tools, %d bytes", len(ev.Tools), ev.Info.Bytes)
	}
}

func TestOddMessages(t *testing.T) {
	for _, script := range []string{"string ids", "batch"} {
		t.Run(script, func(t *testing.T) {
			w := open(t, scripted(t, script))
			w.state(StateReady)
			equal(t, w.names(), []string{"one"})
		})
	}
}

func TestListChanged(t *testing.T) {
	w := open(t, scripted(t, "changes"))
	w.state(StateReady)
	for i := 1; i <= 3; i++ {
		if _, err := w.hub.Call(t.Context(), "srv", "grow", nil, nil); err != nil {
			t.Fatal(err)
		}
		w.until("a longer list", func(ev ServerEvent) bool { return ev.Kind == EventTools && len(ev.Tools) == i+1 })
	}
	equal(t, w.names(), []string{"one", "more1", "more2", "more3"})
}

// However many changes are told, they are listed a few times, and the last
// listing is the one that stands.
func TestListChangedStorm(t *testing.T) {
	w := open(t, scripted(t, "storm"))
	w.state(StateReady)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.hub.Call(ctx, "srv", "storm", nil, nil)
	}()
	ev := w.until("a listing after the storm", func(ev ServerEvent) bool {
		return ev.Kind == EventTools && ev.Tools[0].Name != "calm"
	})
	var n int
	fmt.Sscanf(ev.Tools[0].Name, "listed%d", &n)
	if n < 1 || n > 20 {
		t.Errorf("2000 changes were listed %d times", n)
	}
	cancel()
	<-done
}

func TestNothingChanged(t *testing.T) {
	w := open(t, scripted(t, "change of nothing"))
	w.until("the longer list", func(ev ServerEvent) bool { return ev.Kind == EventTools && len(ev.Tools) == 2 })
	lists := 0
	for _, ev := range w.seen {
		if ev.Kind == EventTools {
			lists++
		}
	}
	if lists != 2 {
		t.Errorf("%d lists were told, the unchanged one among them", lists)
	}
}

func TestListAgainFails(t *testing.T) {
	w := open(t, scripted(t, "change then trouble"))
	w.state(StateReady)
	w.until("the note in the log", func(ev ServerEvent) bool {
		return ev.Kind == EventLog && strings.Contains(ev.Line, "the last list stands") && strings.Contains(ev.Line, "busy")
	})
	if s := w.roster.Servers()[0]; s.State != StateReady || len(s.Tools) != 1 {
		t.Errorf("%s with %d tools", s.State, len(s.Tools))
	}
}

func TestServerAsks(t *testing.T) {
	w := open(t, scripted(t, "asks"))
	ev := w.state(StateReady)
	var answers []string
	for _, tool := range ev.Tools {
		answers = append(answers, tool.Name+" "+tool.Description)
	}
	equal(t, answers, []string{
		`ping {}`,
		`roots/list {"roots":[]}`,
		`sampling/createMessage {"code":-1,"message":"toolscope has no model to sample from"}`,
		`elicitation/create {"action":"decline"}`,
		`tasks/mine {"code":-32601,"message":"toolscope does not know this method"}`,
	})
	want(t, w.lines(), "warning: boot: before the handshake", "asked for the roots", "asked for a model's answer", "asked the person for input", "asked for tasks/mine: refused")
}

func TestServerAsksWithoutEnd(t *testing.T) {
	open(t, scripted(t, "asks without end")).state(StateReady)
}

func TestFilters(t *testing.T) {
	for _, test := range []struct {
		name             string
		include, exclude []string
		tools, filtered  []string
		warning          string
	}{
		{"nothing", nil, nil, []string{"one", "two", "three"}, nil, ""},
		{"include exact", []string{"two"}, nil, []string{"two"}, []string{"one", "three"}, ""},
		{"include glob", []string{"t*"}, nil, []string{"two", "three"}, []string{"one"}, ""},
		{"exclude glob", nil, []string{"t*"}, []string{"one"}, []string{"two", "three"}, ""},
		{"include wins", []string{"two"}, []string{"two"}, []string{"two"}, []string{"one", "three"}, ""},
		{"misspelt", []string{"two", "tow"}, nil, []string{"two"}, []string{"one", "three"}, `srv: "tow" matches none of the server's tools`},
		{"misspelt exclude", nil, []string{"four"}, []string{"one", "two", "three"}, nil, `"four" matches none`},
		{"exclude for tools to come", nil, []string{"*_debug"}, []string{"one", "two", "three"}, nil, ""},
		{"broken glob", []string{"one", "t[", "t*"}, nil, []string{"one", "two", "three"}, nil, `"t[" is no valid glob`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := scripted(t, "plain")
			s.Include, s.Exclude = test.include, test.exclude
			w := open(t, s)
			ev := w.state(StateReady)
			equal(t, w.names(), test.tools)
			equal(t, ev.Filtered, test.filtered)
			if got := messages(ev.Warnings); (test.warning == "") != (got == "") || !strings.Contains(got, test.warning) {
				t.Errorf("warnings: %q", got)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	listener := listen(t)
	s := scripted(t, "calls")
	s.Env[reportVar] = listener.Addr().String()
	s.Env["API_KEY"] = "s3cr3t-in-env"
	w := open(t, s)
	w.state(StateReady)
	ctx := t.Context()

	got, err := w.hub.Call(ctx, "srv", "anything", json.RawMessage(`{"x":"<&>"}`), nil)
	if err != nil || !strings.Contains(string(got), `"params":{"name":"anything","arguments":{"x":"\u003c\u0026\u003e"}}`) || !strings.Contains(string(got), `"resource_link"`) {
		t.Errorf("%s %v", got, err)
	}
	if got, err = w.hub.Call(ctx, "srv", "isError", nil, nil); err != nil || string(got) != `{"isError":true,"content":[{"type":"text","text":"no such row"}],"structuredContent":{"row":null}}` {
		t.Errorf("%s %v", got, err)
	}
	if _, err = w.hub.Call(ctx, "srv", "progress", nil, nil); err != nil {
		t.Error(err)
	}

	var answer *AnswerError
	if _, err = w.hub.Call(ctx, "srv", "unknown", nil, nil); !errors.As(err, &answer) || answer.Code != -32602 || answer.Message != "Unknown tool, and your key is ***" {
		t.Errorf("%v", err)
	}

	for _, code := range []int{-32601, -32602, -32603, 0} {
		_, err = w.hub.Call(ctx, "srv", "any", fmt.Appendf(nil, `{"code":%d}`, code), nil)
		if !errors.As(err, &answer) || answer.Code != code || answer.Message != "no" {
			t.Errorf("%d: %v", code, err)
		}
	}

	// Answers out of order reach the right callers.
	first := make(chan string, 1)
	go func() {
		got, err := w.hub.Call(ctx, "srv", "hold", nil, nil)
		first <- fmt.Sprint(string(got), err)
	}()
	expect(t, listener, "held")
	got, err = w.hub.Call(ctx, "srv", "release", nil, nil)
	want(t, fmt.Sprint(string(got), err), "second")
	want(t, <-first, "first")

	// A call that is given up is cancelled at the server too.
	cancelled, cancel := context.WithCancel(ctx)
	go func() { cancel() }()
	if _, err = w.hub.Call(cancelled, "srv", "silent", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}

	if _, err = w.hub.Call(ctx, "nobody", "x", nil, nil); err == nil || !strings.Contains(err.Error(), `no server "nobody"`) {
		t.Errorf("%v", err)
	}

	// The server dies in the middle of a call.
	if _, err = w.hub.Call(ctx, "srv", "die", nil, nil); err == nil {
		t.Error("no error")
	} else {
		want(t, err.Error(), "server srv: the server exited with code 2", "its last words: panic: at the disco")
	}
	want(t, w.state(StateFailed).Reason, "the server exited with code 2", "panic: at the disco")
	if _, err = w.hub.Call(ctx, "srv", "x", nil, nil); err == nil || !strings.Contains(err.Error(), "srv is failed: the server exited with code 2") {
		t.Errorf("%v", err)
	}
}

func TestCallTimeout(t *testing.T) {
	listener := listen(t)
	s := scripted(t, "calls")
	s.Env[reportVar] = listener.Addr().String()
	s.Timeout = 200 * time.Millisecond
	w := open(t, s)
	w.state(StateReady)
	_, err := w.hub.Call(t.Context(), "srv", "silent", nil, nil)
	if err == nil {
		t.Fatal("no error")
	}
	want(t, err.Error(), "server srv: no answer within 200ms (timeout)")
	expect(t, listener, "cancelled")
}

// A server that reads nothing more blocks neither its callers nor the end.
func TestDeafServer(t *testing.T) {
	s := scripted(t, "deaf")
	s.Timeout = 300 * time.Millisecond
	w := open(t, s)
	w.state(StateReady)
	args, _ := json.Marshal(map[string]string{"x": strings.Repeat("x", 1<<20)}) // far more than a pipe holds
	done := make(chan error)
	for range 3 {
		go func() {
			_, err := w.hub.Call(t.Context(), "srv", "one", args, nil)
			done <- err
		}()
	}
	for range 3 {
		if err := <-done; err == nil || !strings.Contains(err.Error(), "no answer within 300ms") {
			t.Error(err)
		}
	}
	w.hub.Close()
}

func TestOnAndOff(t *testing.T) {
	w := open(t, scripted(t, "plain"))
	first := w.state(StateReady)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.hub.Disable("srv"))
	w.state(StateOff)
	if n := len(w.roster.Catalog().Servers); n != 0 {
		t.Errorf("%d servers in the catalog", n)
	}
	check(w.hub.Enable("srv"))
	second := w.state(StateReady)
	check(w.hub.Retry("srv"))
	w.state(StateConnecting)
	third := w.state(StateReady)
	if first.Info.PID == second.Info.PID || second.Info.PID == third.Info.PID {
		t.Error("the same process")
	}
	if w.hub.Enable("nobody") == nil || w.hub.Disable("nobody") == nil || w.hub.Retry("nobody") == nil {
		t.Error("no error for a server that does not exist")
	}
}

func TestFailedServerIsTriedAgain(t *testing.T) {
	w := open(t, scripted(t, "exit"))
	w.state(StateFailed)
	w.hub.Enable("srv")
	w.state(StateConnecting)
	w.state(StateFailed)
	w.hub.Disable("srv")
	w.state(StateOff)
}

// Switching faster than a server starts ends where the last word says.
func TestSwitchingWildly(t *testing.T) {
	w := open(t, scripted(t, "plain"))
	for range 20 {
		w.hub.Disable("srv")
		w.hub.Enable("srv")
		w.hub.Retry("srv")
	}
	w.state(StateReady)
	w.hub.Disable("srv")
	w.state(StateOff)
}

// Dead servers hold up nobody.
func TestManyServers(t *testing.T) {
	var servers []config.Server
	for i := range 20 {
		name := "plain"
		if i%4 == 0 {
			name = "exit"
		}
		s := scripted(t, name)
		s.Name = fmt.Sprintf("s%d", i)
		s.Parallel = i == 1
		servers = append(servers, s)
	}
	cfg := config.Config{Servers: servers, Plugins: []engine.Toolset{{Name: "notes"}}, Core: []engine.Tool{{Name: "read_file"}}}
	roster, err := Collect(t.Context(), cfg, Options{Grace: 400 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c := roster.Catalog()
	if len(c.Servers) != 15 || len(roster.Failed()) != 5 || len(c.Plugins) != 1 || len(c.Core) != 1 {
		t.Errorf("%d ready, %d failed", len(c.Servers), len(roster.Failed()))
	}
	if c.Servers[0].Name != "s1" || !c.Servers[0].Parallel || len(c.Servers[0].Tools) != 3 || c.Servers[14].Name != "s19" {
		t.Errorf("%s … %s", c.Servers[0].Name, c.Servers[14].Name)
	}
}

func TestCollectGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Collect(ctx, config.Config{Servers: []config.Server{scripted(t, "mute")}}, Options{Grace: 400 * time.Millisecond})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "waiting for srv") {
		t.Errorf("%v", err)
	}
}

func TestEnvironment(t *testing.T) {
	s := scripted(t, "environment")
	s.Env["OWN"] = "own value"
	w := openWith(t, Options{Environ: []string{
		"PATH=/bin", "HOME=/home/me", "LC_ALL=C", "XDG_RUNTIME_DIR=/run", "https_proxy=http://p", "npm_config_cache=/c",
		"AWS_SECRET_ACCESS_KEY=never", "GITHUB_TOKEN=never", "LCD=never",
	}}, s)
	w.state(StateReady)
	equal(t, w.names(), []string{"HOME=/home/me", "LC_ALL=C", scriptVar + "=environment", "OWN=own value", "PATH=/bin", "XDG_RUNTIME_DIR=/run", "https_proxy=http://p", "npm_config_cache=/c"})
}

func TestSecretsAreMasked(t *testing.T) {
	s := scripted(t, "leaks")
	s.Env["TOKEN"] = `ghp_"quoted"/secret+token`
	w := open(t, s)
	reason := w.state(StateFailed).Reason
	want(t, reason, "tools/list: the server answered error -32603: 401 for ***")
	// What is still to come is logged before the process is gone.
	w.hub.Disable("srv")
	w.state(StateOff)
	all := fmt.Sprintf("%+v", w.seen)
	want(t, all, "connecting with ***", "stdout: token ***")
	for _, leak := range []string{"ghp_", "secret+token"} {
		if strings.Contains(all, leak) {
			t.Errorf("%s leaks:\n%s", leak, all)
		}
	}
}

func TestClosedStdout(t *testing.T) {
	w := open(t, scripted(t, "closes stdout"))
	w.state(StateReady)
	want(t, w.state(StateFailed).Reason, "the server closed its stdout")
}

// listen opens the line that scripts report on.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// expect takes the next report and returns its line, which closes when the
// process is gone.
func expect(t *testing.T, l net.Listener, line string) *bufio.Reader {
	t.Helper()
	l.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
	conn, err := l.Accept()
	if err != nil {
		t.Fatalf("no report %q: %v", line, err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetReadDeadline(time.Now().Add(patience))
	r := bufio.NewReader(conn)
	got, err := r.ReadString('\n')
	if err != nil || !strings.HasPrefix(got, line) {
		t.Fatalf("report %q, %v; want %q", got, err, line)
	}
	return r
}

// gone waits for the end of the process at the other end of a line.
func gone(t *testing.T, r *bufio.Reader) {
	t.Helper()
	var timeout net.Error
	if _, err := r.ReadByte(); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		t.Errorf("the process is still there: %v", err)
	}
}

func TestEndings(t *testing.T) {
	reporting := func(t *testing.T, name string) (*watcher, net.Listener) {
		l := listen(t)
		s := scripted(t, name)
		s.Env[reportVar] = l.Addr().String()
		return open(t, s), l
	}
	t.Run("ignores its closed stdin until SIGTERM", func(t *testing.T) {
		w, l := reporting(t, "stays")
		w.state(StateReady)
		w.hub.Close()
		gone(t, expect(t, l, "terminated"))
	})
	t.Run("ignores SIGTERM", func(t *testing.T) {
		w, l := reporting(t, "stubborn")
		w.state(StateReady)
		line := expect(t, l, "alive")
		w.hub.Close()
		gone(t, line)
	})
	t.Run("a child outlives its wrapper", func(t *testing.T) {
		w, l := reporting(t, "wrapper")
		w.state(StateReady)
		line := expect(t, l, "grandchild")
		w.hub.Close()
		gone(t, line)
	})
	t.Run("a child is left behind", func(t *testing.T) {
		w, l := reporting(t, "abandons")
		w.state(StateReady)
		line := expect(t, l, "left behind")
		if _, err := w.hub.Call(t.Context(), "srv", "x", nil, nil); err == nil {
			t.Error("no error")
		}
		want(t, w.state(StateFailed).Reason, "the server exited with code 4")
		gone(t, line)
	})
	t.Run("closing twice, and while connecting", func(t *testing.T) {
		w := open(t, scripted(t, "mute"))
		w.state(StateConnecting)
		w.hub.Close()
		w.hub.Close()
		if w.hub.Enable("srv") != nil {
			t.Error("the name is known")
		}
		for range w.hub.Events() {
		}
	})
}

// All servers are told to end before any of them has to have ended.
func TestEndsSideBySide(t *testing.T) {
	l := listen(t)
	var servers []config.Server
	for i := range 5 {
		s := scripted(t, "waits at the end")
		s.Name = fmt.Sprint("s", i)
		s.Env[reportVar] = l.Addr().String()
		servers = append(servers, s)
	}
	cfg := config.Config{Servers: servers}
	hub := Open(servers, Options{Grace: patience})
	if _, err := Settle(t.Context(), hub, NewRoster(cfg)); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		hub.Close()
		close(closed)
	}()
	var lines []net.Conn
	for range servers {
		l.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
		conn, err := l.Accept()
		if err != nil {
			t.Fatalf("%d of %d are ending: %v", len(lines), len(servers), err)
		}
		lines = append(lines, conn)
	}
	for _, conn := range lines {
		conn.Close()
	}
	<-closed
}

// soakVar is the number of rounds of the soak test; a few where it is not set.
const soakVar = "TOOLSCOPE_TEST_SOAK"

// Servers that die at any point, switched on and off all the time, leave
// nothing behind: no process, no goroutine (see TestMain), no memory.
func TestSoak(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv(soakVar))
	long := rounds > 0
	rounds = max(rounds, 12)
	w := open(t, scripted(t, "mortal"))
	settled := func(ev ServerEvent) bool {
		return ev.Kind != EventLog && ev.Kind != EventTrace && (ev.State == StateReady || ev.State == StateFailed)
	}
	w.until("the first session", settled)
	for i := range rounds {
		w.seen = nil
		w.hub.Disable("srv")
		w.state(StateOff)
		w.hub.Enable("srv")
		w.until("the next session", settled)
		if long && i%50 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			t.Logf("round %d: %d KB of heap, %d goroutines", i, m.HeapAlloc>>10, runtime.NumGoroutine())
		}
	}
}

// Another configuration: what stays the same goes on undisturbed, what changed
// begins anew, what is gone ends.
func TestApply(t *testing.T) {
	named := func(name, script string) config.Server {
		s := scripted(t, script)
		s.Name = name
		return s
	}
	stays, changes, goes := named("stays", "plain"), named("changes", "plain"), named("goes", "plain")
	before := config.Config{Servers: []config.Server{stays, changes, goes}}
	hub := Open(before.Servers, Options{})
	defer hub.Close()
	roster, err := Settle(t.Context(), hub, NewRoster(before))
	if err != nil {
		t.Fatal(err)
	}
	pid := func(name string) int {
		for _, s := range roster.Servers() {
			if s.Name == name {
				return s.Info.PID
			}
		}
		return -1
	}
	first, changed := pid("stays"), pid("changes")

	moved := stays
	moved.Line += 10
	again := changes
	again.Timeout = time.Second
	after := config.Config{Servers: []config.Server{named("comes", "plain"), again, moved}}
	roster = roster.Reconfigure(after)
	enabled := hub.Apply(after.Servers)
	if fmt.Sprint(enabled) != "[comes changes]" || roster.Settled() {
		t.Errorf("enabled %v, settled %v", enabled, roster.Settled())
	}
	for _, name := range enabled {
		if err := hub.Enable(name); err != nil {
			t.Fatal(err)
		}
	}
	if roster, err = Settle(t.Context(), hub, roster); err != nil {
		t.Fatal(err)
	}
	if pid("stays") != first || pid("changes") == changed || pid("changes") <= 0 || pid("comes") <= 0 {
		t.Errorf("stays %d → %d, changes %d → %d, comes %d", first, pid("stays"), changed, pid("changes"), pid("comes"))
	}
	if err := hub.Enable("goes"); err == nil {
		t.Error("a server that is gone was switched on")
	}
	if len(roster.Servers()) != 3 || roster.Servers()[0].Name != "comes" {
		t.Errorf("%+v", roster.Servers())
	}
}

// A server with resources or prompts gets Hermes' utility tools, unless the
// configuration says no; its own tool of such a name stays.
func TestUtilityTools(t *testing.T) {
	s := scripted(t, "offers")
	s.Resources, s.Prompts = true, true
	w := open(t, s)
	w.state(StateReady)
	equal(t, w.names(), []string{"one", "get_prompt", "list_resources", "read_resource", "list_prompts"})
	for tool, method := range map[string]string{"one": "tools/call", "get_prompt": "tools/call", "list_resources": "resources/list", "read_resource": "resources/read", "list_prompts": "prompts/list"} {
		got, err := w.hub.Call(t.Context(), "srv", tool, json.RawMessage(`{"uri":"x:1"}`), nil)
		if err != nil || !strings.Contains(string(got), method) || !strings.Contains(string(got), "x:1") {
			t.Errorf("%s: %s %v", tool, got, err)
		}
	}
	s.Prompts = false
	w = open(t, s)
	w.state(StateReady)
	equal(t, w.names(), []string{"one", "get_prompt", "list_resources", "read_resource"})
}

// A server that fails is tried again after each pause, and then waits to be
// asked.
func TestBackoff(t *testing.T) {
	s := scripted(t, "exit")
	hub := Open([]config.Server{s}, Options{Backoff: []time.Duration{time.Millisecond, 2 * time.Millisecond}})
	w := &watcher{t: t, hub: hub, roster: NewRoster(config.Config{Servers: []config.Server{s}})}
	t.Cleanup(hub.Close)
	hub.Start()
	want(t, w.state(StateFailed).Reason, "exited with code 3", "tried again in 1ms")
	want(t, w.state(StateFailed).Reason, "tried again in 2ms")
	if last := w.state(StateFailed).Reason; strings.Contains(last, "tried again") {
		t.Errorf("the last try says %q", last)
	}
	hub.Retry("srv")
	want(t, w.state(StateFailed).Reason, "tried again in 1ms")
}

// A program that is no server is found out soon, and ended.
func TestEndlessNoise(t *testing.T) {
	w := open(t, scripted(t, "flood"))
	want(t, w.state(StateFailed).Reason, "initialize: the server writes to its standard output what is no MCP message, without end, such as: y")
}

func TestEveryToolFiltered(t *testing.T) {
	s := scripted(t, "plain")
	s.Include = []string{"none_*"}
	w := open(t, s)
	want(t, messages(w.state(StateReady).Warnings), "all of its 3 tools are left out by mcp_servers.srv.tools.include")
}
