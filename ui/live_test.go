package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/mcpconn"
)

func TestLiveCall(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("5", "l").sees("LIVE")
	run := func(key string) []string {
		t.Helper()
		next, cmd := b.m.Update(keyMsg(key))
		b.m = next.(model)
		b.view()
		b.send(runCmd(cmd)...)
		return b.asked
	}
	b.press("4", "/", "gale", "esc", "c")
	run("enter")
	b.sees("approval asked", "the call is live, and the tool does not say that it only reads")
	if len(b.asked) > 0 {
		t.Fatalf("it called before approval: %v", b.asked)
	}
	run("y")
	b.sees("✓ done · LIVE", "calm", "live: the server answered")
	if len(b.asked) != 1 || b.asked[0] != `call weather gale_warning {"id":""}` {
		t.Errorf("asked %q", b.asked)
	}

	// A call that is not answered is cancelled with a key.
	b.press("4", "/", "backspace", "backspace", "backspace", "backspace", "sea state", "esc", "c").press("enter")
	next, cmd := b.m.Update(keyMsg("y"))
	b.m = next.(model)
	b.sees("waiting for the answer · C cancels")
	done := make(chan struct{})
	var answers []string
	go func() {
		defer close(done)
		for _, msg := range runCmd(cmd) {
			if d, ok := msg.(dispatchedMsg); ok && d.err != nil {
				answers = append(answers, d.err.Error())
				b.send(d)
			}
		}
	}()
	b.m.inView().cancel()
	<-done
	b.sees("the call failed", "failed: context canceled")
	if len(answers) != 1 || !strings.Contains(answers[0], "canceled") {
		t.Errorf("%q", answers)
	}
	b.press("l").sees("reaches no server")
}

// How far a call has come is shown while it is under way; only the newest is
// fetched, and none after the answer.
func TestProgress(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("5", "z", "l", "4", "/", "sea state", "esc", "c", "enter", "y")
	b.sees("dispatch … under way", "waiting; C cancels")
	told := make(mailbox, 1)
	for i := range 100 {
		told.put(mcpconn.Progress{Done: float64(i), Total: 200, Message: "hauling \x1b[2J"})
	}
	b.send(told.next(b.m.viewed)())
	b.sees("waiting for the answer 99/200", "██████████░░░░░░░░░░ 99/200 hauling ␛[2J")
	golden.RequireEqual(t, b.view())
	close(told)
	if msg := told.next(b.m.viewed)(); msg != nil {
		t.Errorf("after the answer came %v", msg)
	}
	b.send(dispatchedMsg{call: b.m.viewed, result: []byte(`{"content":[]}`)}, progressMsg{b.m.viewed, mcpconn.Progress{Done: 1}, told})
	b.sees("✓ done", "no content")
}

// In lines a quarter of the way is told, not every step.
func TestProgressTold(t *testing.T) {
	p := func(done, total float64, message string) mcpconn.Progress {
		return mcpconn.Progress{Done: done, Total: total, Message: message}
	}
	for _, tc := range []struct {
		old, now mcpconn.Progress
		want     bool
	}{
		{p(0, 0, ""), p(1, 100, ""), true}, {p(1, 100, ""), p(24, 100, ""), false}, {p(24, 100, ""), p(25, 100, ""), true},
		{p(1, 0, "a"), p(2, 0, "a"), false}, {p(2, 0, "a"), p(3, 0, "b"), true},
	} {
		if got := progressTold(tc.old, tc.now); got != tc.want {
			t.Errorf("%v to %v: %v", tc.old, tc.now, got)
		}
	}
}
