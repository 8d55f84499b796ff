package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

// Calls are kept, shown under their real tools, and compared.
func TestActivity(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("z")
	b.press("5", "h").sees("No call was made yet")
	b.press("4", "/", "gale", "esc", "c", "enter").sees("✓ done")
	b.press("4", "/").send(tea.KeyMsg{Type: tea.KeyCtrlU}).press("pilot", "esc", "c", "enter", "n").sees("✗ blocked at approval")
	b.press("e").send(tea.KeyMsg{Type: tea.KeyCtrlU}).press(`{"name":"nope"}`, "enter", "enter").sees("blocked at scope")
	b.press("h").sees("activity feed", "what a naive feed would show",
		"mcp_weather_gale_warning", "mcp_harbour_pilot_order", "ok · SIMULATED", "blocked at approval", "blocked at scope", `tool_call {"name":"mcp_weather_gale_warning…`)
	golden.RequireEqual(t, b.view())
	b.press("j", "m").sees("Two calls", "call 2", "call 3", "≠ ", `+ `, "denied by the person").press("esc")
	b.press("j", "enter").sees("→ mcp_weather_gale_warning", "✓ done")
	if id := b.m.viewed; id != 1 {
		t.Errorf("call %d is in view", id)
	}
	b.press("m").sees("there is no call before this one")
	b.press("a").sees("0 of 10 stages")
	if id := b.m.viewed; id != 4 {
		t.Errorf("after a, call %d is in view", id)
	}
	b.press("enter", "m").sees("call 1", "call 4", "the same in both")
}

// The list of calls is bounded; one that is under way stays.
func TestCallsKept(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("/", "pilot", "esc", "c", "enter").sees("approval asked")
	for range maxKept + 20 {
		b.send(callMsg{"mcp_weather_gale_warning"}, flowRunMsg{})
	}
	if n := len(b.m.calls); n != maxKept {
		t.Errorf("%d calls are kept", n)
	}
	if c := b.m.calls[0]; c.ID != 1 || !c.waits() {
		t.Errorf("the first that is kept is %d", c.ID)
	}
}

// So are the bytes that they hold.
func TestCallsKeptByBytes(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	large := json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 20<<20) + `"}]}`)
	for range 6 {
		b.send(callMsg{"mcp_weather_gale_warning"}, flowRunMsg{})
		b.m.calls[len(b.m.calls)-1].Flow.Result = large
	}
	if n := len(b.m.calls); n != 4 { // three of 20 MB, and the one that came last
		t.Errorf("%d calls of 20 MB are kept", n)
	}
}

func TestApprovalForTheSession(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("z", "/", "pilot", "esc", "c", "enter")
	b.sees("this session", `a no tells the model: {"error":"denied by the person"}`)
	b.press("Y").sees("✓ done")
	b.press("4", "c", "enter").sees("✓ done")
	if s := b.m.inView().Flow.Stages[6]; s.Outcome != engine.OutcomePassed || s.Reason != approvedForSession {
		t.Errorf("approval ended %s: %s", s.Outcome, s.Reason)
	}
	// Another tool of the same server is asked about anew.
	b.press("4", "/").send(tea.KeyMsg{Type: tea.KeyCtrlU}).press("crane", "esc", "c", "enter").sees("approve mcp_harbour_crane_reserve?")
}

// Whoever does not answer in time has said no.
func TestApprovalTimeOut(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	var due []func(time.Time) tea.Msg
	b.m.tick = func(_ time.Duration, then func(time.Time) tea.Msg) tea.Cmd { due = append(due, then); return nil }
	b.m.patience = 30 * time.Second
	b.press("/", "pilot", "esc", "c")
	due = nil
	b.send(keyMsg("enter")).sees("30 s left")
	for i := range 30 {
		b.now = b.now.Add(time.Second)
		if len(due) != 1 {
			t.Fatalf("%d ticks after %d s", len(due), i)
		}
		tick := due[0]
		due = nil
		b.send(tick(b.now))
		if i == 9 {
			b.sees("20 s left")
		}
	}
	b.sees("✗ blocked at approval", "nobody answered within 30s")
	if len(due) != 0 {
		t.Error("it goes on ticking")
	}
	b.send(approvalTickMsg{b.m.viewed}).sees("✗ blocked at approval")
}

func TestBatchRun(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.press("z", "/", "gale ; pilot", "esc", ",", "b", "b", ".", "b", ",", "b", "5", "p").sees("4 calls in 3 waves", "r: run")
	b.do("r").sees("✓", "● waits for your answer", "approve mcp_harbour_pilot_order?", "○ to come")
	golden.RequireEqual(t, b.view())
	b.press("d").sees("the batch runs").press("r").sees("under way")
	b.do("y").sees("simulated: no server was called")
	if b.m.batch.running() {
		t.Fatal("the batch is not over")
	}
	for i, l := range b.m.batch.Lanes {
		if l.Status != engine.StatusOK || l.Begun.IsZero() || l.Ended.IsZero() {
			t.Errorf("lane %d: %+v", i, l)
		}
	}
	b.press("j", "enter").sees("→ mcp_weather_gale_warning", "✓ done")
	b.press("p").do("r").sees("waits for your answer").do("n").sees("✗", "denied by the person")
	b.press("d").sees("3 calls in").press("D").sees("No calls are queued")
}

// C stops a batch: what waits is blocked, what was to come never begins.
func TestBatchStop(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.press("z", "/", "gale ; pilot", "esc", ",", "b", ".", "b", ",", "b", "5", "p").do("r").sees("● waits for your answer", "C: stop the batch")
	b.do("C").sees("the person stopped the batch", "– never begun: the batch was stopped", "✓")
	if b.m.batch.running() || b.m.questioned().waits() {
		t.Error("the batch goes on")
	}
	b.press("C").sees("no batch is under way")
	// A live call under way is cancelled; its lane grows until then.
	b.press("D", "l", "4", "/").send(tea.KeyMsg{Type: tea.KeyCtrlU}).press("sea state", "esc", "b", "5", "r", "y")
	b.now = b.now.Add(10 * time.Second)
	b.send(batchTickMsg{}).sees("▒▒▒▒▒▒▒▒▒▒", "… under way")
	b.send(batchStopMsg{}, dispatchedMsg{call: b.m.lastCall, err: errors.New("server weather: the call was cancelled")}).sees("✗", "cancelled")
}

// Calls that no server is asked for are answered here.
func TestBatchOfBridges(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.send(queueMsg{engine.ModelCall{Name: engine.BridgeSearch, Arguments: json.RawMessage(`{"query":"gale"}`)}},
		queueMsg{engine.ModelCall{Name: engine.BridgeDescribe, Arguments: json.RawMessage(`{"name":"mcp_weather_gale_warning"}`)}},
		queueMsg{engine.ModelCall{Name: "read_file", Arguments: json.RawMessage(`{}`)}},
		queueMsg{engine.ModelCall{Name: engine.BridgeCall, Arguments: json.RawMessage(`[1]`)}})
	b.press("5", "z", "p").do("r").sees("answered here", "a tool of the agent's own", "blocked at parse")
	b.press("enter").sees("only a tool_call runs through the stages")
}

// A hundred calls are queued, run side by side where they may, and none is lost.
func TestBatchOfAHundred(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("5", "l")
	for i := range maxQueued + 5 {
		b.send(queueMsg{engine.ModelCall{Name: engine.BridgeCall, Arguments: json.RawMessage(fmt.Sprintf(`{"name":"mcp_weather_gale_warning","arguments":{"id":"%d"}}`, i))}})
	}
	if len(b.m.queued) != maxQueued || !strings.Contains(b.view(), "the queue holds 100 calls and takes no more") {
		t.Fatalf("%d calls are queued", len(b.m.queued))
	}
	b.press("p").do("r")
	for b.m.questioned().waits() {
		b.do("Y")
	}
	if b.m.batch.running() || len(b.asked) != maxQueued {
		t.Errorf("%d calls were made, running %v", len(b.asked), b.m.batch.running())
	}
}

// What the servers' clocks say is told as it is.
func TestOverlaps(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(1000 + ms)) }
	plan := []engine.Wave{{Calls: []engine.PlannedCall{{Call: 0}, {Call: 1}}}, {Calls: []engine.PlannedCall{{Call: 2}}}}
	for _, tc := range []struct {
		times [3][2]int
		want  string
		ok    bool
	}{
		{[3][2]int{{1, 30}, {2, 31}, {40, 50}}, "2 calls of wave 1 overlapped for 28.0 ms; no wave began before the one before it had ended", true},
		{[3][2]int{{1, 30}, {30, 60}, {70, 80}}, "2 calls of wave 1 did not all overlap", false},
		{[3][2]int{{1, 30}, {2, 31}, {20, 50}}, "2 calls of wave 1 overlapped for 28.0 ms; call 3 began before wave 1 had ended", false},
	} {
		b := Batch{Plan: plan, Wave: 2, Lanes: make([]Lane, 3)}
		for i, t := range tc.times {
			b.Lanes[i] = Lane{ServerBegan: at(t[0]), ServerEnded: at(t[1])}
		}
		if tc.want == "" {
			b.Lanes = make([]Lane, 3)
		}
		if said, ok := overlaps(b); ok != tc.ok || !strings.Contains(said, tc.want) && said != tc.want {
			t.Errorf("%v: %q, %v", tc.times, said, ok)
		}
	}
	if said, _ := overlaps(Batch{Plan: plan, Wave: 2, Lanes: make([]Lane, 3)}); said != "" {
		t.Errorf("servers that do not say: %q", said)
	}
}

func TestResults(t *testing.T) {
	th := queryTheme(termenv.Ascii)
	for _, tc := range []struct{ name, raw, want string }{
		{"text", `{"content":[{"type":"text","text":"one\ntwo"}]}`, "one\ntwo"},
		{"empty", `{"content":[]}`, "no content"},
		{"error", `{"content":[{"type":"text","text":"no such file"}],"isError":true}`, "✗ isError: the tool says it failed\nno such file"},
		{"image", `{"content":[{"type":"image","mimeType":"image/png","data":"AAEC"}]}`, "image image/png, 3 bytes"},
		{"broken image", `{"content":[{"type":"image","mimeType":"image/png","data":"%%%%"}]}`, "image image/png, 4 characters of no valid base64"},
		{"resource", `{"content":[{"type":"resource","resource":{"uri":"a://b","mimeType":"text/plain","text":"hi"}}]}`, "resource a://b text/plain\nhi"},
		{"link", `{"content":[{"type":"resource_link","uri":"a://b","name":"B"}]}`, "resource link B a://b"},
		{"structured", `{"content":[],"structuredContent":{"n":1},"_meta":{}}`, "no content\nstructuredContent\n {\n   \"n\": 1\n }\nbeside it: _meta"},
		{"unknown", `{"content":[{"type":"smell"}]}`, `content of type "smell", which the protocol does not know`},
		{"hostile", "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u001b[2Jb\\u202e\"}]}", "a␛[2Jb‹202E›"},
	} {
		rows, ok := resultLines(th, json.RawMessage(tc.raw), 100)
		if got := strings.Join(rows, "\n"); !ok || got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	for _, raw := range []string{"", "null", "[]", `{"a":1}`, `{"content":1}`, "\x1b"} {
		if _, ok := resultLines(th, json.RawMessage(raw), 100); ok {
			t.Errorf("%q is taken for an answer", raw)
		}
	}
}

// An answer that comes after its call was cancelled changes nothing.
func TestLateAnswer(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("5", "l", "4", "/", "gale", "esc", "c", "enter")
	b.do("y").sees("✓ done", "calm")
	before := b.view()
	b.send(dispatchedMsg{call: b.m.viewed, err: errors.New("late")}, dispatchedMsg{call: 99, err: errors.New("unknown")}, hookedMsg{call: b.m.viewed})
	if b.view() != before {
		t.Error("a late answer changed the screen")
	}
}
