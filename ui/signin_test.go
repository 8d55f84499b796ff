package ui

import (
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"toolscope/mcpconn"
)

func TestSignInView(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0).press("s")
	long := "https://issuer.example/authorize?client_id=c&state=" + strings.Repeat("s", 150) + "\x1b[31m"
	b.send(signInOnMsg{server: "weather", signIn: &mcpconn.SignIn{URL: long, Redirect: "http://127.0.0.1:5000/callback"}})
	b.sees("Sign in at weather", "https://issuer.example/authorize?client_id=c", "http://127.0.0.1:5000/callback").press("y")
	if len(b.copied) != 1 || b.copied[0] != long {
		t.Errorf("copied %q", b.copied)
	}
	b.press("p").send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("not an address q"), Paste: true}).sees("not an address q").press("enter")
	b.sees("this is not the address the browser was sent to")
	b.press("esc").send(signedInMsg{"weather", errors.New("context canceled")}).sees("the sign-in was left", "Servers")
	b.send(signInOnMsg{server: "weather", err: errors.New("the sign-in cannot begin")}).sees("the sign-in cannot begin")
	b.send(signedInMsg{"weather", nil}).sees("signed in at weather")
}
