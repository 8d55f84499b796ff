package ui

import (
	"fmt"

	"toolscope/engine"
	"toolscope/ui/display"
)

// Cache is what the last change of servers, scope or setting did to the tools
// array, whose unchanged start a prompt cache keeps.
type Cache struct {
	Known bool   // there was an assembly before the present one
	Hash  string // of the present tools array
	Diff  engine.Diff
}

// newCache compares an assembly with the one before.
func newCache(old, now engine.Assembly) Cache {
	c := Cache{Hash: now.Hash()}
	if old.Index != nil {
		c.Known, c.Diff = true, engine.Compare(old, now)
	}
	return c
}

// word is the cache's state for the header, in few words or fewer.
func (c Cache) word(t theme, brief bool) string {
	switch {
	case !c.Known:
		return ""
	case !c.Diff.Changed:
		return t.muted.Render("cache ✓ kept")
	case brief:
		return t.warn.Render("cache ▲ " + short(c.Diff.LostTokens))
	}
	return t.warn.Render(fmt.Sprintf("cache ▲ prefix changed, %s anew", number(c.Diff.LostTokens)))
}

// lines tell where the tools array changed and what that costs, in so many
// lines at most.
func (c Cache) lines(t theme, width, most int) []string {
	if !c.Known {
		return indented(t.muted, "prompt cache: tools array "+c.Hash, width)
	}
	if !c.Diff.Changed {
		return indented(t.muted, "prompt cache: tools array "+c.Hash+", the same bytes after the last change", width)
	}
	out := indented(t.warn, fmt.Sprintf("prompt cache: the last change keeps %s tokens, %s are read anew", number(c.Diff.KeptTokens), number(c.Diff.LostTokens)), width)
	for i, change := range c.Diff.Changes {
		if len(out) >= most-1 && i < len(c.Diff.Changes)-1 {
			out = append(out, fit("  "+t.muted.Render(fmt.Sprintf("and %s more", plural(len(c.Diff.Changes)-i, "change"))), width))
			break
		}
		text := string(change.Part)
		if change.Name != "" {
			text += " " + display.Clip(change.Name, 40)
		}
		out = append(out, fit("  "+t.warn.Render("▲")+" "+text+": "+display.Clip(change.What, 80), width))
	}
	return out
}
