package ui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn/config"
	"toolscope/ui/display"
)

// Messages about writing tuned settings into the configuration.
type (
	writeMsg  struct{} // show what would be written
	editedMsg struct { // it is worked out
		edit config.Edit
		diff string // of the changed lines alone, secrets masked
		err  error
	}
	writtenMsg struct { // it was written
		path string
		err  error
	}
)

// writeback is the change of the configuration that the person is asked about.
type writeback struct {
	theme theme
	keys  keyMap
	edit  config.Edit
	diff  string
	top   int // first line shown of the difference
}

// commitMsg is the person's answer: write it, or do not.
type commitMsg struct {
	edit config.Edit
	yes  bool
}

// settings are all settings, as they are written into a configuration.
func settings(c engine.Config) []config.Setting {
	search := func(key, text string) config.Setting {
		return config.Setting{Keys: []string{"tools", "tool_search", key}, Text: text}
	}
	own := func(key, text string) config.Setting {
		return config.Setting{Keys: []string{"toolscope", key}, Text: text}
	}
	return []config.Setting{
		search(engine.KeyEnabled, string(c.Enabled)),
		search(engine.KeyThresholdPct, strconv.FormatFloat(c.ThresholdPct, 'f', -1, 64)),
		search(engine.KeySearchDefaultLimit, strconv.Itoa(c.SearchDefaultLimit)),
		search(engine.KeyMaxSearchLimit, strconv.Itoa(c.MaxSearchLimit)),
		search(engine.KeyListing, string(c.Listing)),
		search(engine.KeyListingMaxTokens, strconv.Itoa(c.ListingMaxTokens)),
		own(keyToolNames, string(cmp.Or(c.ToolNames, engine.NamesSingle))),
		own(keyContextLength, strconv.Itoa(c.ContextLength)),
	}
}

// tunedSettings are the settings that differ from the configuration, as they
// are written there.
func tunedSettings(original, tuned engine.Config) []config.Setting {
	var all []config.Setting
	was := settings(original)
	for i, s := range settings(tuned) {
		if s.Text != was[i].Text {
			all = append(all, s)
		}
	}
	return all
}

// prepareWrite works out what would be written. Where there is no file to write
// into, the settings are copied as YAML.
func (m model) prepareWrite() (tea.Model, tea.Cmd) {
	settings := tunedSettings(m.original, m.cfg)
	if len(settings) == 0 {
		return m.say("nothing to write: the settings are as configured")
	}
	if m.file == "" {
		text, err := config.Splice("settings", nil, settings)
		if err == nil {
			err = m.copy(string(text))
		}
		if err != nil {
			return m.say("copying the settings: " + err.Error())
		}
		return m.say(m.source + " cannot be written into: the tuned settings are copied as YAML")
	}
	path := m.file
	var servers []config.Server
	for _, s := range m.roster.Servers() {
		servers = append(servers, s.Config)
	}
	return m, func() tea.Msg {
		edit, err := config.Prepare(path, settings)
		if err != nil {
			return editedMsg{err: err}
		}
		before, after := string(edit.Before), string(edit.After)
		diff, err := udiff.ToUnified(path, path, before, udiff.Lines(before, after), 0)
		// Lines of a configuration may hold secrets.
		return editedMsg{edit, config.NewRedactor(servers).Redact(diff), err}
	}
}

// edited shows what would be written.
func (m model) edited(msg editedMsg) (tea.Model, tea.Cmd) {
	if msg.err != nil {
		return m.say("not written: " + msg.err.Error())
	}
	m.lay(&writeback{theme: m.theme, keys: m.keys, edit: msg.edit, diff: msg.diff})
	return m, nil
}

// SetSnapshot changes nothing: the question stays the one that was asked.
func (w *writeback) SetSnapshot(Snapshot) {}

// Typing is never so.
func (w *writeback) Typing() bool { return false }

// HandleWheel scrolls the difference.
func (w *writeback) HandleWheel(n int) { w.top += n }

// HandleClick answers nothing.
func (w *writeback) HandleClick(_, _ int) (tea.Msg, bool) { return nil, false }

// HandleKey answers whether to write.
func (w *writeback) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	switch {
	case key.Matches(msg, w.keys.Approve):
		return commitMsg{w.edit, true}, true
	case key.Matches(msg, w.keys.Deny, w.keys.Back, w.keys.Quit):
		return commitMsg{w.edit, false}, true
	case key.Matches(msg, w.keys.Move):
		w.top += direction(msg)
	}
	return nil, false
}

// commit writes, where the person agreed.
func (m model) commit(msg commitMsg) (tea.Model, tea.Cmd) {
	if !msg.yes {
		return m.say("not written")
	}
	return m, func() tea.Msg { return writtenMsg{msg.edit.Path, msg.edit.Commit()} }
}

// written takes the settings for the configuration's own.
func (m model) written(msg writtenMsg) (tea.Model, tea.Cmd) {
	if msg.err != nil {
		return m.say("not written: " + msg.err.Error())
	}
	m.original, m.wrote = m.cfg, true
	m.snap.Original = m.cfg
	m.publish()
	return m.say("written into " + msg.path)
}

// View is the change for the person to agree to.
func (w *writeback) View(width, height int) string {
	t := w.theme
	inner := min(width, 110) - 2
	head := []string{"", fit(" Write the tuned settings into "+display.Clip(w.edit.Path, inner-32)+"?", inner), ""}
	foot := []string{"", " " + t.key.Render("y") + " writes it  " + t.key.Render("n") + " leaves the file as it is"}
	var diff []string
	for i, l := range strings.Split(strings.TrimRight(w.diff, "\n"), "\n") {
		text := " " + display.Clip(l, inner-2)
		switch {
		case i < 2:
			continue // the names of the two sides, which are one
		case strings.HasPrefix(l, "+"):
			text = t.good.Render(text)
		case strings.HasPrefix(l, "-"):
			text = t.bad.Render(text)
		default:
			text = t.muted.Render(text)
		}
		diff = append(diff, text)
	}
	room := max(1, min(len(diff), height-len(head)-len(foot)-3))
	w.top = scrolled(w.top, len(diff), room)
	content := append(append(head, window(diff, w.top, room)...), foot...)
	h := min(height, len(content)+3)
	note := t.muted.Render(fmt.Sprintf("%s in all, the rest stays byte for byte", plural(len(w.edit.After), "byte")))
	return frame(t, 0, "Write", note, scrollNote(t, w.top, len(diff), room), lines(content, 0, inner, h-2), inner+2, h, true)
}
