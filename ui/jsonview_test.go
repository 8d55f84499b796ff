package ui

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"toolscope/ui/display"
)

func TestJSONLines(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"an object", `{"a":[1,-2.5e3,"x"],"b":{"c":true}}`, 40, []string{`{`, `  "a": [`, `    1,`, `    -2.5e3,`, `    "x"`, `  ],`, `  "b": {`, `    "c": true`, `  }`, `}`}},
		{"white space of its own", "{ \"a\" :\n[ ] , \"b\": { } }", 40, []string{`{`, `  "a": [],`, `  "b": {}`, `}`}},
		{"marks inside a string", `{"a\"}:":"{,[\\"}`, 40, []string{`{`, `  "a\"}:": "{,[\\"`, `}`}},
		{"broken off", `{"a":"0123456789abcdefghij"}`, 16, []string{`{`, `  "a": "01234567`, `    89abcdefghij`, `    "`, `}`}},
		{"wide characters", `["日本語日本語"]`, 9, []string{`[`, `  "日本語`, `    日本`, `    語"`, `]`}},
		{"cut in a string", `{"a":"b\`, 40, []string{`{`, `  "a": "b\`}},
		{"cut after a bracket", `{"a":[`, 40, []string{`{`, `  "a": [`}},
		{"no JSON", `hello, }] "x`, 40, []string{`hello,`, `}`, `]"x`}},
		{"nothing", ``, 40, nil},
		{"hidden", "[\"a\u202eb\x1b[2J\"]", 40, []string{`[`, `  "a‹202E›b␛[2J"`, `]`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := jsonLines(queryTheme(termenv.Ascii), tc.in, tc.width); !slices.Equal(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

// TestJSONColours: each kind of token has a style of its own.
func TestJSONColours(t *testing.T) {
	th := queryTheme(termenv.TrueColor)
	got := strings.Join(jsonLines(th, `{"key":"value","n":1}`, 40), "\n")
	for _, want := range []string{th.core.Render(`"key"`), th.listing.Render(`"value"`), th.deferred.Render("1"), th.muted.Render("{"), th.muted.Render(": ")} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// FuzzJSONLines: of no text is anything lost but white space, no line is wider
// than it may be, and nothing of it acts on a terminal.
func FuzzJSONLines(f *testing.F) {
	for _, s := range []string{"", `{"a":[1,"x",{}],"b":null}`, `{"a`, `[[[[[[[[[[[[`, `]]]]`, `"\`, "\x1b[2J\"\u202e\":\xff", `{"日本語":"日本語日本語日本語"}`, "e\u0301\u0301\u0301\u0301\u0301\u0301", "{} []", `"a":::,,,`} {
		f.Add(s, 40)
		f.Add(s, 8)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		if len(s) > 4000 {
			return
		}
		width = 8 + (width%200+200)%200
		bare := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		got := jsonLines(queryTheme(termenv.TrueColor), s, width)
		for _, l := range got {
			if w := ansi.StringWidth(l); w > width {
				t.Fatalf("%d cells of %d: %q", w, width, l)
			}
		}
		all := strings.Join(got, "\n")
		if bad := hostileIn(all); bad != "" {
			t.Fatalf("%q has %s", all, bad)
		}
		// Line breaks inside a token show as marks, those between tokens go.
		marks := strings.NewReplacer("↵", "", "\n", "", "\r", "")
		if got, want := marks.Replace(bare(ansi.Strip(all))), marks.Replace(bare(display.Text(s))); got != want {
			t.Fatalf("of %q there is %q, want %q", s, got, want)
		}
	})
}
