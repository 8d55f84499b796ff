package export

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestShapes(t *testing.T) {
	for _, tc := range []struct{ name, frame, want string }{
		{"one line for many characters", "──────", `d="M0 9h54v1h-54z"`},
		{"a line goes on through a joint", "─┬─", `d="M0 9h18v1h-18zM13 9h1v10h-1zM18 9h9v1h-9z"`},
		{"upright", "│", `d="M4 0h1v19h-1z"`},
		{"corner", "┌", `d="M4 9h5v1h-5zM4 9h1v10h-1z"`},
		{"heavy", "━", `d="M0 8h9v3h-9z"`},
		{"half", "╵", `d="M4 0h1v9.5h-1z"`},
		{"light and heavy", "╼", `d="M0 9h4.5v1h-4.5zM4.5 8h4.5v3h-4.5z"`},
		{"arc in the second row and column", "\n ╯", `d="M9 19m0 10a5`},
		{"bar", "██▌", `d="M0 0h22.5v19h-22.5z"`},
		{"eighth", "▏▁", `d="M0 0h1.125v19h-1.125zM9 16.625h9v2.375h-9z"`},
		{"seven eighths", "▇▇", `d="M0 2.375h18v16.625h-18z"`},
		{"right half", "▐", `d="M4.5 0h4.5v19h-4.5z"`},
		{"upper half", "▀", `d="M0 0h9v9.5h-9z"`},
		{"upper and right eighth", "▔▕", `d="M0 0h9v2.375h-9zM16.875 0h1.125v19h-1.125z"`},
		{"quadrants", "▚", `d="M0 0h4.5v9.5h-4.5zM4.5 9.5h4.5v9.5h-4.5z"`},
		{"shades", "░▒▓", `<path fill-opacity=".25" d="M0 0h9v19h-9z"/>` + "\n" +
			`<path fill-opacity=".5" d="M9 0h9v19h-9z"/>` + "\n" + `<path fill-opacity=".75" d="M18 0h9v19h-9z"/>`},
		{"colour", "\x1b[31m█", `<path fill="#c1272d" d=`},
		{"text stays, unpainted", "─█", `fill="none">─█</text>`},
		{"double lines are glyphs", "═", `lengthAdjust="spacingAndGlyphs">═`},
		{"with a mark it is a glyph", "│\u0301", `spacingAndGlyphs">│`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := SVG(tc.frame, Options{}); !strings.Contains(got, tc.want) {
				t.Errorf("SVG(%q) has no %s:\n%s", tc.frame, tc.want, got)
			}
		})
	}
}

// No character draws beyond its cell, and each draws something.
func TestShapesStayInTheirCells(t *testing.T) {
	rectangle := regexp.MustCompile(`M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-([\d.]+)z`)
	for r := rune(0x2500); r <= 0x259f; r++ {
		_, ok := shapeOf(string(r))
		if !ok || r >= 0x256d && r <= 0x2570 {
			continue
		}
		var s sketch
		s.add(r, 2, 3)
		found := rectangle.FindAllStringSubmatch(string(s.appendTo(nil, "")), -1)
		if len(found) == 0 {
			t.Errorf("%c draws nothing", r)
		}
		for _, m := range found {
			var v [5]float64
			for i := range v {
				v[i], _ = strconv.ParseFloat(m[i+1], 64)
			}
			if v[0] < 2*cellW || v[1] < 3*cellH || v[0]+v[2] > 3*cellW || v[1]+v[3] > 4*cellH || v[2] != v[4] {
				t.Errorf("%c draws %s", r, m[0])
			}
		}
	}
}

func TestArmsAreOfTheWholeBlock(t *testing.T) {
	if len(arms) != 128*5 {
		t.Fatalf("%d bytes, want five for each of 128 characters", len(arms))
	}
	for r, want := range map[rune]string{'─': "0101", '┃': "2020", '┌': "0110", '┘': "1001", '┼': "1111", '┿': "1212", '╿': "2010", '╬': "0000"} {
		if got := armsOf(r); got != want {
			t.Errorf("%c: arms %s, want %s", r, got, want)
		}
	}
}
