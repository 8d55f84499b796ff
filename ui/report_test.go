package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
)

// told is a report of a bench at a time, by no version in particular.
func told(b *bench) string {
	is := b.m.about()
	is.version, is.at = "devel", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return report(b.m.snap, is)
}

func TestReport(t *testing.T) {
	for name, make := range map[string]func(*testing.T) *bench{
		"connecting": func(t *testing.T) *bench {
			return newBench(t, termenv.Ascii, 160, 48).send(eventsMsg{
				{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateConnecting, Progress: "initialize"},
				{Server: "weather", Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: "exit status 1 before initialize: no | such `device`"},
			})
		},
		"all of it": func(t *testing.T) *bench {
			return newBench(t, termenv.Ascii, 160, 48).answers(300).press("[", "/", "pilot order ; mcp_weather_sea_state ; zzz", "esc").
				send(pinMsg{"mcp_weather_gale_warning"}).press(",", ",", "c", "enter", "n")
		},
		"counted, over budget": func(t *testing.T) *bench {
			b := newBench(t, termenv.Ascii, 160, 48).answers(300).press("L")
			b.m.snap.Exact = Exact{On: true, Known: true, Counting: true, Bill: budget.NewBill(1000, 20000, 3000, 60, 200000)}
			return b.send(setMsg{"threshold_pct", "0.01"})
		},
		"eager": func(t *testing.T) *bench {
			return newBench(t, termenv.Ascii, 160, 48).answers(0).press("E", "E", "<", "<", "<", "<", "<", "<", "<", "<", "<", "<", "<", "<")
		},
		"out of the session": func(t *testing.T) *bench {
			return newBench(t, termenv.Ascii, 160, 48).answers(0).press("S")
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := told(make(t))
			checkMarkdown(t, out)
			golden.RequireEqual(t, out)
		})
	}
}

// A report is bounded, however much there is to tell.
func TestReportIsBounded(t *testing.T) {
	s := newStage(t)
	for i := range 400 {
		s.ready("server"+strings.Repeat("x", i), "tool: Does it.")
		s.warnings = append(s.warnings, engine.Warning{Message: strings.Repeat("odd ", 1000)})
	}
	snap := s.snapshot()
	line := strings.Repeat("tool it ", 400)
	for range 30 {
		snap.Queries = append(snap.Queries, snap.Assembly.Search(line, 0))
	}
	out := report(snap, about{})
	checkMarkdown(t, out)
	for _, want := range []string{"…and 350 more servers", fmt.Sprintf("…and %d more warnings", len(snap.Warnings)-maxRows), "…and 750 more tokens", "…and 352 steps below", "…and 20 more than a model may send"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if len(out) > 200_000 {
		t.Errorf("the report has %d bytes", len(out))
	}
}

// No secret of a server is in a report, wherever it was told again.
func TestReportMasksSecrets(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48)
	b.m.roster = mcpconn.NewRoster(config.Config{Servers: []config.Server{{
		Name: "harbour", Enabled: true, URL: "https://me:pass-s3cret@example.com/mcp?key=query-s3cret",
		Env: map[string]string{"TOKEN": "env-s3cret"}, Headers: map[string]string{"Authorization": "Bearer header-s3cret"},
		Command: "/opt/harbour", Args: []string{"--verbose-argument"},
	}}})
	all := "env-s3cret header-s3cret pass-s3cret query-s3cret"
	b.send(eventsMsg{{Server: "harbour", Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: all, Warnings: []engine.Warning{{Message: all}}}})
	b.m.snap.Warnings = append(b.m.snap.Warnings, engine.Warning{Message: all})
	b.m.source = "/home/me/secret-client/config.yaml + other/two.yaml"
	out := told(b)
	for _, never := range []string{"s3cret", "example.com", "/opt/harbour", "verbose-argument", "secret-client", "/home"} {
		if strings.Contains(out, never) {
			t.Errorf("the report tells %q:\n%s", never, out)
		}
	}
	for _, want := range []string{"`*** *** *** ***`", "`config.yaml + two.yaml`"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %s:\n%s", want, out)
		}
	}
}

// Text of unknown origin stays in its cell and has no effect there.
func TestMarkdownCode(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"create_issue", "`create_issue`"},
		{"a|b", "`a¦b`"},
		{`a\|b\`, "`a\\¦b\\`"},
		{"``` `", "`ˋˋˋ ˋ`"},
		{"a\nb\r\n| c | d |", "`a↵b↵¦ c ¦ d ¦`"},
		{"<img src=x onerror=alert(1)>", "`‹img src=x onerror=alert(1)›`"},
		{"<!-- &lt;b&gt; -->", "`‹!-- &lt;b&gt; --›`"},
		{"[x](javascript:y) ![z](https://w) @all #1", "`[x](javascript:y) ![z](https://w) @all #1`"},
		{"\x1b[2J\u202e\x00", "`␛[2J‹202E›␀`"},
		{"\xff", "`‹FF›`"},
		{"", "–"},
		{" \t ", "–"},
		{strings.Repeat("x", 50), "`" + strings.Repeat("x", 44) + "…`"},
		{strings.Repeat("`", 50), "`" + strings.Repeat("ˋ", 44) + "…`"},
	} {
		d := &markdown{}
		if got := d.code(tc.in, 45); got != tc.want {
			t.Errorf("code(%q) = %s, want %s", tc.in, got, tc.want)
		}
	}
}

// marker begins every hostile text of a test, so that it is known again.
const marker = "zqz"

// hostileReport is a report with a text in every field that is not toolscope's
// own.
func hostileReport(tb testing.TB, text string) string {
	s := newStage(tb)
	s.ready(text, "tool: Does it.", "other").ready(text+"2", text+": "+text).plugin(text+"3", text, "plain")
	s.absent(text, mcpconn.StateFailed, text).absent("b"+text, mcpconn.StateConnecting, text)
	s.warnings = []engine.Warning{{Key: text, Given: text, Message: text}, {Message: text}}
	s.configured(func(c *engine.Config) { c.ListingMaxTokens = 20 })
	snap := s.snapshot()
	a := snap.Assembly
	for _, q := range []string{text, text + " does", text[1:], a.Deferred[0].Name, "it"} {
		snap.Queries = append(snap.Queries, a.Search(q, 0))
		snap.Pinned = append(snap.Pinned, Pinned{Why: a.Why(q, text, 0, engine.Session{Catalog: s.catalog}, []engine.AbsentTools{{Server: text, State: "failed", Reason: text, Filtered: []string{text}}})})
	}
	f := engine.Begin(engine.CallJSON(text, mustJSON(text)), engine.Runners{})
	for !f.Done() && f.Waits() == "" {
		f = f.Step(a)
	}
	snap.Call = Call{ID: 1, Flow: f}
	return report(snap, about{version: text, source: text, session: text})
}

// checkMarkdown holds a report to its own form: lines that begin as a report's
// lines do, tables with as many cells in each row, and nothing outside code
// that could be markup or that came from outside.
func checkMarkdown(tb testing.TB, out string) {
	tb.Helper()
	if bad := hostileIn(out); bad != "" {
		tb.Fatalf("the report has %s:\n%q", bad, out)
	}
	span := regexp.MustCompile("`[^`\n]+`")
	cells := 0
	for _, l := range strings.Split(out, "\n") {
		plain := span.ReplaceAllString(l, "§")
		if strings.Contains(plain, marker) || strings.ContainsAny(plain, "`<>[]\\&") {
			tb.Fatalf("outside code stands %q in %q", plain, l)
		}
		if !strings.HasPrefix(l, "|") {
			cells = 0
			if strings.Contains(l, "|") {
				tb.Fatalf("a cell is in no table: %q", l)
			}
			continue
		}
		switch n := strings.Count(l, "|"); {
		case cells == 0:
			cells = n
		case n != cells:
			tb.Fatalf("%d cells of %d: %q", n-1, cells-1, l)
		}
	}
}

func markdownTexts() []string {
	return append(hostileTexts(),
		"|", "`", "``", "\\|", "\\", "a|b|c", "` | x | `", "\n| a | b |\n|---|---|\n", "\n\n# head\n", "\n```\n", "\n- item\n> quote", "<script>alert(1)</script>", "<!--", "]]>", "</code>|",
		"[a](http://b)", "![a](http://b)", "@someone #1", "&lt;|&#124;&amp;", "$`x`$", "~~a~~ **b** _c_", "¦ˋ‹›", " a ", "a ` b")
}

func TestReportOfHostileText(t *testing.T) {
	for _, text := range markdownTexts() {
		out := hostileReport(t, marker+text)
		checkMarkdown(t, out)
		if n := strings.Count(out, marker); n < 20 {
			t.Errorf("%q is told %d times alone", text, n)
		}
	}
}

// FuzzReport: no text in any field that a server or a person supplies breaks
// out of its code span, and so not out of its cell.
func FuzzReport(f *testing.F) {
	for _, text := range markdownTexts() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20000 {
			return
		}
		checkMarkdown(t, hostileReport(t, marker+text))
	})
}
