package ui

import (
	"testing"

	"github.com/muesli/termenv"
)

// The first letter typed takes the place of the query that stands there; any
// other key keeps it to be edited.
func TestTypingAnew(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).press("/", "gale", "enter")
	for _, tc := range []struct {
		keys []string
		want string
	}{
		{[]string{"/", "p", "ilot", "esc"}, "pilot"},
		{[]string{"/", "end", "s", "esc"}, "pilots"},
		{[]string{"/", "backspace", "x", "esc"}, "pilotx"},
		{[]string{"/", "esc", "/", "esc"}, "pilotx"},
		{[]string{"/", "ctrl+o", "gale", "esc"}, "pilotx ; gale"},
		{[]string{"/", " ", "esc"}, " "},
	} {
		if b.press(tc.keys...); b.m.query != tc.want {
			t.Errorf("%q gave %q, want %q", tc.keys, b.m.query, tc.want)
		}
	}
}
