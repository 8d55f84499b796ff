//go:build unix

package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// tourDrawn is what each step of the tour shows on the demo servers, beside its
// title, once it has come.
func tourDrawn() []string {
	return []string{
		"TIER 0 eager", "TIER 1 full", "TIER 1 names", "TIER 1 mixed", "TIER 2 groups", "TIER 2 none",
		"“create an issue” finds", "“file a bug” means the same to a person", "“file a bug open” has mcp_github_create_issue as number 2", "No tool has a word of “REATE_ISS”",
		"waits for your answer", "The call goes on: approved by the person", "space ends it",
	}
}

// The tour runs from start to end on the demo's real servers, by key.
func TestTour(t *testing.T) {
	t.Parallel()
	w := openTerminal(t, "tour", "--theme", "none")
	steps := tourDrawn()
	since := 0
	press := func(key string) {
		since = len(w.text())
		w.screen.WriteString(key)
	}
	for i, drawn := range steps {
		w.waitSince(since, fmt.Sprintf("TOUR %d/%d ·", i+1, len(steps)))
		w.waitSince(since, drawn)
		if drawn == "waits for your answer" {
			press("y")
		}
		if i < len(steps)-1 {
			w.waitSince(since, "space goes on") // what it waits for has come
		}
		press(" ")
	}
	w.waitSince(since, "the tour is over")
	w.waitSince(since, "3/4 servers") // the giant is off again
	children := w.children()
	if len(children) != 3 {
		t.Errorf("%d servers run after the tour", len(children))
	}
	w.screen.WriteString("q")
	w.wait()
	for _, pid := range children {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("child %d is still there: %v", pid, err)
		}
	}
}

// On a timer the tour needs nobody: it answers its own question.
func TestTourUnattended(t *testing.T) {
	w := openTerminal(t, "tour", "--theme", "none", "--every", "50ms")
	w.waitFor("approved by the person, this once")
	w.waitFor("the tour is over")
	w.screen.WriteString("q")
	w.wait()
}

func TestTourUsage(t *testing.T) {
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"tour"}, "the tour needs a screen"},
		{[]string{"tour", "--every", "-3s"}, "--every -3s: a time such as 20s is needed"},
		{[]string{"tour", "--every", "soon"}, "--every"},
		{[]string{"tour", "github"}, "takes no argument"},
	} {
		code, _, errOut := toolscope(t, tc.args...)
		if code != exitUsage || !strings.Contains(errOut, tc.says) {
			t.Errorf("%v: exit %d, %q", tc.args, code, errOut)
		}
	}
}
