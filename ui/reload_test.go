package ui

import (
	"errors"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

func TestReload(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.press("R").sees("there is no file to read again")
	first := config.Config{Path: "harbour.yaml", Engine: b.m.original}
	for _, s := range b.m.roster.Servers()[:2] {
		first.Servers = append(first.Servers, s.Config)
	}
	first.Servers[1].Timeout++ // weather changed, registry is gone
	first.Engine.ListingMaxTokens = 777
	var next config.Config
	var fails error
	asked := ""
	b.m.reload = func(path string) (config.Config, error) { asked = path; return next, fails }
	reload := func(key string) {
		t.Helper()
		after, cmd := b.m.Update(keyMsg(key))
		b.m = after.(model)
		for _, msg := range runCmd(cmd) {
			after, cmd := b.m.Update(msg)
			b.m = after.(model)
			b.send(runCmd(cmd)...)
		}
	}
	next = first
	b.press("1", "left")
	reload("R")
	b.sees("1/2 servers", "777", "4.9 %")
	if got := strings.Join(b.asked, ", "); got != "apply harbour weather, enable harbour, enable weather" {
		t.Errorf("asked %s", got)
	}
	fails = errors.New("harbour.yaml:3:1: oops")
	reload("R")
	b.sees("the configuration stays as it was: harbour.yaml:3:1: oops")
	b.press("O").sees("no configuration of Hermes is found")
	fails, next.Path = nil, "own.yaml"
	b.m.offer = "/home/me/.hermes/config.yaml"
	reload("O")
	b.sees("own.yaml")
	if asked != "/home/me/.hermes/config.yaml" || b.m.offer != "" {
		t.Errorf("asked for %q, still offers %q", asked, b.m.offer)
	}
}

func TestRebase(t *testing.T) {
	old := engine.Config{ToolSearch: engine.DefaultToolSearch(), ContextLength: 1000}
	tuned := old
	tuned.ThresholdPct, tuned.Listing = 9, engine.On
	now := old
	now.ContextLength, now.Listing = 2000, engine.Off
	if got := rebase(tuned, old, now); got.ThresholdPct != 9 || got.Listing != engine.Off || got.ContextLength != 2000 || got.ListingMaxTokens != 4000 {
		t.Errorf("%+v", got)
	}
}
