package display

import (
	"fmt"

	"toolscope/engine"
)

// HiddenText warns of every tool whose name, description or schema holds
// characters that a person would not see: what a hostile server may tell a
// model behind the person's back.
func HiddenText(c engine.Catalog) []engine.Warning {
	var warnings []engine.Warning
	look := func(where string, tools []engine.Tool) {
		for _, t := range tools {
			n := Hidden(t.Name) + Hidden(t.Description) + Hidden(string(t.Schema))
			if n == 0 {
				continue
			}
			name := Clip(t.Name, 80)
			warnings = append(warnings, engine.Warning{
				Key: name, Given: name, Used: name,
				Message: fmt.Sprintf("tool %s of %s holds hidden text: %d characters that do not show; they are shown as marks here, and the model reads them", name, where, n),
			})
		}
	}
	for _, s := range c.Servers {
		look("server "+Clip(s.Name, 60), s.Tools)
	}
	for _, p := range c.Plugins {
		look("plugin toolset "+Clip(p.Name, 60), p.Tools)
	}
	look("the core", c.Core)
	return warnings
}
