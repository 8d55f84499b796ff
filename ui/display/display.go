// Package display is the one way from text of unknown origin to a screen or a
// line of output. Names, descriptions, results, errors and log lines of servers
// are kept as they came everywhere else; here every character that could
// control a terminal, reorder text or hide in it becomes a visible mark.
package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks one base character may carry; real
// scripts stay below it, stacks that climb over the lines above do not.
const maxMarks = 4

// Text returns s as one line that is safe to print: line breaks become ↵, tabs
// and other white space become spaces, and control characters, escape
// sequences, bidirectional overrides, zero-width and tag characters, private
// and unassigned code points and invalid UTF-8 become visible marks such as ␛
// or ‹202E›. Joiners and variation selectors inside emoji are left out, since
// terminals disagree on the width of what they join.
func Text(s string) string { return render(s, -1, false) }

// Block is [Text] for text of several lines: line feeds stay, a carriage
// return before one goes.
func Block(s string) string { return render(s, -1, true) }

// Clip returns Text(s) cut to at most cells terminal cells, with … at the end
// where something was cut. It reads no more of s than it shows, so a name of a
// megabyte costs no more than a short one.
func Clip(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	out := render(s, cells+1, false)
	if ansi.StringWidth(out) <= cells {
		return out
	}
	return ansi.Truncate(out, cells, "…")
}

// Pad is [Clip], with spaces at the end up to exactly that many cells: a column
// of a table.
func Pad(s string, cells int) string {
	out := Clip(s, cells)
	return out + strings.Repeat(" ", max(0, cells-ansi.StringWidth(out)))
}

// Hidden counts the characters of s that Text shows as marks though a person
// would not have seen them: what a hostile server may hide in a description.
// Line breaks and tabs do not count.
func Hidden(s string) int {
	if isSimple(s) {
		return 0
	}
	n := 0
	var prev rune
	for i, r := range s {
		if r == utf8.RuneError && isBad(s[i:]) || !plain(r) && !unicode.IsSpace(r) && !joins(prev, r, s[i+utf8.RuneLen(r):]) {
			n++
		}
		prev = r
	}
	return n
}

// render walks s once. With limit ≥ 0 it stops after so many cells.
func render(s string, limit int, block bool) string {
	if isSimple(s) && (limit < 0 || len(s) <= limit) {
		return s
	}
	var b strings.Builder
	cells, marks := 0, 0
	put := func(t string, width int) {
		b.WriteString(t)
		cells += width
	}
	var prev rune
	for i := 0; i < len(s) && (limit < 0 || cells < limit); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		switch {
		case r == utf8.RuneError && size <= 1:
			mark := fmt.Sprintf("‹%02X›", s[i])
			put(mark, len(mark)-4)
		case r == '\n' && block:
			b.WriteByte('\n')
		case r == '\r' && strings.HasPrefix(rest, "\n"):
		case r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			put("↵", 1)
		case r == '\t' || r == '\v' || r == '\f':
			put(" ", 1)
		case r == '\u3000':
			put("  ", 2)
		case unicode.Is(unicode.Zs, r):
			put(" ", 1)
		case r < 0x20:
			put(string(0x2400+r), 1)
		case r == 0x7f:
			put("␡", 1)
		case joins(prev, r, rest):
		case !plain(r):
			mark := fmt.Sprintf("‹%04X›", r)
			put(mark, len(mark)-4)
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks <= maxMarks {
				b.WriteRune(r)
			} else {
				mark := fmt.Sprintf("‹%04X›", r)
				put(mark, len(mark)-4)
			}
		default:
			marks = 0
			put(string(r), max(1, ansi.StringWidth(string(r))))
		}
		prev = r
		i += size
	}
	return b.String()
}

// isSimple reports whether s is printable ASCII alone: the common case.
func isSimple(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

func isBad(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size <= 1
}

// plain reports whether r shows as itself: printable, and not one of the
// letters and marks that Unicode counts as printable but draws as nothing.
func plain(r rune) bool {
	switch {
	case r == ' ':
		return true
	case !unicode.IsPrint(r):
		return false
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return false
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff:
		return false
	}
	return true
}

// joins reports whether r is a joiner or an emoji variation selector in its
// place inside an emoji: after a pictograph and, for a joiner, before one.
func joins(prev, r rune, rest string) bool {
	switch r {
	case 0xfe0f:
		return pictograph(prev)
	case 0x200d:
		next, _ := utf8.DecodeRuneInString(rest)
		return (pictograph(prev) || prev == 0xfe0f) && pictograph(next)
	}
	return false
}

func pictograph(r rune) bool {
	return r >= 0x2190 && r <= 0x2bff || r >= 0x1f000 && r <= 0x1faff
}
