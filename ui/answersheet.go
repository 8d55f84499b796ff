package ui

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/budget"
	"toolscope/engine"
)

// answerName is what is copied of a search.
const answerName = "the answer of " + engine.BridgeSearch

// searchArguments is the arguments of tool_search for queries.
func searchArguments(queries []engine.Result) json.RawMessage {
	var args struct {
		Queries []string `json:"queries"`
	}
	for _, r := range queries {
		args.Queries = append(args.Queries, r.Query)
	}
	// A list of strings can always be written.
	raw, _ := json.Marshal(args)
	return raw
}

// searchAnswer is what the model gets for the present queries, to the byte: the
// refusal where there are more of them than one call may have.
func searchAnswer(s Snapshot) json.RawMessage {
	return s.Assembly.ToolSearch(searchArguments(s.Queries))
}

// maxAnswer is how many bytes of an answer are laid out: ten queries of the
// highest limit come to about that.
const maxAnswer = 256 << 10

// answerSheet is the answer of tool_search to the present queries as JSON. It
// follows them. The lines are laid out once for an answer and a width.
type answerSheet struct {
	theme theme
	keys  keyMap
	snap  Snapshot

	answer json.RawMessage
	lines  []string
	width  int
	height int // of the lines, as last drawn
	top    int
}

func newAnswerSheet(t theme) *answerSheet { return &answerSheet{theme: t, keys: newKeyMap()} }

// SetSnapshot gives what is searched. The answer is made anew where the tools,
// the limit or the queries are others.
func (v *answerSheet) SetSnapshot(s Snapshot) {
	same := v.answer != nil && v.snap.Assembly.Index == s.Assembly.Index && v.snap.Assembly.Config == s.Assembly.Config &&
		string(searchArguments(v.snap.Queries)) == string(searchArguments(s.Queries))
	v.snap = s
	if !same {
		v.answer, v.lines = searchAnswer(s), nil
	}
}

// Typing is never so.
func (v *answerSheet) Typing() bool { return false }

// HandleWheel scrolls.
func (v *answerSheet) HandleWheel(n int) { v.top = scrolled(v.top+n, len(v.lines), v.height) }

// HandleClick changes nothing: there is nothing to choose.
func (v *answerSheet) HandleClick(_, _ int) (tea.Msg, bool) { return nil, false }

// HandleKey scrolls, or asks for a copy of the exact bytes.
func (v *answerSheet) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	k := v.keys
	switch {
	case key.Matches(msg, k.Back, k.Answer, k.Quit):
		return nil, true
	case key.Matches(msg, k.Copy):
		return copyMsg{what: answerName, text: string(v.answer)}, false
	case key.Matches(msg, k.Move):
		v.HandleWheel(direction(msg))
	case key.Matches(msg, k.Page) || msg.String() == " ":
		v.HandleWheel(direction(msg) * max(1, v.height-1))
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		v.HandleWheel(direction(msg) * len(v.lines))
	}
	return nil, false
}

// Layout of the sheet, in cells.
const (
	maxAnswerWidth  = 120
	minAnswerWidth  = 12
	minAnswerHeight = 4
)

// View draws the answer under its size. It takes no more lines than it has.
func (v *answerSheet) View(width, height int) string {
	width = min(width, maxAnswerWidth)
	if width < minAnswerWidth || height < minAnswerHeight {
		return lines(nil, 0, max(0, width), max(0, height))
	}
	t, inner := v.theme, width-2
	if v.lines == nil || v.width != inner {
		v.lines, v.width = v.layOut(inner), inner
	}
	height = min(height, len(v.lines)+3)
	v.height = height - 3
	v.top = scrolled(v.top, len(v.lines), v.height)
	content := append([]string{v.head(inner)}, window(v.lines, v.top, v.height)...)
	note := "y copy · esc"
	if width >= 76 {
		note = "↑/↓ scroll · y copies it exactly · esc"
	}
	return frame(t, 0, "Answer of "+engine.BridgeSearch, t.muted.Render(note), scrollNote(t, v.top, len(v.lines), v.height), lines(content, 0, inner, height-2), width, height, true)
}

// head says how large the answer is, and of how many queries.
func (v *answerSheet) head(width int) string {
	t := v.theme
	chars := utf8.RuneCount(v.answer)
	size := plural(chars, "character") + " · " + plural(budget.Estimate(chars), "token")
	n := len(v.snap.Queries)
	asked := fmt.Sprintf("%d queries", n)
	if n == 1 {
		asked = "1 query"
	}
	if n > engine.MaxQueries {
		asked = fmt.Sprintf("%d queries, at most %d are accepted", n, engine.MaxQueries)
	}
	return spread(" "+t.strong.Render(size), t.muted.Render(asked+" "), width)
}

// layOut is the answer over lines.
func (v *answerSheet) layOut(width int) []string {
	text, whole := firstBytes(string(v.answer), maxAnswer)
	out := jsonLines(v.theme, text, width-2)
	for i := range out {
		out[i] = " " + out[i]
	}
	if !whole {
		out = append(out, cutNote(v.theme, len(v.answer), ", y copies them", width)...)
	}
	return out
}
