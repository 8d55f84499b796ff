package export

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
)

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "a b\n\nc", "a b\n\nc"},
		{"nothing", "", ""},
		{"line feed at the end", "a\n", "a\n"},
		{"trailing blanks", "a  \n  \n b ", "a\n\n b"},
		{"styled trailing blanks", "a\x1b[4;41m   \x1b[0m", "a"},
		{"styles", "\x1b[1ma\x1b[0;38;2;1;2;3mb\x1b[mc", "abc"},
		{"carriage return before a line feed", "a\r\nb", "a\nb"},
		{"carriage return alone", "secret\rshown", "secret\ufffdshown"},
		{"tabs", "\ta\tb\t", "        a       b"},
		{"tab after a wide character", "日\tb", "日      b"},
		{"spaces of all kinds", "a\u00a0b\u3000c\u2003d", "a b  c d"},
		{"cursor moves", "a\x1b[2J\x1b[1;1Hb\x1b[?25l", "ab"},
		{"title", "a\x1b]0;evil\ab\x1b]2;evil\x1b\\c", "abc"},
		{"link", "\x1b]8;;http://evil/\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"clipboard", "\x1b]52;c;eA==\a", ""},
		{"device strings", "a\x1bPq#0\x1b\\b\x1b_G\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e", "abcde"},
		{"bell within a device string", "\x1bPx\ay\x1b\\b", "b"},
		{"string cancelled", "\x1b]0;x\x18a\x1b]0;x\x1b[1mb", "ab"},
		{"string without an end", "a\x1b]0;x\nb", "a\nb"},
		{"other escapes", "\x1bca\x1b(0b\x1b#8c\x1b7d", "abcd"},
		{"broken escapes", "a\x1b\nb\x1b[\nc\x1b[1;\nd\x1b[1\u00e9e\x1b\x1b[1mf\x1b", "a\nb\nc\nd\u00e9ef"},
		{"control characters", "\x00a\x07b\x08c\x7fd", "\ufffda\ufffdb\ufffdc\ufffdd"},
		{"C1", "a\u009b2Jb\u0085c", "a\ufffd2Jb\ufffdc"},
		{"invalid UTF-8", "a\xff\x9b\xe6\x97b", "a\ufffd\ufffd\ufffd\ufffdb"},
		{"not of XML", "a\ufffe\uffffb", "a\ufffd\ufffdb"},
		{"bidi, zero width, tags", "a\u202eb\u200bc\U000e0041d\u2028e", "a\ufffdb\ufffdc" + "d\ufffde"},
		{"private use", "\ue0b0", "\ufffd"},
		{"emoji", "👩\u200d🔬 ⚠\ufe0f 🇩🇪", "👩\u200d🔬 ⚠\ufe0f 🇩🇪"},
		{"joiner without an end", "a\u200db 👩\u200d", "ab 👩"},
		{"tags of a flag", "🏴\U000e0067\U000e007fx", "🏴x"},
		{"mark", "e\u0301x", "e\u0301x"},
		{"mark after a style", "e\x1b[1m\u0301x", "e\u0301x"},
		{"mark without a letter", "\u0301x", "\ufffdx"},
		{"stack of marks", "e" + strings.Repeat("\u0301", 1000), "e" + strings.Repeat("\u0301", maxRunes-1)},
		{"stack of marks in styles", "e" + strings.Repeat("\x1b[1m\u0301", 1000), "e" + strings.Repeat("\u0301", maxRunes-1)},
		{"markup", "<b a=\"1\">&amp;]]>", "<b a=\"1\">&amp;]]>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Text(tc.in); got != tc.want {
				t.Errorf("Text(%q) = %q, want %q", tc.in, got, tc.want)
			}
			check(t, tc.in)
		})
	}
}

// small is a frame with what the workbench draws: a border, a badge, a faint
// word, a bar, a selected row and text of servers.
const small = "\x1b[38;2;180;156;255m╭\x1b[0m \x1b[1;7mTIER 1\x1b[0m \x1b[38;2;180;156;255m──────╮\x1b[0m\n" +
	"\x1b[38;5;240m│\x1b[0m\x1b[32m✓\x1b[0m \x1b[2mnames\x1b[0m \x1b[31m██▌\x1b[90m░░\x1b[0m │\n" +
	"│\x1b[1;48;2;44;47;69m <日本> & \x1b[4mlink\x1b[0m│\n" +
	"╰┄━┿━\x1b]0;evil\a\x1b[2J──────╯"

func TestGolden(t *testing.T) {
	for name, opts := range map[string]Options{
		"dark":  {Dark: true, Title: "toolscope <config.yaml>", Columns: 20},
		"light": {},
	} {
		t.Run(name, func(t *testing.T) {
			golden.RequireEqual(t, SVG(small, opts))
			if SVG(small, opts) != SVG(small, opts) {
				t.Error("two pictures of one frame differ")
			}
		})
	}
}

// Everything stands in the column it has on a terminal.
func TestColumns(t *testing.T) {
	for _, tc := range []struct {
		frame string
		want  string // column+width of each text
	}{
		{"abc def", "0+7"},
		{"a日b", "0+1 1+2 3+1"},
		{"日本語", "0+2 2+2 4+2"},
		{"👩\u200d🔬 x", "0+2 2+2"},
		{"🇩🇪🇩🇪", "0+2 2+2"},
		{"⚠\ufe0f|⚠|", "0+2 2+1 3+1 4+1"},
		{"ab→cd", "0+2 2+1 3+2"},
		{"Größe Σ …", "0+9"},
		{"e\u0301e", "0+1 1+1"},
		{"│ a │", "0+2 2+2 4+1"},
		{"  a\x1b[1mb", "0+3 3+1"},
		{"a  \x1b[31m  b", "0+5 5+1"},
		{"a\x1b[31m \x1b[0mb", "0+3"},
		{"אב", "0+1 1+1"},
		{"日\ta", "0+2 2+7"},
		{"\xffa", "0+1 1+1"},
	} {
		var got []string
		for _, x := range picture(t, SVG(tc.frame, Options{})).rows[0] {
			got = append(got, fmt.Sprintf("%d+%d", x.column, x.width))
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%q: texts at %s, want %s", tc.frame, s, tc.want)
		}
	}
}

func TestStyles(t *testing.T) {
	for _, tc := range []struct{ name, frame, want string }{
		{"default", "a", `preserve">a`},
		{"bold", "\x1b[1ma", `font-weight="bold">a`},
		{"bold ends", "\x1b[1m\x1b[22ma", `preserve">a`},
		{"reset without a number", "\x1b[1;31m\x1b[ma", `preserve">a`},
		{"faint", "\x1b[2ma", `fill="#8c8f9a">a`},
		{"faint ends", "\x1b[2;22ma", `preserve">a`},
		{"sixteen", "\x1b[31ma", `fill="#ff7b72">a`},
		{"bright", "\x1b[91ma", `fill="#ffa198">a`},
		{"of 256, basic", "\x1b[38;5;9ma", `fill="#ffa198">a`},
		{"of 256, cube", "\x1b[38;5;208ma", `fill="#ff8700">a`},
		{"of 256, grey", "\x1b[38;5;240ma", `fill="#585858">a`},
		{"true", "\x1b[38;2;1;2;3ma", `fill="#010203">a`},
		{"true with colons", "\x1b[38:2:1:2:3ma", `fill="#010203">a`},
		{"true with a colour space", "\x1b[38:2::1:2:3ma", `fill="#010203">a`},
		{"of 256 with colons", "\x1b[38:5:208ma", `fill="#ff8700">a`},
		{"foreground ends", "\x1b[31;39ma", `preserve">a`},
		{"background", "\x1b[41ma", `height="19" fill="#ff7b72"/>`},
		{"bright background", "\x1b[101ma", `height="19" fill="#ffa198"/>`},
		{"true background", "\x1b[48;2;1;2;3ma", `height="19" fill="#010203"/>`},
		{"background of blanks at the end", "a\x1b[41m  ", `<rect x="9" y="0" width="18" height="19" fill="#ff7b72"/>`},
		{"one rectangle for two texts", "\x1b[41ma\x1b[1mb", `<rect x="0" y="0" width="18" height="19" fill="#ff7b72"/>`},
		{"reverse", "\x1b[7ma", `fill="#16161e">a`},
		{"reverse background is the foreground", "\x1b[7ma", `<rect x="0" y="0" width="9" height="19"/>`},
		{"underline", "\x1b[4mab", `<rect x="0" y="16" width="18" height="1"/>`},
		{"underlined blanks at the end", "\x1b[4ma  ", `<rect x="0" y="16" width="27" height="1"/>`},
		{"curly underline", "\x1b[4:3ma", `height="1"/>`},
		{"after a colour of the underline", "\x1b[58;2;1;2;3;1ma", `font-weight="bold">a`},
		{"style goes on in the next line", "\x1b[31m\na", `fill="#ff7b72">a`},
		{"colour out of range", "\x1b[38;2;256;2;3ma", `preserve">a`},
		{"colour cut short", "\x1b[38;2;1ma", `preserve">a`},
		{"number beyond all bounds", "\x1b[99999999999999999999ma", `preserve">a`},
		{"a command that only looks like a style", "\x1b[>4;1ma", `preserve">a`},
		{"escaped", "<&>", `>&lt;&amp;&gt;<`},
		{"lone glyph", "→", `lengthAdjust="spacingAndGlyphs">→`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := SVG(tc.frame, Options{Dark: true}); !strings.Contains(got, tc.want) {
				t.Errorf("SVG(%q) has no %s:\n%s", tc.frame, tc.want, got)
			}
		})
	}
	for _, frame := range []string{"\x1b[41;49ma", "\x1b[4;24ma", "\x1b[4m\x1b[4:0ma", "\x1b[7;27ma"} {
		if got := SVG(frame, Options{}); strings.Count(got, "<rect") != 1 {
			t.Errorf("SVG(%q) draws more than the background:\n%s", frame, got)
		}
	}
}

func TestSize(t *testing.T) {
	for _, tc := range []struct {
		frame string
		opts  Options
		want  string
	}{
		{"", Options{}, `width="33" height="43"`},
		{"ab\nc", Options{Columns: 10}, `width="114" height="62"`},
		{"日本語", Options{Columns: 2}, `width="78" height="43"`},
		{"a   ", Options{}, `width="60" height="43"`},
		{"ab", Options{Title: "t", Columns: -1}, `width="42" height="63"`},
	} {
		if got := SVG(tc.frame, tc.opts); !strings.Contains(got, tc.want) {
			t.Errorf("%q: no %s in %s", tc.frame, tc.want, got)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, tc := range []struct{ title, want string }{
		{"a <b>", "a &lt;b&gt;"},
		{"a\x1b]0;evil\a\x1b[1mb\nc\x00", "ab c\ufffd"},
		{"0123456789x", "012345678…"},
		{"日本語日本語", "日本語日…"},
	} {
		if got := SVG("", Options{Title: tc.title, Columns: 10}); !strings.Contains(got, "<title>"+tc.want+"</title>") {
			t.Errorf("title %q: no %s in %s", tc.title, tc.want, got)
		}
	}
}

// text is a text of a picture, in cells.
type text struct {
	column, width int
	content       string
}

// drawn is what a picture says: the texts of each row, in their order.
type drawn struct{ rows map[int][]text }

// line is the text of a row.
func (d drawn) line(row int) string {
	var b strings.Builder
	for _, t := range d.rows[row] {
		b.WriteString(t.content)
	}
	return b.String()
}

// picture reads an SVG; the texts within its one group are the frame.
func picture(t *testing.T, svg string) drawn {
	t.Helper()
	d := drawn{rows: map[int][]text{}}
	in := xml.NewDecoder(strings.NewReader(svg))
	groups, row := 0, -1
	var now text
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			t.Fatalf("not XML: %v in %q", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "g" {
				groups++
			}
			if token.Name.Local == "text" && groups > 0 {
				row = (number(attribute(token, "y")) - baseline) / cellH
				now = text{column: number(attribute(token, "x")) / cellW, width: number(attribute(token, "textLength")) / cellW}
			}
		case xml.CharData:
			if row >= 0 {
				now.content += string(token)
			}
		case xml.EndElement:
			if row >= 0 {
				d.rows[row] = append(d.rows[row], now)
				row = -1
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return "no " + name
}

// check holds a frame, however hostile, to what is promised of every frame.
func check(t *testing.T, frame string) {
	t.Helper()
	plain := Text(frame)
	svg := SVG(frame, Options{Title: frame, Dark: len(frame)%2 == 0})
	for _, out := range []string{plain, svg} {
		if !utf8.ValidString(out) {
			t.Fatalf("%q: invalid UTF-8 in %q", frame, out)
		}
		for _, r := range out {
			if r != '\n' && r != '\u200d' && !unicode.IsPrint(r) {
				t.Fatalf("%q: %U in %q", frame, r, out)
			}
		}
	}
	d := picture(t, svg)
	for row, line := range strings.Split(plain, "\n") {
		if strings.HasSuffix(line, " ") {
			t.Fatalf("%q: blanks at the end of %q", frame, line)
		}
		if got := d.line(row); got != line {
			t.Fatalf("%q: row %d of the picture says %q, the text %q", frame, row, got, line)
		}
		column := 0
		for _, x := range d.rows[row] {
			if x.column != column || x.width == 0 {
				t.Fatalf("%q: row %d: text %q at column %d, width %d, want column %d", frame, row, x.content, x.column, x.width, column)
			}
			column += x.width
		}
		delete(d.rows, row)
	}
	if len(d.rows) > 0 {
		t.Fatalf("%q: rows beyond the frame: %v", frame, d.rows)
	}
}

// Where nothing is left out, the columns are those the screen is laid out by.
func TestWidthsAreThoseOfTheScreen(t *testing.T) {
	for _, s := range []string{"plain", "日本語", "👩\u200d🔬", "⚠\ufe0f⚠", "🇩🇪", "e\u0301", "ก็", "한글", "Σ→✓│█", small} {
		rows := parse(s)
		for i, line := range strings.Split(s, "\n") {
			if got, want := span(rows[i]), ansi.StringWidth(line); got != want {
				t.Errorf("%q takes %d columns, want %d", line, got, want)
			}
		}
	}
}

func FuzzFrame(f *testing.F) {
	for _, s := range []string{
		small, "", "\n", "\x1b", "\x1b[", "\x1b[38", "\x1b[38;5", "\x1b[38:2::1:2:3m", "\x1b[;;m", "\x1b]8;;x\x1b\\y",
		"\u009b31m", "\x9b31m", "\xff", "\ufffe", "e\u0301", "👩\u200d🔬", "a\u200d\u0301\xff", "\u0600a", "\u3000\t日", "]]>&<", "\r\n\r", "\u1100\u1161", "│\u0301─",
	} {
		f.Add(s)
	}
	f.Fuzz(check)
}

// frame is a screen of 160×48 as the workbench draws it: four bordered panes of
// styled words and bars.
func frame() string {
	var b strings.Builder
	for y := range 48 {
		for pane := range 4 {
			b.WriteString("\x1b[38;2;59;65;84m│\x1b[0m ")
			fmt.Fprintf(&b, "\x1b[1mtool_%02d_%d\x1b[0m \x1b[38;2;139;147;167mnames %4d\x1b[0m ", y, pane, y*pane)
			b.WriteString("\x1b[38;2;126;231;135m✓\x1b[0m \x1b[38;2;108;182;255m▇▇▇\x1b[0m▇ ")
			b.WriteString("\x1b[48;2;44;47;69m " + strconv.Itoa(y%10) + " \x1b[0m \x1b[38;2;59;65;84m│\x1b[0m")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func BenchmarkSVG(b *testing.B) {
	in := frame()
	b.ReportAllocs()
	for b.Loop() {
		SVG(in, Options{Dark: true, Columns: 160})
	}
}

func BenchmarkText(b *testing.B) {
	in := frame()
	b.ReportAllocs()
	for b.Loop() {
		Text(in)
	}
}
