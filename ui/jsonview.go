package ui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"toolscope/ui/display"
)

// jsonLines lays JSON out over lines of at most width cells, indented by depth,
// with keys, strings, other values and punctuation in styles of their own. It
// takes a text that was cut, and any other text as best it can: nothing of it
// is lost but the white space between tokens.
func jsonLines(t theme, text string, width int) []string {
	p := jsonPainter{theme: t, width: max(8, width)}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '{', '[':
			i++
			end := i + len(text[i:]) - len(strings.TrimLeft(text[i:], " \t\n\r"))
			if end < len(text) && (text[end] == '}' || text[end] == ']') {
				p.put(t.muted, rest[:1]+text[end:end+1])
				i = end + 1
				continue
			}
			p.put(t.muted, rest[:1])
			p.flush()
			p.depth++
		case '}', ']':
			p.flush()
			p.depth = max(0, p.depth-1)
			p.put(t.muted, rest[:1])
			i++
		case ',':
			p.put(t.muted, ",")
			p.flush()
			i++
		case ':':
			p.put(t.muted, ": ")
			i++
		case '"':
			n := stringLength(rest)
			style := t.listing
			if strings.HasPrefix(strings.TrimLeft(rest[n:], " \t\n\r"), ":") {
				style = t.core
			}
			p.put(style, rest[:n])
			i += n
		default:
			n := strings.IndexAny(rest, "{}[],:\" \t\n\r")
			if n < 0 {
				n = len(rest)
			}
			p.put(t.deferred, rest[:n])
			i += n
		}
	}
	p.flush()
	return p.out
}

// stringLength is how many bytes the JSON string that s begins with has, all of
// s where it does not end.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// span is a part of a line in one style, safe to print.
type span struct {
	style lipgloss.Style
	text  string
}

// maxCellBytes is the most bytes that one cell of safe text may take: a
// character and the marks it carries.
const maxCellBytes = 20

// jsonPainter gathers the tokens of a line and breaks it where it is too long.
type jsonPainter struct {
	theme theme
	width int
	depth int
	line  []span
	out   []string
}

func (p *jsonPainter) put(style lipgloss.Style, text string) {
	p.line = append(p.line, span{style, display.Text(text)})
}

// flush ends the line. What is broken off is indented below its start.
func (p *jsonPainter) flush() {
	if len(p.line) == 0 {
		return
	}
	indent := min(2*p.depth, p.width/2)
	room := p.width - indent
	row, used := strings.Repeat(" ", indent), 0
	for _, s := range p.line {
		for text := s.text; text != ""; {
			// Cells are counted over what can be in the row, not all of a long text.
			part, _ := firstBytes(text, maxCellBytes*(room-used))
			part = ansi.Truncate(part, room-used, "")
			if part == "" && used > 0 {
				p.out = append(p.out, row)
				indent = min(2*p.depth+2, p.width/2)
				row, used, room = strings.Repeat(" ", indent), 0, p.width-indent
				continue
			}
			if part == "" {
				break // no room for one character: the width is never so small
			}
			row += s.style.Render(part)
			used += ansi.StringWidth(part)
			text = text[len(part):]
		}
	}
	p.out, p.line = append(p.out, row), p.line[:0]
}
