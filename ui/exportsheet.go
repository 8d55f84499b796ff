package ui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/mcpconn/config"
	"toolscope/ui/display"
	"toolscope/ui/export"
)

// Messages about what a person keeps or sends of the screen.
type (
	exportSheetMsg struct{} // ask what to export
	exportMsg      struct { // this
		what  exported
		under sheet // lies over the panes again; nil for none
	}
	exportedMsg struct {
		paths []string // the files that were written
		err   error    // why there are no more
	}
)

// exported is what a person chose to export.
type exported int

const (
	exportNothing exported = iota
	exportScreen
	exportReport
	exportCopy
)

// exportSheet asks what to export.
type exportSheet struct {
	theme theme
	keys  keyMap
	dir   string
	under sheet // what it was opened over; nil for the panes
}

func newExportSheet(t theme, dir string, under sheet) *exportSheet {
	return &exportSheet{theme: t, keys: newKeyMap(), dir: dir, under: under}
}

// SetSnapshot goes to the sheet below, which is exported as it is then.
func (e *exportSheet) SetSnapshot(s Snapshot) {
	if e.under != nil {
		e.under.SetSnapshot(s)
	}
}

// Typing is never so.
func (e *exportSheet) Typing() bool { return false }

// HandleWheel scrolls nothing.
func (e *exportSheet) HandleWheel(int) {}

// exportFirst is the row of the first choice on the sheet, its border included.
const exportFirst = 2

// HandleClick takes the choice under the pointer.
func (e *exportSheet) HandleClick(_, y int) (tea.Msg, bool) {
	if row := y - exportFirst; row >= 0 && row < len(e.choices()) {
		return exportMsg{e.choices()[row].what, e.under}, true
	}
	return nil, false
}

// HandleKey takes the choice that has the key.
func (e *exportSheet) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	for _, c := range e.choices() {
		if key.Matches(msg, c.key) {
			return exportMsg{c.what, e.under}, true
		}
	}
	if key.Matches(msg, e.keys.Back, e.keys.Export, e.keys.Quit) {
		return exportMsg{exportNothing, e.under}, true
	}
	return nil, false
}

// exportChoice is one thing that can be exported.
type exportChoice struct {
	key  key.Binding
	what exported
	says string
}

func (e *exportSheet) choices() []exportChoice {
	return []exportChoice{
		{e.keys.ExportScreen, exportScreen, "the screen: a picture (SVG) and its text"},
		{e.keys.ExportReport, exportReport, "a report of the state (Markdown)"},
		{e.keys.ExportCopy, exportCopy, "copy the report instead"},
	}
}

// View is the choices and where the files go.
func (e *exportSheet) View(width, height int) string {
	t := e.theme
	w := min(width, 64)
	inner := w - 2
	content := []string{""}
	for _, c := range e.choices() {
		content = append(content, fit("  "+t.key.Render(c.key.Help().Key)+"  "+c.says, inner))
	}
	where := e.dir
	if where == "" {
		where = "the working directory"
	}
	content = append(content, "", t.muted.Render("  into "+display.Clip(where, inner-8)))
	h := min(height, len(content)+2)
	return frame(t, 0, "Export", t.muted.Render("esc closes"), "", lines(content, 0, inner, h-2), w, h, true)
}

// export makes what was chosen of the screen as it is without the question.
func (m model) export(msg exportMsg) (tea.Model, tea.Cmd) {
	if msg.under != nil {
		m.lay(msg.under)
	}
	snap, said, dir, at := m.snap, m.about(), m.dir, m.clock()
	switch msg.what {
	case exportScreen:
		screen, opts := m.View(), export.Options{Dark: m.theme.dark, Columns: m.width}
		return m, func() tea.Msg {
			return save(dir, at, file{"svg", export.SVG(screen, opts)}, file{"txt", export.Text(screen) + "\n"})
		}
	case exportReport:
		return m, func() tea.Msg { return save(dir, at, file{"md", report(snap, said)}) }
	case exportCopy:
		return m, func() tea.Msg { return copyMsg{what: "the report", text: report(snap, said)} }
	}
	return m, nil
}

// about is what a report says beside the snapshot.
func (m model) about() about {
	var servers []config.Server
	for _, s := range m.roster.Servers() {
		servers = append(servers, s.Config)
	}
	return about{version: m.version, source: m.source, session: m.sessionName(), at: m.clock(), redact: config.NewRedactor(servers)}
}

// file is what goes into a file with an extension.
type file struct{ ext, text string }

// save writes files that belong together, as far as it comes.
func save(dir string, at time.Time, files ...file) exportedMsg {
	var done exportedMsg
	for _, f := range files {
		path, err := export.Write(dir, export.Name(at, f.ext), []byte(f.text))
		if err != nil {
			done.err = err
			break
		}
		done.paths = append(done.paths, path)
	}
	return done
}

// exported says what was written.
func (m model) exported(msg exportedMsg) (tea.Model, tea.Cmd) {
	var names []string
	for _, p := range msg.paths {
		names = append(names, filepath.Base(p))
	}
	written := strings.Join(names, " and ")
	switch {
	case msg.err != nil && written != "":
		return m.say(fmt.Sprintf("saved %s, and no more: %v", written, msg.err))
	case msg.err != nil:
		return m.say(msg.err.Error())
	}
	return m.say("saved " + written + " in " + filepath.Dir(msg.paths[0]))
}
