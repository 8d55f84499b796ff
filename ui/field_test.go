package ui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

// TestFieldKeepsCaretInSight walks the caret through texts longer than the
// field.
func TestFieldKeepsCaretInSight(t *testing.T) {
	theme := queryTheme(termenv.Ascii)
	for _, text := range []string{"", "a", strings.Repeat("create issue ", 9), strings.Repeat("日本", 20), "\u202e" + strings.Repeat("é\u0301\u0301", 30)} {
		for _, width := range []int{1, 2, 3, 8, 9, 40} {
			f := newField(1000)
			f.set(text)
			f.focus()
			for at := range len([]rune(text)) + 1 {
				f.input.SetCursor(at)
				view := f.view(theme, width)
				if w := ansi.StringWidth(view); w != width {
					t.Fatalf("%q at %d in %d cells: %q is %d wide", text, at, width, view, w)
				}
				if !strings.Contains(view, caret) && width >= 3 {
					t.Fatalf("%q at %d in %d cells: no caret in %q", text, at, width, view)
				}
				rows, row := f.wrapped(theme, width)
				if !strings.Contains(rows[row], caret) {
					t.Fatalf("%q at %d wrapped at %d: no caret in line %d of %q", text, at, width, row, rows)
				}
			}
		}
	}
}

func TestFieldCaretInText(t *testing.T) {
	theme := queryTheme(termenv.Ascii)
	f := newField(100)
	f.set("create issue")
	f.focus()
	f.input.SetCursor(6)
	if got := f.view(theme, 20); strings.TrimSpace(got) != "create▌ issue" {
		t.Errorf("the field shows %q", got)
	}
	if rows, at := f.wrapped(theme, 5); strings.Join(rows, "|") != "creat|e▌ is|sue" || at != 1 {
		t.Errorf("wrapped: %q, caret in line %d", rows, at)
	}
	f.blur()
	if got := f.view(theme, 20); strings.Contains(got, caret) {
		t.Errorf("a caret without typing: %q", got)
	}
}

// FuzzFieldPaste pastes anything into both panes that take text.
func FuzzFieldPaste(f *testing.F) {
	for _, s := range []string{"", "create issue\nsend", "\x1b[2J\u202e\xff", `{"name":"x","arguments":"{}"}`, "日本語 ; ;; \t", "e\u0301\u0301\u0301\u0301\u0301\u0301"} {
		f.Add(s, 20, 5)
	}
	f.Fuzz(func(t *testing.T, s string, width, height int) {
		if width < 0 || height < 0 || width > 200 || height > 60 {
			t.Skip()
		}
		query, call := newQueryPane(queryTheme(termenv.Ascii)), newCallPane(queryTheme(termenv.Ascii))
		query.StartTyping()
		call.StartTyping()
		for _, p := range []pane{query, call} {
			p.SetSize(width, height)
			p.HandleKey(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(s)})
			queryEveryCell(t, p.View(), width, height)
		}
	})
}
