package ui

import (
	"encoding/json"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/mcpconn"
)

const berthTool = `{"name":"berth_plan","description":"Plan berths.","inputSchema":{"type":"object","required":["vessel","kind"],
 "properties":{"notes":{"type":"string"},"vessel":{"type":"string","description":"Its name, as painted on the bow.","minLength":2},
  "kind":{"enum":["bulk","tanker","ferry"]},"draught":{"type":"number","maximum":20},"pilot":{"type":"boolean","default":true},
  "lines":{"type":"array","items":{"type":"object","required":["side"],"properties":{"side":{"enum":["port","starboard"]},"metres":{"type":"integer"}}}},
  "until":{"oneOf":[{"type":"string","format":"date-time"},{"type":"object","required":["hours"],"properties":{"hours":{"type":"integer"}}}]}}}}`

// formBench is a bench with the form of a tool open.
func formBench(t *testing.T, width, height int) *bench {
	t.Helper()
	tool, _, err := engine.ParseTool(json.RawMessage(berthTool))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, termenv.Ascii, width, height)
	b.send(eventsMsg{{Server: "harbour", At: b.now, Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: []engine.Tool{tool}}})
	return b.press("/", "berth", "esc", "f").sees("Call mcp_harbour_berth_plan")
}

func (b *bench) composed() string {
	b.tb.Helper()
	c := b.m.sheet.(*composer)
	return string(c.form.Arguments())
}

// A call is composed field by field, held against the schema as it is typed,
// and goes the way of every call.
func TestCompose(t *testing.T) {
	b := formBench(t, 120, 36).sees("vessel *", "kind *", "✗ 2 problems", "Its name, as painted on the bow.", `tool_call`)
	b.press("enter", "A").sees("✗ 2 problems").press("u").sees("✗ 1 problem") // too short, then long enough
	b.press("rora", "enter", "j", "enter").sees("✓ nothing speaks against it")
	b.press("left", "left") // round to the last
	if got := b.composed(); got != `{"vessel":"Aurora","kind":"tanker"}` && got != `{"vessel":"Aurora","kind":"ferry"}` {
		t.Errorf("composed %s", got)
	}
	b.press("u", "u", "G") // back to bulk, down to the alternatives
	if got := b.composed(); got != `{"vessel":"Aurora","kind":"bulk"}` {
		t.Errorf("after undo %s", got)
	}
	b.press("g", "j", "j", "j", "enter", "deep", "enter").sees("✗ 1 problem").press("enter").send(tea.KeyMsg{Type: tea.KeyCtrlU}).press("7.5", "enter").sees("✓ nothing")
	b.press("j", "enter").press("j", "+").sees("[0]").press("j", "j", "enter")
	if got := b.composed(); !strings.Contains(got, `"draught":7.5`) || !strings.Contains(got, `"lines":[{"side":"port"}]`) || !strings.Contains(got, `"pilot"`) {
		t.Errorf("composed %s", got)
	}
	b.press("d").sees("✗ 1 problem").press("u").sees("✓ nothing")
	b.press("y")
	if want := `{"name":"mcp_harbour_berth_plan","arguments":`; len(b.copied) != 1 || !strings.HasPrefix(b.copied[0], want) {
		t.Errorf("copied %q", b.copied)
	}
	whole := b.composed()
	b.press("c").sees("→ not unwrapped yet")
	// The form opens again on the call in view, as it was.
	b.press("f")
	if got := b.composed(); got != whole {
		t.Errorf("opened again as %s, was %s", got, whole)
	}
	b.press("ctrl+r").sees("approval asked").press("Y").sees("✓ done")
}

// Tab goes from value to value and never lets what is typed be a command; a
// form that is left comes back as it was.
func TestComposeByTab(t *testing.T) {
	b := formBench(t, 120, 36).press("j", "j", "enter", "rr", "tab", "3", "tab").sees("one of", "notes")
	if got := b.composed(); got != `{"notes":"rr","draught":3}` || b.m.sheet == nil {
		t.Errorf("composed %s", got)
	}
	b.press("esc", "f")
	if got := b.composed(); got != `{"notes":"rr","draught":3}` {
		t.Errorf("left and opened again it is %s", got)
	}
}

// All arguments can be written as JSON at any time.
func TestComposeRaw(t *testing.T) {
	b := formBench(t, 80, 24)
	raw := func(text string) {
		b.send(tea.KeyMsg{Type: tea.KeyCtrlE}, tea.KeyMsg{Type: tea.KeyCtrlU}).press(text)
	}
	raw(`{"vessel":"Aurora","kind":"bulk","until":{"hours":3},"stowaways":2`)
	b.sees("✗ no JSON object yet").press("enter").sees("no JSON object yet", "arguments as JSON")
	b.press("}", "enter").sees("✓ nothing", "stowaways", "hours")
	if got := b.composed(); got != `{"vessel":"Aurora","kind":"bulk","until":{"hours":3},"stowaways":2}` {
		t.Errorf("composed %s", got)
	}
	raw(`{}`)
	b.press("esc").sees("stowaways") // left as it was
	b.press("b").sees("queued: 1 call")
	if got := string(b.m.queued[0].Arguments); !strings.Contains(got, `"stowaways":2`) {
		t.Errorf("queued %s", got)
	}
}

// The form is as large as it may be and no larger, whatever the schema is.
func TestComposeSizes(t *testing.T) {
	evil := "\x1b[2J\u202e日本" + strings.Repeat("x", 300)
	raw, err := json.Marshal(map[string]any{"name": "evil", "description": evil, "inputSchema": map[string]any{
		"properties": map[string]any{evil: map[string]any{"description": evil, "enum": []string{evil}, "format": evil}, "deep": map[string]any{"$ref": "#"}}, "required": []string{evil},
	}})
	if err != nil {
		t.Fatal(err)
	}
	tool, _, err := engine.ParseTool(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{40, 10}, {80, 24}, {160, 48}} {
		b := newBench(t, termenv.TrueColor, size[0], size[1])
		b.send(eventsMsg{{Server: "harbour", Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: []engine.Tool{tool}}})
		b.send(composeMsg{tool: b.m.snap.Assembly.Deferred[0].Name})
		for _, k := range []string{"", "j", "+", "j", "+", "enter", "x", "esc", "G", "d", "g", "enter", "left", "ctrl+e", "x", "esc", "pgdown"} {
			if k != "" {
				b.press(k)
			}
			b.view()
		}
		for y := range size[1] {
			b.send(tea.MouseMsg{X: size[0] / 2, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}).view()
			b.send(tea.MouseMsg{X: size[0] / 2, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown}).view()
		}
	}
}

func TestComposeFromNowhere(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0)
	b.press("f").sees("Compose a call", "mcp_weather_gale_warning").press("gale", "enter").sees("Call mcp_weather_gale_warning")
	b.press("esc").send(composeMsg{tool: "read_file"}).sees("is not behind the bridge")
	b.press("5", "e").send(tea.KeyMsg{Type: tea.KeyCtrlU}).press("[1]", "enter", "f").sees("names no tool that has a form")
}
