package ui

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
)

// hear gives a workbench in lines commands and returns what it says. Each runs
// with all that comes of it before the next is read.
func hear(b *bench, commands ...string) string {
	b.tb.Helper()
	var out bytes.Buffer
	speech := &speech{out: &out}
	b.m.copy = speech.copy
	n := newNarrator(b.m, newLineReader(strings.NewReader("")), speech)
	give := func(msg tea.Msg) {
		for msgs := []tea.Msg{msg}; len(msgs) > 0; msgs = msgs[1:] {
			if _, over := msgs[0].(inputEndMsg); over || msgs[0] == nil {
				continue // the commands come from here
			}
			next, cmd := n.Update(msgs[0])
			n = next.(narrator)
			msgs = append(msgs, runCmd(cmd)...)
			n.speech.print()
		}
	}
	n.speech.print()
	for _, c := range commands {
		out.WriteString("> " + c + "\n")
		give(lineMsg{text: c})
	}
	b.m = n.m
	if v := n.View(); v != "" {
		b.tb.Errorf("it draws %q", v)
	}
	plainLines(b.tb, out.String())
	return out.String()
}

// plainLines holds a text to what a screen reader and a terminal take well.
func plainLines(tb testing.TB, text string) {
	tb.Helper()
	if bad := hostileIn(text); bad != "" || strings.Contains(text, "\x1b") {
		tb.Errorf("it says %s:\n%q", bad, text)
	}
	for _, r := range text {
		if r >= 0x2500 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff || unicode.Is(unicode.Cc, r) && r != '\n' {
			tb.Errorf("it says %q in:\n%s", r, text)
			return
		}
	}
}

// The whole of the line mode, as heard.
func TestAccessibleTranscript(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(600)
	b.m.patience = 5 * time.Minute
	golden.RequireEqual(t, hear(b,
		"help", "", "tier", "listing 3", "listing", "listing x", "servers", "budget", "warnings",
		"query order a pilot ; zzz ; mcp_weather_forecast ; §", "query", "why", "expect gale_warning", "query tide", "why",
		"set listing_max_tokens 200", "set listing_max_tokens=200", "set listing_max_tokens 3", "set listing on", "set colour red", "set listing", "undo", "undo", "undo", "undo",
		"set enabled off", "tier", "budget", "listing", "query tide", "undo",
		"step", "run", "y", "call", "call berth_list", "run", "step", "result",
		`call {"name":"mcp_harbour_pilot_order","arguments":{"id":"7"}}`, "step", "step", "run", "run", "Y",
		`call mcp_harbour_pilot_order {"id":"8"}`, "run", `call mcp_harbour_berth_list {"id":`, "run",
		"live", `call mcp_weather_gale_warning {"id":"9"}`, "run", "n", `call mcp_weather_gale_warning {"id":"9"}`, "run", "y", "result", "cancel",
		"on harbour", "off registry", "off nobody", "off weather", "retry weather", "signin weather",
		"session", "session", "write", "reload", "expect", "HELP me", "nonsense", "tier 5", "wait", "quit",
	))
	want := `call weather gale_warning {"id":"9"}, disable registry, disable weather, retry weather`
	if got := strings.Join(b.asked, ", "); got != want {
		t.Errorf("asked %q", got)
	}
	if !b.m.quitting {
		t.Error("quit does not quit")
	}
}

// Servers are told of when they come, change and fail, each piece of news once.
func TestAccessibleServers(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48)
	tools := harbourTown(t, 0).catalog.Servers
	var out bytes.Buffer
	n := newNarrator(b.m, newLineReader(strings.NewReader("")), &speech{out: &out})
	n.speech.print()
	out.Reset()
	for _, tc := range []struct {
		ev   mcpconn.ServerEvent
		said string
	}{
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateConnecting}, ""},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: "no \x1b[2J such\ndevice"}, "Server harbour failed: no ␛[2J such↵device.\n"},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateConnecting}, ""},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: "no \x1b[2J such\ndevice"}, ""},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: tools[0].Tools, Filtered: []string{"x"}}, "Server harbour is connected with 7 tools, 1 filtered out.\n"},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventLog, State: mcpconn.StateReady, Line: "noise"}, ""},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: tools[0].Tools[:1]}, "Server harbour is connected with 1 tool.\n"},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: "no \x1b[2J such\ndevice"}, "Server harbour failed: no ␛[2J such↵device.\n"},
		{mcpconn.ServerEvent{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateOff}, "Server harbour is off.\n"},
	} {
		next, _ := n.Update(eventsMsg{tc.ev})
		n = next.(narrator)
		n.speech.print()
		plainLines(t, out.String())
		if got := out.String(); got != tc.said {
			t.Errorf("%s %s: said %q, want %q", tc.ev.Kind, tc.ev.State, got, tc.said)
		}
		out.Reset()
	}
}

// What is found and what is expected is told in brief where it changes by
// itself.
func TestAccessibleFindsChange(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48)
	hear(b, "query gale", "expect gale_warning")
	var out bytes.Buffer
	n := newNarrator(b.m, newLineReader(strings.NewReader("")), &speech{out: &out})
	n.speech.print()
	out.Reset()
	s := harbourTown(t, 0).catalog.Servers[1]
	next, _ := n.Update(eventsMsg{{Server: "weather", Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: s.Tools}})
	next.(narrator).speech.print()
	for _, want := range []string{
		"Query gale finds 1 tool now, first of all mcp_weather_gale_warning.\n",
		"Query gale finds the expected mcp_weather_gale_warning as number 1.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}

// The settings are written into the configuration after the person has agreed.
func TestAccessibleWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	const before = "tools:\n  tool_search:\n    listing_max_tokens: 4000 # cap\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.m.file = path
	said := hear(b, "set listing_max_tokens 1200", "write", "n", "y", "write", "y")
	for _, want := range []string{
		"old:     listing_max_tokens: 4000 # cap\n", "new:     listing_max_tokens: 1200 # cap\n", "y writes it, n leaves the file as it is.\n",
		"> n\nnot written.\n> y\nNothing is asked.\n", "written into " + path,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != strings.Replace(before, "4000", "1200", 1) {
		t.Errorf("%q, %v", got, err)
	}
}

// Commands of hooks are asked about before they run.
func TestAccessibleConsent(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.m.hooks = []config.Hook{{Event: config.HookPre, Command: "no-such-program-anywhere --check"}}
	b.m.consents = state.NewConsents(t.TempDir())
	said := hear(b, `call mcp_weather_forecast {"id":"1"}`, "run", "Y", "n")
	for _, want := range []string{
		"Call 1 asks whether these commands of yours may run:\nno-such-program-anywhere --check\ny: yes, from now on. n: not in this call.\n",
		"> Y\ny or n is the answer to that.\n", "Call 1 is done, simulated: no server was called.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
}

// A server that was switched on is waited for though it is still off.
func TestAccessibleWaits(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48)
	n := newNarrator(b.m, newLineReader(strings.NewReader("")), &speech{out: io.Discard})
	step := func(msg tea.Msg, waits bool) {
		t.Helper()
		next, _ := n.Update(msg)
		if n = next.(narrator); n.waits != waits {
			t.Errorf("after %v it waits: %v", msg, n.waits)
		}
	}
	ready := func(server string) mcpconn.ServerEvent {
		return mcpconn.ServerEvent{Server: server, Kind: mcpconn.EventTools, State: mcpconn.StateReady}
	}
	step(lineMsg{text: "wait"}, true)
	step(eventsMsg{ready("harbour")}, true)
	step(eventsMsg{ready("weather")}, false)
	step(lineMsg{text: "wait"}, false)
	step(lineMsg{text: "on registry"}, false)
	step(lineMsg{text: "wait"}, true)
	step(eventsMsg{{Server: "registry", Kind: mcpconn.EventState, State: mcpconn.StateConnecting}}, true)
	step(eventsMsg{ready("registry")}, false)
	step(eventsMsg{{Server: "registry", Kind: mcpconn.EventState, State: mcpconn.StateOff}}, false)
	step(lineMsg{text: "on registry"}, false)
	step(lineMsg{text: "wait"}, true)
	step(statusMsg{"it cannot be started"}, false)
}

// heard is an output that others wait for.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
	err  error
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return 0, h.err
	}
	h.text.Write(p)
	select {
	case h.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (h *heard) waitFor(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		h.mu.Lock()
		all := h.text.String()
		h.mu.Unlock()
		if strings.Contains(all, text) {
			return
		}
		select {
		case <-h.more:
		case <-deadline:
			t.Fatalf("it does not say %q:\n%s", text, all)
		}
	}
}

// However it ends, it ends: no read, call or wait is left behind.
func TestAccessibleEnds(t *testing.T) {
	broken := errors.New("nobody reads")
	for name, tc := range map[string]struct {
		fails error
		end   func(in *os.File, cancel context.CancelFunc)
		want  error
	}{
		"quit":             {nil, func(in *os.File, _ context.CancelFunc) { io.WriteString(in, "quit\n") }, nil},
		"end of the input": {nil, func(in *os.File, _ context.CancelFunc) { in.Close() }, nil},
		"from outside":     {nil, func(_ *os.File, cancel context.CancelFunc) { cancel() }, nil},
		"broken output":    {broken, nil, broken},
		"while it waits": {nil, func(in *os.File, cancel context.CancelFunc) {
			io.WriteString(in, "live\ncall mcp_weather_sea_state\nrun\ny\nwait\n")
			cancel()
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			in, commands, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			defer commands.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var asked []string
			events := make(chan mcpconn.ServerEvent, 1)
			defer close(events)
			events <- mcpconn.ServerEvent{Server: "weather", Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: harbourTown(t, 0).catalog.Servers[1].Tools}
			out := &heard{more: make(chan struct{}, 1), err: tc.fails}
			ended := make(chan error, 1)
			go func() {
				ended <- RunAccessible(ctx, Options{
					Config: config.Config{Path: "c.yaml", Servers: []config.Server{{Name: "weather", Enabled: true}}, Engine: engine.Config{ToolSearch: engine.DefaultToolSearch()}, ApprovalTimeout: time.Hour},
					Conns:  fakeServers{events, &asked},
				}, in, out)
			}()
			if tc.end != nil {
				out.waitFor(t, "Server weather is connected with 3 tools.\n")
				tc.end(commands, cancel)
			}
			select {
			case err := <-ended:
				if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it does not end")
			}
			plainLines(t, out.text.String())
		})
	}
}

// stuck is an output that nobody reads.
type stuck struct{ release chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.release
	return len(p), nil
}

// An output that nobody reads does not keep the workbench from ending.
func TestAccessibleUnread(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := stuck{make(chan struct{})}
	events := make(chan mcpconn.ServerEvent)
	in, commands := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- RunAccessible(ctx, Options{Config: config.Config{}, Conns: fakeServers{events, new([]string)}}, in, out)
	}()
	if _, err := io.WriteString(commands, "tier\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	close(out.release)
	close(events)
	commands.Close()
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	in := bufio.NewReader(strings.NewReader("tier\r\n\n" + long + "yz\nnext\n" + long[:maxLine-1] + "\n" + "last"))
	for _, want := range []lineMsg{{"tier", false}, {"", false}, {"", true}, {"next", false}, {long[:maxLine-1], false}, {"last", false}} {
		got, err := readLine(in)
		if err != nil || got != want {
			t.Errorf("%.20q %v, %v; want %.20q %v", got.text, got.long, err, want.text, want.long)
		}
	}
	if _, err := readLine(in); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	if said := readCommand(lineMsg{long: true}, model{}).tells(model{}); !strings.Contains(said[0], "65,536 bytes") {
		t.Errorf("of a long line it says %q", said)
	}
}

// Whatever is typed, something is asked or told, in lines that are safe.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"", "tier", "listing 9999999999999999999", "query \x1b[2J ; ;", "expect \xff", "set a=b=c", "call {", "call mcp_harbour_berth_list [1", "on registry", "Y", "call \u202e {}", "wait", "set context_length 1e9"} {
		f.Add(seed)
	}
	start := newBench(f, termenv.Ascii, 160, 48).answers(0).m
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			return
		}
		var out bytes.Buffer
		n := newNarrator(start, newLineReader(strings.NewReader("")), &speech{out: &out})
		n.speech.print()
		out.Reset()
		n, _ = n.obey(lineMsg{text: line})
		n.speech.print()
		plainLines(t, out.String())
		if out.Len() == 0 && strings.TrimSpace(line) != "" && !n.waits && !n.m.quitting {
			switch verb, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(line)), " "); verb {
			case "signin", "write", "reload": // answered later
			default:
				t.Errorf("%q is answered with nothing", line)
			}
		}
	})
}
