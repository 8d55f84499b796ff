package export

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	blank    = " "
	replaced = "\ufffd" // stands for what may not be shown
	tabStop  = 8        // columns
	// maxRunes is how many code points one cell may carry: the longest emoji of
	// Unicode has ten or so, a stack of marks that climbs over other lines more.
	maxRunes = 16
)

// cell is one character as it is drawn, with all that joins it.
type cell struct {
	text  string // printable, never empty
	width int    // in columns: 1 or 2
	pen   pen
}

// parse reads a frame into rows of cells. A sequence that is never ended ends
// with its line, so that one bad line cannot swallow the rest of the screen.
func parse(frame string) [][]cell {
	rows := make([][]cell, 0, strings.Count(frame, "\n")+1)
	var p pen
	last := 0
	for line := range strings.SplitSeq(frame, "\n") {
		s := scanner{pen: p, cells: make([]cell, 0, min(last, len(line)))}
		s.line(strings.TrimSuffix(line, "\r"))
		rows = append(rows, s.cells)
		p, last = s.pen, len(s.cells)
	}
	return rows
}

// scanner reads one line.
type scanner struct {
	cells  []cell
	column int // where the next cell goes
	pen    pen
}

func (s *scanner) line(l string) {
	for len(l) > 0 {
		switch c := l[0]; {
		case c == 0x1b:
			l = l[s.escape(l):]
		case c == '\t':
			for s.put(blank, 1); s.column%tabStop != 0; {
				s.put(blank, 1)
			}
			l = l[1:]
		case c >= ' ' && c <= '~' && (len(l) == 1 || l[1] < utf8.RuneSelf):
			s.put(l[:1], 1)
			l = l[1:]
		default:
			l = l[s.character(l):]
		}
	}
}

func (s *scanner) put(text string, width int) {
	s.cells = append(s.cells, cell{text, width, s.pen})
	s.column += width
}

// escape returns the length of the sequence that l begins with, and changes
// the pen when it is one of style.
func (s *scanner) escape(l string) int {
	params, kind, size := sequence(l)
	if kind == 'm' {
		s.pen = s.pen.apply(params)
	}
	return size
}

// character draws the first character of l and returns its length in bytes.
func (s *scanner) character(l string) int {
	r, size := utf8.DecodeRuneInString(l)
	switch {
	case unicode.Is(unicode.Zs, r):
		for range max(1, ansi.StringWidth(l[:size])) {
			s.put(blank, 1)
		}
		return size
	case r == utf8.RuneError, !unicode.IsPrint(r):
		s.put(replaced, 1)
		return size
	}
	cluster, width := ansi.FirstGraphemeCluster(l, ansi.GraphemeWidth)
	if end := strings.IndexRune(cluster, utf8.RuneError); end > 0 {
		cluster, width = ansi.FirstGraphemeCluster(cluster[:end], ansi.GraphemeWidth)
	}
	text := visible(cluster)
	switch {
	case width > 0:
		s.put(text, min(width, 2))
	case len(s.cells) > 0 && unicode.IsMark(r):
		// A change of style between a letter and its mark parts them in the
		// frame, not on the screen.
		before := &s.cells[len(s.cells)-1]
		before.text = visible(before.text + text)
	default:
		s.put(replaced, 1)
	}
	return len(cluster)
}

// visible returns a cluster without the characters that draw nothing, except
// joiners between two that do, and without those beyond maxRunes.
func visible(cluster string) string {
	const joiner = '\u200d'
	if _, size := utf8.DecodeRuneInString(cluster); size == len(cluster) {
		return cluster
	}
	var b strings.Builder
	n, joined := 0, false
	for _, r := range cluster {
		if r == joiner {
			joined = n > 0
			continue
		}
		if !unicode.IsPrint(r) {
			continue
		}
		if n++; n > maxRunes {
			break
		}
		if joined {
			b.WriteRune(joiner)
			joined = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
