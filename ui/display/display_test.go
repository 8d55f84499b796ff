package display

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
)

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "create_issue", "create_issue"},
		{"non-ASCII", "Größe 日本語 é", "Größe 日本語 é"},
		{"escape sequence", "\x1b[31mred\x1b]52;c;eA==\a", "␛[31mred␛]52;c;eA==␇"},
		{"C1 CSI", "\u009b2J", "‹009B›2J"},
		{"raw C1 byte", "\x9b2J", "‹9B›2J"},
		{"bidi override", "a\u202eb", "a‹202E›b"},
		{"zero width", "a\u200bb\u200dc", "a‹200B›b‹200D›c"},
		{"tag", "a\U000e0041", "a‹E0041›"},
		{"line breaks", "a\nb\r\nc\u2028d", "a↵b↵c↵d"},
		{"spaces", "a\tb\u00a0c\u3000d", "a b c  d"},
		{"emoji joins are shown apart", "👨\u200d👩 ⚠\ufe0f", "👨👩 ⚠"},
		{"stray selector", "a\ufe0f", "a‹FE0F›"},
		{"stack of marks", "e" + strings.Repeat("\u0301", 6), "e" + strings.Repeat("\u0301", 4) + "‹0301›‹0301›"},
		{"private use", "\ue000", "‹E000›"},
		{"delete", "\x7f", "␡"},
		{"invisible letters", "\u3164\u2800", "‹3164›‹2800›"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Text(tc.in); got != tc.want {
				t.Errorf("Text(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestBlockKeepsLines(t *testing.T) {
	if got, want := Block("a\r\nb\n\x1bc"), "a\nb\n␛c"; got != want {
		t.Errorf("Block = %q, want %q", got, want)
	}
}

func TestPad(t *testing.T) {
	for _, tc := range []struct {
		in    string
		cells int
		want  string
	}{
		{"abc", 5, "abc  "},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 8, "日本語  "},
		{"日本語", 4, "日… "},
		{"\x1b", 2, "␛ "},
		{"", 2, "  "},
		{"abc", 0, ""},
		{"abc", -1, ""},
	} {
		if got := Pad(tc.in, tc.cells); got != tc.want {
			t.Errorf("Pad(%q, %d) = %q, want %q", tc.in, tc.cells, got, tc.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, tc := range []struct {
		in    string
		cells int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 4, "日…"},
		{"日本語", 6, "日本語"},
		{"abc", 0, ""},
		{"\x1b\x1b\x1b", 2, "␛…"},
		{strings.Repeat("x", 1<<20), 4, "xxx…"},
	} {
		if got := Clip(tc.in, tc.cells); got != tc.want {
			t.Errorf("Clip(%.10q, %d) = %q, want %q", tc.in, tc.cells, got, tc.want)
		}
	}
}

func TestHidden(t *testing.T) {
	for in, want := range map[string]int{
		"plain text\n\twith lines": 0,
		"a\u200bb\U000e0041":       2,
		"👨\u200d👩":                 0,
		"\xff\xfe":                 2,
		"e\u0301":                  0,
	} {
		if got := Hidden(in); got != want {
			t.Errorf("Hidden(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestJSONKeepsTheText(t *testing.T) {
	in := map[string]string{"k": "<&>\x1b[2J\u009b\u202e\U000e0041\u2028é日"}
	out, err := JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `<&>\u001b[2J\u009b\u202e\udb40\udc41\u2028é日`) {
		t.Errorf("unexpected escapes: %s", out)
	}
	var back map[string]string
	if err := json.Unmarshal(out, &back); err != nil || back["k"] != in["k"] {
		t.Errorf("round trip gave %q, %v", back["k"], err)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\x1b[2J", "\u202e", "\xff", "e\u0301\u0301", "👨\u200d👩", "a\r\nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{Text(s), Clip(s, 10)} {
			if !utf8.ValidString(out) {
				t.Fatalf("invalid UTF-8: %q", out)
			}
			for _, r := range out {
				if !unicode.IsPrint(r) {
					t.Fatalf("%q came through as %q in %q", s, r, out)
				}
			}
		}
		if w := ansi.StringWidth(Clip(s, 10)); w > 10 {
			t.Fatalf("Clip is %d cells wide", w)
		}
	})
}

func TestHiddenText(t *testing.T) {
	tool := func(raw string) engine.Tool {
		parsed, _, err := engine.ParseTool([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	warnings := HiddenText(engine.Catalog{
		Servers: []engine.Server{{Name: "s", Tools: []engine.Tool{
			tool(`{"name":"clean","description":"日本語 café 👩‍👩‍👧 is fine.\nSo are lines."}`),
			tool("{\"name\":\"tagged\",\"description\":\"Adds.\U000e0049\U000e0067\"}"),
			tool("{\"name\":\"deep\",\"inputSchema\":{\"properties\":{\"a\":{\"description\":\"x\u200by\u202e\"}}}}"),
		}}},
		Core: []engine.Tool{tool(`{"name":"esc\u001b"}`)},
	})
	var got []string
	for _, w := range warnings {
		got = append(got, w.Message)
	}
	want := []string{"tool tagged of server s holds hidden text: 2 characters", "tool deep of server s holds hidden text: 2 characters", "tool esc␛ of the core holds hidden text: 1 characters"}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}
