package mcpconn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// A receiver that comes late finds a short queue that tells all that matters.
func TestQueue(t *testing.T) {
	q := newQueue()
	defer q.close()
	// The pump holds the first event in its hands, so that what follows queues.
	q.push(ServerEvent{Server: "a", Kind: EventState, State: StateConnecting, Progress: "first"})
	for i := range 1000 {
		q.push(ServerEvent{Server: "a", Kind: EventState, State: StateConnecting, Progress: fmt.Sprint(i)})
	}
	for i := range maxPending + 30 {
		q.push(ServerEvent{Server: "a", Kind: EventLog, Line: fmt.Sprint("line ", i)})
	}
	q.push(ServerEvent{Server: "b", Kind: EventLog, Line: "b is not a"})
	for i := range 100 {
		q.push(ServerEvent{Server: "a", Kind: EventTools, State: StateReady, Tools: make([]engine.Tool, i)})
	}
	q.push(ServerEvent{Server: "a", Kind: EventState, State: StateFailed})

	var events []ServerEvent
	for ev := range q.out {
		events = append(events, ev)
		if ev.State == StateFailed {
			break
		}
	}
	var states, lists, logs int
	var text strings.Builder
	for _, ev := range events {
		switch ev.Kind {
		case EventState:
			states++
		case EventTools:
			lists++
		case EventLog:
			logs++
			fmt.Fprintln(&text, ev.Line)
		}
	}
	if states > 3 || lists != 1 || logs != maxPending+2 {
		t.Errorf("%d states, %d lists, %d logs", states, lists, logs)
	}
	want(t, text.String(), "line 0\n", "… 30 lines came too fast and were left out", "b is not a")
	if i := slices.IndexFunc(events, func(ev ServerEvent) bool { return ev.Kind == EventTools }); len(events[i].Tools) != 99 {
		t.Errorf("the list has %d tools", len(events[i].Tools))
	}

	// Once drained, lines get through again.
	q.push(ServerEvent{Server: "a", Kind: EventLog, Line: "later"})
	if ev := <-q.out; ev.Line != "later" {
		t.Errorf("%+v", ev)
	}
}

func TestQueueCloses(t *testing.T) {
	q := newQueue()
	for range 10 {
		q.push(ServerEvent{Server: "a", Kind: EventState, State: StateFailed})
	}
	q.close()
	q.close()
	q.push(ServerEvent{Server: "a"})
	for range q.out {
		t.Error("an event after the end")
	}
}

func TestPace(t *testing.T) {
	var p pace
	now := time.Unix(1000, 0)
	var gaps []time.Duration
	for range 10 {
		gap := p.next(now)
		gaps = append(gaps, gap)
		now = now.Add(gap + time.Millisecond)
	}
	if gaps[0] != 0 || gaps[1] != firstGap || gaps[2] != 2*firstGap || gaps[9] != lastGap {
		t.Errorf("%v", gaps)
	}
	if gap := p.next(now.Add(time.Minute)); gap != 0 {
		t.Errorf("%v after a quiet minute", gap)
	}
}

func TestPause(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan struct{})
	if !pause(ctx, 0, lost) || !pause(ctx, time.Millisecond, lost) {
		t.Error("it did not wait")
	}
	cancel()
	if pause(ctx, time.Hour, lost) {
		t.Error("it waited for an hour")
	}
	close(lost)
	if pause(t.Context(), time.Hour, lost) {
		t.Error("it waited for a lost server")
	}
}

func TestRoster(t *testing.T) {
	cfg := config.Config{Servers: []config.Server{{Name: "a", Enabled: true, Trust: "untrusted"}, {Name: "b"}}}
	start := NewRoster(cfg)
	at := time.Unix(5, 0)
	ready := start.
		Apply(ServerEvent{Server: "a", Kind: EventState, State: StateConnecting, Progress: "initialize", At: time.Unix(1, 0)}).
		Apply(ServerEvent{Server: "nobody", Kind: EventState, State: StateReady}).
		Apply(ServerEvent{Server: "a", Kind: EventTools, State: StateReady, At: at, Tools: []engine.Tool{{Name: "x"}}, Filtered: []string{"y"},
			Warnings: []engine.Warning{{Message: "odd"}}}).
		Apply(ServerEvent{Server: "a", Kind: EventLog, State: StateReady, Line: "hello", At: time.Unix(6, 0)})
	s := ready.Servers()[0]
	if s.State != StateReady || s.Progress != "" || len(s.Tools) != 1 || len(s.Log) != 1 || !s.Since.Equal(at) || len(s.Filtered) != 1 {
		t.Errorf("%+v", s)
	}
	if c := ready.Catalog(); len(c.Servers) != 1 || c.Servers[0].Trust != "untrusted" || len(ready.Warnings()) != 1 {
		t.Errorf("%+v", c)
	}
	if !ready.Settled() || start.Settled() || len(ready.Failed()) != 0 {
		t.Error("b is off and counts for nothing; a was connecting")
	}
	// The earlier rosters are as they were.
	if start.Servers()[0].State != StateOff || len(start.Catalog().Servers) != 0 {
		t.Error("the first roster changed")
	}
	logs := ready
	for i := range 2 * maxLogLines {
		logs = logs.Apply(ServerEvent{Server: "a", Kind: EventLog, Line: fmt.Sprint(i)})
	}
	if l := logs.Servers()[0].Log; len(l) != maxLogLines || l[maxLogLines-1].Line != fmt.Sprint(2*maxLogLines-1) || len(ready.Servers()[0].Log) != 1 {
		t.Errorf("%d lines", len(l))
	}
	failed := ready.Apply(ServerEvent{Server: "a", Kind: EventState, State: StateFailed, Reason: "why"})
	if len(failed.Failed()) != 1 || failed.Failed()[0].Reason != "why" || len(failed.Catalog().Servers) != 0 || len(failed.Warnings()) != 0 {
		t.Errorf("%+v", failed.Servers()[0])
	}
}

func TestClean(t *testing.T) {
	secret := strings.Repeat("s3cret", 20)
	redact := config.NewRedactor(nil, secret)
	// A line cut in the middle of a secret, after others that shrink as they are masked.
	raw := strings.Repeat(secret+" ", 100)[:maxLine+redact.Longest()]
	if got := clean(redact, raw); strings.Contains(got, "s3") || len(got) > maxLine+len("…") || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: …%s", len(got), got[max(0, len(got)-40):])
	}
	if got := clean(config.Redactor{}, strings.Repeat("ä", maxLine)); len(got) > maxLine+len("…") || strings.ContainsRune(got, '�') {
		t.Errorf("%d bytes", len(got))
	}
	if got := clean(redact, "short"); got != "short" {
		t.Error(got)
	}
}

func TestExcerpt(t *testing.T) {
	for _, test := range []struct{ in, out string }{
		{" a\n\tb ", "a b"},
		{strings.Repeat("é", maxExcerpt+1), strings.Repeat("é", maxExcerpt) + "…"},
		{strings.Repeat("é", maxExcerpt), strings.Repeat("é", maxExcerpt)},
	} {
		if got := excerpt(test.in); got != test.out {
			t.Errorf("%q", got)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, s := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != s {
			t.Errorf("%s, want %s", got, s)
		}
	}
}

func TestReplay(t *testing.T) {
	catalog := engine.Catalog{
		Servers: []engine.Server{{Name: "a", Tools: []engine.Tool{{Name: "x"}}, Trust: "untrusted"}, {Name: "b"}},
		Core:    []engine.Tool{{Name: "read_file"}},
	}
	r := NewReplay(catalog, Options{})
	defer r.Close()
	roster := NewRoster(r.Config(config.Config{Servers: []config.Server{{Name: "replaced"}}}))
	r.Start()
	for !roster.Settled() {
		roster = roster.Apply(<-r.Events())
	}
	if c := roster.Catalog(); len(c.Servers) != 2 || c.Servers[0].Trust != "untrusted" || len(c.Core) != 1 {
		t.Errorf("%+v", c)
	}
	if r.Disable("a") != nil || r.Disable("nobody") == nil || r.Enable("nobody") == nil {
		t.Error("only the snapshot's servers can be switched")
	}
	if roster = roster.Apply(<-r.Events()); len(roster.Catalog().Servers) != 1 {
		t.Errorf("%+v", roster.Catalog())
	}
	if err := r.Retry("a"); err != nil {
		t.Error(err)
	}
	if roster = roster.Apply(<-r.Events()); len(roster.Catalog().Servers) != 2 {
		t.Errorf("%+v", roster.Catalog())
	}
}

// A panic in a goroutine of a connection loses the connection, nothing more.
func TestPanicLosesTheConnection(t *testing.T) {
	c := newConnection(config.Redactor{}, teller{func(string) {}, func(string) {}})
	c.spawn("reading", func() { panic("boom") })
	<-c.lost
	c.work.Wait()
	want(t, c.explain("initialize", errLost), "initialize: the server ", "reading failed in toolscope itself: boom")
}
