package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/mcpconn"
)

// hostileBench is a model that got one text in every field a server can fill.
func hostileBench(tb testing.TB, text string) *bench {
	b := newBench(tb, termenv.TrueColor, 120, 36)
	raw, err := json.Marshal(map[string]any{
		"name": "t" + text, "description": text + " describes",
		"inputSchema": map[string]any{"properties": map[string]any{text + "p": map[string]any{"description": text, "type": text}}, "required": []string{text + "p", "x"}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tool, warnings, err := engine.ParseTool(raw)
	if err != nil {
		tb.Fatal(err)
	}
	info := mcpconn.ServerInfo{Name: text, Version: text, Protocol: text, Pages: 1}
	warnings = append(warnings, engine.Warning{Key: text, Given: text, Message: "odd: " + text})
	return b.send(eventsMsg{
		{Server: "harbour", Kind: mcpconn.EventLog, State: mcpconn.StateReady, Line: text},
		{Server: "harbour", Kind: mcpconn.EventTools, State: mcpconn.StateReady, Info: info, Tools: []engine.Tool{tool}, Filtered: []string{text}, Warnings: warnings},
		{Server: "weather", Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: text},
		{Server: "registry", Kind: mcpconn.EventState, State: mcpconn.StateConnecting, Progress: text},
	})
}

// walkHostile looks at every place where the text may show.
func walkHostile(b *bench, text string) {
	for _, pane := range []string{"1", "2", "3", "4", "5"} {
		b.press(pane).view()
		b.press("z").view()
		b.press("z")
	}
	b.press("T", "G", "enter").view()
	b.press("esc", "o").view()
	b.press("esc", "s").view()
	b.press("j").view()
	b.press("j").view()
	b.press("esc", "v").view()
	b.press("right").view()
	b.press("esc")
	name := b.m.snap.Assembly.Deferred[len(b.m.snap.Assembly.Deferred)-1].Name
	b.send(queryMsg{text + " ; describes ; " + name}).view()
	b.press("4", "J").view()
	b.press("esc", "ctrl+r").view()
	b.press("esc", ",", "enter").view()
	b.press("G").view()
	b.press("t").view()
	b.press("esc", "esc")
	b.press("esc", ".", "enter").view()
	b.press("esc", "c").view()
	b.press("enter").view()
	b.press("y").view()
	b.press("b", "p").view()
	b.press("p")
	b.send(callJSONMsg{`{"name":` + string(mustJSON(text)) + `}`}).press("enter").view()
	b.send(pinMsg{text}).view()
	b.press("4", "G", "enter").view()
	b.send(pinMsg{name}).press("e").view()
	b.press("esc", ":").view()
	b.press("esc")
	b.send(statusMsg{text}).view()
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func hostileTexts() []string {
	return []string{
		"", "plain", "\x1b[2J\x1b[31mred", "\x1b]0;title\x07", "\x1b]52;c;aGk=\x07", "\x1bP1$r\x1b\\", "\u009b31m\u009d0;x\u009c", "\x00\x01\x08\x7f\r",
		"\u202eevil\u202c\u2066x\u2069", "a\u200bb\u200d\u2060\ufeff\u00ad", "\U000e0041\U000e0042\U000e007f", "\xff\xfe\xc3(", strings.Repeat("e\u0301\u0302\u0303\u0304\u0305", 40),
		"日本語の説明 🙂👩‍👩‍👧 عربى עברית", strings.Repeat("wide 漢字 ", 400), "line\nbreaks\r\nand\ttabs\u2028and\u2029more\u0085", "\x1b[?1049h\x1b[6n\x1b[c", strings.Repeat("x", 5000), "\x0e\x0f\x1b(0",
	}
}

func TestHostileTexts(t *testing.T) {
	for _, text := range hostileTexts() {
		walkHostile(hostileBench(t, text), text)
	}
}

// FuzzFrame: no byte sequence in any field that a server supplies reaches the
// frame as a control sequence, nor breaks its size.
func FuzzFrame(f *testing.F) {
	for _, text := range hostileTexts() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 20000 {
			return
		}
		walkHostile(hostileBench(t, text), text)
	})
}
