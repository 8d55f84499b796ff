package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// listener is an output that is waited for.
type listener struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newListener() *listener { return &listener{more: make(chan struct{}, 1)} }

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (l *listener) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// waitFor waits until a text stands there, from a place on, and returns the
// place behind it.
func (l *listener) waitFor(t *testing.T, from int, text string) int {
	t.Helper()
	deadline := time.After(60 * time.Second)
	for {
		all := l.String()
		if i := strings.Index(all[from:], text); i >= 0 {
			return from + i + len(text)
		}
		select {
		case <-l.more:
		case <-deadline:
			t.Fatalf("it does not say %q:\n%s", text, all)
		}
	}
}

// The line mode on the real demo servers, by way of pipes.
func TestAccessible(t *testing.T) {
	in, commands, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer commands.Close()
	out := newListener()
	var errOut bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(t.Context(), []string{"--accessible"}, in, out, &errOut) }()
	at := 0
	for _, server := range []string{"linear", "github", "slack"} {
		out.waitFor(t, 0, "Server "+server+" is connected with ")
	}
	for _, step := range []struct{ command, says string }{
		{"tier", "Settings: enabled auto, threshold_pct 5"},
		{"query create issue", "1. mcp_github_create_issue, score "},
		{"set listing_max_tokens 200", "listing_max_tokens is 200 now, it was 4000.\nTier 1, mixed: "},
		{`call mcp_slack_post_message {"channel":"C1","text":"hi"}`, "Call 1, simulated: "},
		{"run", "Approval is asked for mcp_slack_post_message of server slack."},
		{"n", "Call 1 is blocked at approval."},
		{"live", "LIVE"},
		{`call mcp_github_list_issues {"owner":"o","repo":"r"}`, "Call 2, live: "},
		{"run", "dispatch passed: live: the server answered."},
		{"off linear", "Server linear is off.\n"},
		{"on linear", "Server linear is connected with "},
	} {
		if _, err := io.WriteString(commands, step.command+"\n"); err != nil {
			t.Fatal(err)
		}
		at = out.waitFor(t, at, step.says)
	}
	if _, err := io.WriteString(commands, "quit\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != 0 || errOut.Len() > 0 {
		t.Errorf("exit %d, %s", got, errOut.String())
	}
	if said := out.String(); strings.ContainsAny(said, "\x1b\r│┌●") {
		t.Errorf("it draws: %q", said)
	}
}

// Commands come from a file as well: each waits where it is told to, and the
// end of the file is the end.
func TestAccessibleFromAFile(t *testing.T) {
	script, err := os.Open(write(t, "script", "wait\nset listing off\nquery pin a note"))
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	snapshot := write(t, "s.json", `{"servers":[{"name":"pins","tools":[{"name":"pin","description":"Pin a \u001b[2J note"}]}]}`)
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"--accessible", "--snapshot", snapshot}, script, &out, &errOut); code != 0 {
		t.Fatalf("exit %d, %s", code, errOut.String())
	}
	for _, want := range []string{"Server pins is connected with 1 tool.", "listing is off now, it was auto.", "1. mcp_pins_pin, score "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	errOut.Reset()
	if code := run(t.Context(), []string{"--accessible", "--snapshot", "-"}, strings.NewReader(""), &out, &errOut); code != exitUsage || !strings.Contains(errOut.String(), "--accessible reads commands from standard input") {
		t.Errorf("exit %d, %s", code, errOut.String())
	}
}

// deaf is an output that takes nothing.
type deaf struct{}

func (deaf) Write([]byte) (int, error) { return 0, errors.New("nobody listens") }

// It ends where nobody listens, and where it is told to from outside.
func TestAccessibleEnds(t *testing.T) {
	in, commands := io.Pipe()
	defer commands.Close()
	var errOut bytes.Buffer
	if code := run(t.Context(), []string{"--accessible"}, in, deaf{}, &errOut); code != exitNo || !strings.Contains(errOut.String(), "the output: nobody listens") {
		t.Errorf("exit %d, %s", code, errOut.String())
	}

	ctx, cancel := context.WithCancel(t.Context())
	pipe, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer other.Close()
	out := newListener()
	code := make(chan int, 1)
	errOut.Reset()
	go func() { code <- run(ctx, []string{"--accessible"}, pipe, out, &errOut) }()
	out.waitFor(t, 0, "Server slack is connected")
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("exit %d, %s", got, errOut.String())
	}
}
