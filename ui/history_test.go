package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
)

func TestRemembered(t *testing.T) {
	for _, tc := range []struct{ name, history, line, want string }{
		{"the first", "", "a", "a"},
		{"one more", "a,b", "c", "a,b,c"},
		{"the last again", "a,b", "b", "a,b"},
		{"an earlier one moves to the end", "a,b,c", "a", "b,c,a"},
		{"blanks around", "a", "  b ; c ", "a,b ; c"},
		{"blank", "a", " \t", "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var given []string
			if tc.history != "" {
				given = strings.Split(tc.history, ",")
			}
			before := slices.Clone(given)
			if got := strings.Join(remembered(given, tc.line), ","); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if !slices.Equal(given, before) {
				t.Errorf("the history given is now %v", given)
			}
		})
	}
	var all []string
	for i := range maxHistory + 3 {
		all = remembered(all, fmt.Sprint(i))
	}
	if len(all) != maxHistory || all[0] != "3" || all[maxHistory-1] != fmt.Sprint(maxHistory+2) {
		t.Errorf("%d lines from %s to %s", len(all), all[0], all[len(all)-1])
	}
}

// TestWalkHistory types, walks up and down, and gets the typed text back.
func TestWalkHistory(t *testing.T) {
	snap := querySnapshot(t, "")
	snap.History = []string{"create issue", "send message", "list teams"}
	p := queryPaneWith(queryTheme(termenv.Ascii), snap, "", 106, 14)
	queryKeys(p, "/", "d", "r")
	for _, step := range []struct{ key, want string }{
		{"down", "dr"}, {"up", "list teams"}, {"up", "send message"}, {"up", "create issue"}, {"up", "create issue"},
		{"down", "send message"}, {"down", "list teams"}, {"down", "dr"}, {"down", "dr"},
	} {
		before := p.field.text()
		msg := queryKeys(p, step.key)
		if got := p.field.text(); got != step.want {
			t.Fatalf("%s from %q: %q, want %q", step.key, before, got, step.want)
		}
		if changed := before != step.want; changed != (msg == queryMsg{step.want}) || !changed && msg != nil {
			t.Errorf("%s from %q asks for %v", step.key, before, msg)
		}
	}
	queryKeys(p, "up", "up", "s")
	if got := p.field.text(); got != "send messages" {
		t.Fatalf("an earlier line edited is %q", got)
	}
	queryKeys(p, "up")
	if got := p.field.text(); got != "list teams" {
		t.Errorf("up from an edited line: %q: it is the one being typed now", got)
	}
	queryKeys(p, "down")
	if got := p.field.text(); got != "send messages" {
		t.Errorf("the edited line came back as %q", got)
	}
	queryKeys(p, "ctrl+u", "esc")
	p.field.set("list teams")
	queryKeys(p, "/", "up")
	if got := p.field.text(); got != "send message" {
		t.Errorf("up from the last line run: %q: it is shown already", got)
	}
}

// TestHistoryKept says what counts as run: what stands there when typing ends,
// however it ends, and what is put there whole.
func TestHistoryKept(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	holds := func(want ...string) {
		t.Helper()
		if !slices.Equal(b.m.history, want) {
			t.Fatalf("the history is %q, want %q", b.m.history, want)
		}
	}
	b.press("/", "b", "e", "r", "t", "h")
	holds()
	b.press("enter")
	holds("berth")
	b.press("/", "end", " ", "x", "esc")
	holds("berth", "berth x")
	b.press("/", "backspace", "backspace", "esc")
	holds("berth x", "berth")
	b.press("/", "end", " ", "y")
	b.send(tea.MouseMsg{X: 5, Y: 5, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	if b.m.focus != paneTier {
		t.Fatalf("a click gave the focus to pane %d", b.m.focus)
	}
	holds("berth x", "berth", "berth y")
	b.send(queryMsg{"gale"})
	holds("berth x", "berth", "berth y", "gale")
	b.press("/", "esc", "/", "ctrl+u", "esc")
	holds("berth x", "berth", "berth y", "gale")
}

func TestPickHistory(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0)
	b.press("ctrl+r").sees("no query was run yet")
	for _, line := range []string{"berth", "gale ; pilot", "crane"} {
		b.send(queryMsg{line})
	}
	b.press("1", "ctrl+r").sees("Earlier queries", "› crane", "  gale ; pilot", "  berth")
	b.press("g", "a", "l", "enter").lacks("Earlier queries").sees("> gale ; pilot", "2 queries", "mcp_weather_gale_warning")
	if b.m.focus != paneQuery || !slices.Equal(b.m.history, []string{"berth", "crane", "gale ; pilot"}) {
		t.Errorf("pane %d, history %q", b.m.focus, b.m.history)
	}
	// Picked while typing, a line is edited further.
	b.press("/", "ctrl+r", "b", "e", "r", "enter", "s").sees("> berths▌")
	b.press("esc")
	if last := b.m.history[len(b.m.history)-1]; last != "berths" {
		t.Errorf("the last line run is %q", last)
	}
	b.press("ctrl+r", "sea state", "enter").sees("> sea state", "mcp_weather_sea_state")
}

// TestHistoryFilled is one that a file brings, whatever is in it.
func TestHistoryFilled(t *testing.T) {
	b := newBench(t, termenv.TrueColor, 80, 24).answers(0)
	b.m.history = []string{"a\x1b[2J", strings.Repeat("long ", 5000), "\u202e", "list\nvessels"}
	b.m.publish()
	b.press("ctrl+r").view()
	b.press("esc", "/")
	for range 5 {
		b.press("up").view()
	}
	if n := len([]rune(b.m.query)); n > maxQueryChars {
		t.Errorf("a query line of %d characters", n)
	}
	for range 5 {
		b.press("down").view()
	}
}

func TestOneMoreQuery(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0)
	b.press("4", "/", "ctrl+o")
	if b.m.query != "" {
		t.Errorf("one more than none is %q", b.m.query)
	}
	b.press("b", "e", "r", "t", "h", "home", "ctrl+o", "g", "a", "l", "e").sees("> berth ; gale▌", "2 queries", "[gale")
	b.press("ctrl+o", "ctrl+o").sees("> berth ; gale ; ▌")
	b.press("esc")
	if want := []string{"berth ; gale ;"}; !slices.Equal(b.m.history, want) {
		t.Errorf("the history is %q, want %q", b.m.history, want)
	}
	p := queryPaneWith(queryTheme(termenv.Ascii), querySnapshot(t, ""), strings.Repeat("x", maxQueryChars-2), 106, 14)
	if msg := queryKeys(p, "/", "ctrl+o"); msg != nil || len(p.field.text()) != maxQueryChars-2 || !strings.Contains(p.View(), "cut at") {
		t.Errorf("with no room left it asks for %v", msg)
	}
}

// The foot of the screen says how to type more than one query.
func TestTypingFooter(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.m.status = ""
	b.press("/").sees("ctrl+o typing: one more query", "ctrl+r list of earlier queries")
	b.press("esc", "5", "e").lacks("ctrl+o")
}
