package ui

import (
	"context"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// Messages about a sign-in.
type (
	signInMsg   struct{ server string } // begin one
	signInOnMsg struct {                // it has begun: the address to open
		server string
		signIn *mcpconn.SignIn
		err    error
	}
	signedInMsg struct { // it has ended
		server string
		err    error
	}
)

// signInView is a sign-in under way.
type signInView struct {
	theme  theme
	keys   keyMap
	server string
	signIn *mcpconn.SignIn
	cancel context.CancelFunc
	paste  textinput.Model // the address the browser was sent to, where it runs elsewhere
	said   string
}

// beginSignIn finds out where the person has to sign in.
func (m model) beginSignIn(server string) (tea.Model, tea.Cmd) {
	conns := m.conns
	next, said := m.say("finding out where to sign in for " + server)
	return next, tea.Batch(said, func() tea.Msg {
		signIn, err := conns.SignIn(context.Background(), server)
		return signInOnMsg{server, signIn, err}
	})
}

// signInOn shows the address and waits for the answer.
func (m model) signInOn(msg signInOnMsg) (tea.Model, tea.Cmd) {
	if msg.err != nil {
		return m.say(msg.err.Error())
	}
	ctx, cancel := context.WithCancel(context.Background())
	in := textinput.New()
	in.Prompt = " > "
	m.lay(&signInView{theme: m.theme, keys: m.keys, server: msg.server, signIn: msg.signIn, cancel: cancel, paste: in})
	return m, func() tea.Msg {
		err := msg.signIn.Wait(ctx)
		msg.signIn.Close()
		return signedInMsg{msg.server, err}
	}
}

// signedIn tells how it ended.
func (m model) signedIn(msg signedInMsg) (tea.Model, tea.Cmd) {
	if _, open := m.sheet.(*signInView); open {
		m.lay(m.servers)
	}
	if msg.err != nil {
		return m.say(strings.Replace(msg.err.Error(), context.Canceled.Error(), "the sign-in was left", 1))
	}
	return m.say("signed in at " + msg.server)
}

// SetSnapshot changes nothing: a sign-in shows what it needs.
func (v *signInView) SetSnapshot(Snapshot) {}

// Typing reports whether the address is being pasted.
func (v *signInView) Typing() bool { return v.paste.Focused() }

// HandleWheel does nothing: all of it shows.
func (v *signInView) HandleWheel(int) {}

// HandleClick does nothing.
func (v *signInView) HandleClick(_, _ int) (tea.Msg, bool) { return nil, false }

// HandleKey takes a key while a sign-in is under way. The sheet goes when the
// sign-in has ended, also where the person leaves it.
func (v *signInView) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	if v.paste.Focused() {
		switch msg.Type {
		case tea.KeyEsc:
			v.paste.Blur()
		case tea.KeyEnter:
			if err := v.signIn.Paste(v.paste.Value()); err != nil {
				v.said = err.Error()
			} else {
				v.said = "taken; waiting for the tokens"
			}
			v.paste.Reset()
			v.paste.Blur()
		default:
			v.paste, _ = v.paste.Update(msg)
		}
		return nil, false
	}
	switch {
	case key.Matches(msg, v.keys.Copy):
		return copyMsg{what: "the address", text: v.signIn.URL}, false
	case msg.String() == "p":
		v.said = ""
		v.paste.Focus()
	case key.Matches(msg, v.keys.Back, v.keys.Quit):
		v.cancel()
	}
	return nil, false
}

// View tells the person what to do.
func (v *signInView) View(width, height int) string {
	t := v.theme
	inner := min(width, 110) - 2
	var content []string
	put := func(line string) { content = append(content, fit(" "+line, inner)) }
	put("")
	put("Open this address in a browser and agree there (" + t.key.Render("y") + " copies it):")
	put("")
	for _, l := range strings.Split(ansi.Hardwrap(display.Text(v.signIn.URL), inner-4, true), "\n") {
		put("  " + t.accent.Render(l))
	}
	put("")
	put("The answer is waited for at " + display.Text(v.signIn.Redirect) + ". Where the browser runs on another machine it")
	put("will not get there: " + t.key.Render("p") + " pastes the address it was sent to.")
	if v.paste.Focused() {
		in := v.paste
		in.Width = inner - 6
		put(in.View())
	}
	put(t.warn.Render(display.Clip(v.said, inner-2)))
	put(t.key.Render("esc") + " leaves")
	h := min(height, len(content)+2)
	return frame(t, 0, "Sign in at "+display.Clip(v.server, 40), t.muted.Render("the tokens are kept for you alone"), "", lines(content, 0, inner, h-2), inner+2, h, true)
}
