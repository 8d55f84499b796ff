package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// Every sheet that has no frames of its own elsewhere: at three sizes without
// colour, then on a dark and on a light background and in sixteen colours.
func TestSheets(t *testing.T) {
	sheets := map[string]func(*bench){
		"settings":         func(b *bench) { b.answers(40).press("]", "=", "j") },
		"settings, typing": func(b *bench) { b.answers(40).press("=", "j", "1", "234") },
		"two settings": func(b *bench) {
			b.answers(300).press("A", "/", "gale", "esc").send(setMsg{engine.KeyListingMaxTokens, "300"}).press("B")
		},
		"form": func(b *bench) { b.answers(0).send(composeMsg{tool: "mcp_weather_gale_warning"}) },
		"form, typing": func(b *bench) {
			b.answers(0).send(composeMsg{tool: "mcp_weather_gale_warning"}).press("enter", "north")
		},
		"form, JSON": func(b *bench) { b.answers(0).send(composeMsg{tool: "mcp_weather_gale_warning"}).press("ctrl+e") },
		"no hooks":   func(b *bench) { b.answers(0).press("H") },
		"hooks": func(b *bench) {
			cfg, err := config.Parse("harbour.yaml", []byte("hooks:\n  pre_tool_call:\n    - {matcher: mcp_harbour_.*, command: \"/usr/bin/check --strict\", fail_closed: true}\n    - {matcher: tool_call, command: /usr/bin/never}\n"), config.Options{})
			if err != nil {
				t.Fatal(err)
			}
			b.m.hooks, b.m.notes, b.m.agreed = cfg.Hooks, cfg.Warnings, []string{"/usr/bin/never"}
			b.answers(0).press("H")
		},
		"two calls": func(b *bench) {
			b.answers(0).press("/", "pilot", "esc", "c", "enter", "n", "a", "enter", "y", "m")
		},
		"export":       func(b *bench) { b.answers(0).press("x") },
		"tool to call": func(b *bench) { b.answers(0).press("f", "gale") },
		"write": func(b *bench) {
			edit := config.Edit{Path: "harbour.yaml", Before: []byte("a: 1\n"), After: []byte("a: 2\n")}
			b.answers(0).send(editedMsg{edit: edit, diff: "--- harbour.yaml\n+++ harbour.yaml\n@@ -1 +1 @@\n-a: 1\n+a: 2\n"})
		},
	}
	for name, open := range sheets {
		for _, size := range [][2]int{{160, 48}, {120, 36}, {80, 24}} {
			t.Run(fmt.Sprintf("%s at %dx%d", name, size[0], size[1]), func(t *testing.T) {
				b := newBench(t, termenv.Ascii, size[0], size[1])
				open(b)
				if b.m.sheet == nil {
					t.Fatal("no sheet is open")
				}
				golden.RequireEqual(t, []byte(b.view()))
			})
		}
		for ground, c := range map[string]struct {
			profile termenv.Profile
			dark    bool
		}{"dark": {termenv.TrueColor, true}, "light": {termenv.TrueColor, false}, "sixteen colours": {termenv.ANSI, true}} {
			t.Run(name+", "+ground, func(t *testing.T) {
				b := newBenchOn(t, c.profile, c.dark, 80, 24)
				open(b)
				golden.RequireEqual(t, []byte(b.view()))
			})
		}
	}
}

// The plan, its lanes and the activity feed at three sizes.
func TestCallModes(t *testing.T) {
	for _, size := range [][2]int{{160, 48}, {120, 36}, {80, 24}} {
		for name, open := range map[string]func(*bench){
			"no plan":   func(b *bench) { b.press("5", "p") },
			"plan":      func(b *bench) { b.press("/", "gale ; pilot", "esc", ",", "b", "b", ".", "b", "5", "p") },
			"lanes":     func(b *bench) { b.press("/", "gale ; pilot", "esc", ",", "b", "b", ".", "b", "5", "p").do("r") },
			"no calls":  func(b *bench) { b.press("5", "h") },
			"activity":  func(b *bench) { b.press("/", "pilot", "esc", "c", "enter", "n", "a", "enter", "Y", "a", "h") },
			"approval":  func(b *bench) { b.press("/", "pilot", "esc", "c", "enter") },
			"live wait": func(b *bench) { b.m.live = true; b.press("/", "sea state", "esc", "c", "enter", "y") },
		} {
			t.Run(fmt.Sprintf("%s at %dx%d", name, size[0], size[1]), func(t *testing.T) {
				b := newBench(t, termenv.Ascii, size[0], size[1]).answers(0)
				b.m.patience = 5 * time.Minute
				open(b)
				golden.RequireEqual(t, []byte(b.view()))
			})
		}
	}
}

// The footer under a sheet has the keys of the sheet.
func TestSheetFooters(t *testing.T) {
	for open, want := range map[string]string{
		"s": "ping", "H": "consent to", "T": "filter by name", "v": "threshold to threshold", "=": "step it", "B": "swap the sides", "x": "save the screen", "f": "", "?": "",
	} {
		b := newBench(t, termenv.Ascii, 160, 48).answers(0).press(open)
		b.send(statusFadeMsg{b.m.statusID}).sees(want, "esc back")
	}
	b := newBench(t, termenv.Ascii, 160, 48).answers(0).send(composeMsg{tool: "mcp_weather_gale_warning"})
	b.send(statusFadeMsg{b.m.statusID}).sees("choose a value or an alternative")
}
